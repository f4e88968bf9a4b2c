// The body of a request from a socket, as a host reads it.

import type { IncomingMessage, ServerResponse } from "node:http";
import { HostFailure, interrupted } from "../../shared/index.js";

/**
 * The bytes of a request as they arrive. If the reader stops early, the connection remains usable. Fails once the reply
 * is over: a client that has its answer need not send the rest.
 */
export async function* bytesOf(request: IncomingMessage, response: ServerResponse): AsyncGenerator<Uint8Array> {
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
