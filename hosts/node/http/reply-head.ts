// Heads of replies in the format of the wire.

import { STATUS_CODES } from "node:http";
import type { replies } from "../../shared/index.js";
import { withoutControls } from "../../request/index.js";

/** The head for a connection that is taken off HTTP. Nothing is added to it. */
export function hijackHead(head: replies.Head): string {
  const reason = head.status === 101 ? "UPGRADED" : (STATUS_CODES[head.status] ?? "");
  return `HTTP/1.1 ${head.status} ${reason}\r\n${headerLines(head.headers)}\r\n`;
}

/** The core's header lines. A carriage return in a value would end the line for some clients. */
export function headerLines(headers: string): string {
  return headers === "" ? "" : `${withoutControls(headers).replaceAll("\n", "\r\n")}\r\n`;
}
