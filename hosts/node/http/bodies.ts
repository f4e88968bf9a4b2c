// The body of a request from a socket, as a host reads it.

import type { IncomingMessage, ServerResponse } from "node:http";
import { HostFailure, interrupted } from "../../shared/index.js";
import type { RequestBytes } from "../../shared/index.js";

/** Node allocates memory for each piece, and keeps none of them. */
export function bytesOf(request: IncomingMessage, response: ServerResponse): RequestBytes {
  const pieces = piecesOf(request, response);
  return { isOwn: true, [Symbol.asyncIterator]: () => pieces };
}

/**
 * The bytes of a request as they arrive. If the reader stops early, the connection remains usable. Fails once the reply
 * is over: a client that has its answer need not send the rest.
 */
async function* piecesOf(request: IncomingMessage, response: ServerResponse): AsyncGenerator<Uint8Array> {
  const chunks: AsyncIterator<Uint8Array> = request.iterator({ destroyOnReturn: false });
  try {
    for (;;) {
      const next = await unlessOver(chunks.next(), response);
      if (next.done) return;
      yield next.value;
    }
  } catch (error) {
    if (error instanceof HostFailure) throw error;
    throw interrupted("client-gone");
  } finally {
    // Not awaited: it would follow the piece that was requested last, which may never arrive.
    const drain = (): void => void request.resume();
    void chunks.return?.().then(drain, drain);
  }
}

/** Not `Promise.race`: that would keep each piece of the body in memory until the reply is over. */
function unlessOver<T>(wanted: Promise<T>, response: ServerResponse): Promise<T> {
  return new Promise((resolve, reject) => {
    const over = (): void => reject(interrupted("answered"));
    if (response.writableFinished) over();
    response.once("finish", over);
    const settled = (): void => void response.off("finish", over);
    wanted.then(resolve, reject).then(settled, settled);
  });
}
