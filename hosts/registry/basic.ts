// Basic authorization (RFC 7617 §2).

import { toBase64 } from "../shared/index.js";

/** The value of the header `Authorization`. */
export function basicOf(user: string, password: string): string {
  return `Basic ${toBase64(new TextEncoder().encode(`${user}:${password}`))}`;
}
