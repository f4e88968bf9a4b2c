// Bodies of requests that the core names by the request's id: handed out once each, to whoever carries out the command.

import type { IncomingMessage, ServerResponse } from "node:http";
import { HostFailure } from "../failure.js";
import type { Bodies, RequestId } from "../host.js";

export class RequestBodies implements Bodies {
  readonly #bodies = new Map<RequestId, AsyncIterable<Uint8Array>>();

  offer(request: RequestId, body: AsyncIterable<Uint8Array>): void {
    this.#bodies.set(request, body);
  }

  /** Throws when there is no such body, or it was taken before. */
  take(request: RequestId): AsyncIterable<Uint8Array> {
    const body = this.#bodies.get(request);
    if (body === undefined) throw new HostFailure("not-found", `request ${request} has no body to take`);
    this.#bodies.delete(request);
    return body;
  }

  forget(request: RequestId): void {
    this.#bodies.delete(request);
  }
}

/**
 * The bytes of a request as they arrive. Whoever stops reading leaves the connection usable. Fails once the reply is
 * over: a client that has its answer need not send the rest.
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
    const why = error instanceof Error ? error.message : String(error);
    throw new HostFailure("interrupted", `the client went away while it sent its body: ${why}`);
  } finally {
    // Not waited for: it comes after the piece that was asked for last, and that may never come.
    const drain = (): void => void request.resume();
    void chunks.return?.().then(drain, drain);
  }
}

/** Not `Promise.race`: each piece of the body would stay in memory until the reply is over. */
function unlessOver<T>(wanted: Promise<T>, response: ServerResponse): Promise<T> {
  return new Promise((resolve, reject) => {
    const over = (): void => reject(new HostFailure("interrupted", "the reply ended before the request's body"));
    if (response.writableFinished) over();
    response.once("finish", over);
    const settled = (): void => void response.off("finish", over);
    wanted.then(resolve, reject).then(settled, settled);
  });
}
