// Reads a request's body if the core is to get it as bytes.

import type { IncomingMessage } from "node:http";
import { formOf } from "../../request/index.js";
import type { engine } from "../../shared/index.js";
import type { RequestHead } from "./request-head.js";

/**
 * Calls `ready` once, now or when the body is there; never if the client goes away before. `limit`: JSON beyond this
 * many bytes is dropped. A `stream` is not read.
 */
export function receiveBody(
  head: RequestHead,
  message: IncomingMessage,
  limit: number,
  ready: (body: engine.Body) => void,
): void {
  const { body } = head;
  if (body.kind === "none") return ready({ tag: "none" });
  const form = formOf(head.mediaType, body.kind === "length" ? body.length : null, limit);
  if (form === "collect") return collect(message, limit, ready);
  if (form === "oversized") message.resume();
  ready({ tag: form });
}

/** The same for a body of at most `SHORT_BODY` bytes that is here already. */
export function receivedBody({ mediaType }: RequestHead, bytes: Uint8Array, limit: number): engine.Body {
  if (bytes.length === 0) return { tag: "none" };
  return formOf(mediaType, bytes.length, limit) === "oversized" ? { tag: "oversized" } : { tag: "whole", val: bytes };
}

function collect(message: IncomingMessage, limit: number, ready: (body: engine.Body) => void): void {
  const chunks: Buffer[] = [];
  let length = 0;
  const add = (chunk: Buffer): void => {
    length += chunk.length;
    if (length <= limit) chunks.push(chunk);
    else finish({ tag: "oversized" });
  };
  const end = (): void => finish({ tag: "whole", val: Buffer.concat(chunks) });
  const finish = (body: engine.Body): void => {
    message.off("data", add).off("end", end);
    message.resume();
    ready(body);
  };
  message
    .on("data", add)
    .on("end", end)
    .on("error", () => {});
}
