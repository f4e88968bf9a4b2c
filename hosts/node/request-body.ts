// In which form the core gets a request's body: see `body` in core/wit/engine.wit.

import type { IncomingMessage } from "node:http";
import type { engine } from "../host.js";
import type { RequestHead } from "./request-head.js";

/** Bodies of known length up to this come as bytes, whatever their type. */
const SHORT = 64 * 1024;

/**
 * Calls `ready` once, now or when the body is there; not at all if the client goes away before. `limit`: bytes beyond
 * which JSON is thrown away. A `stream` is left unread.
 */
export function receiveBody(
  head: RequestHead,
  message: IncomingMessage,
  limit: number,
  ready: (body: engine.Body) => void,
): void {
  const { body } = head;
  if (body.kind === "none") return ready({ tag: "none" });
  const json = head.mediaType === "application/json";
  if (!json && (body.kind === "chunked" || body.length > SHORT)) return ready({ tag: "stream" });
  if (body.kind === "length" && body.length > limit) {
    message.resume();
    return ready({ tag: "oversized" });
  }
  collect(message, limit, ready);
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
