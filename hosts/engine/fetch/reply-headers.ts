// The head of a reply in the platform's own types.

import type { replies } from "../../shared/index.js";
import { isCounted, namesAndValues } from "../../request/index.js";

/** `length`: of a body that is sent in one piece; otherwise null. */
export function headersOf(head: replies.Head, length: number | null): Headers {
  const headers = new Headers();
  const pairs = namesAndValues(head.headers);
  for (let at = 0; at < pairs.length; at += 2) headers.append(pairs[at]!, pairs[at + 1]!);
  if (length !== null && isCounted(head.status, length) && !headers.has("content-length")) {
    headers.set("content-length", String(length));
  }
  return headers;
}
