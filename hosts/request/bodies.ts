// Bodies of requests, which the core names by the request's id. The host that carries out the command takes each body
// once.

import type { Bodies, RequestId } from "../shared/host.js";

export class RequestBodies implements Bodies {
  readonly #bodies = new Map<RequestId, AsyncIterable<Uint8Array>>();

  offer(request: RequestId, body: AsyncIterable<Uint8Array>): void {
    this.#bodies.set(request, body);
  }

  /** Throws if there is no such body, or if it was taken before. */
  take(request: RequestId): AsyncIterable<Uint8Array> {
    const body = this.#bodies.get(request);
    if (body === undefined) throw new Error(`request ${request} has no body to take`);
    this.#bodies.delete(request);
    return body;
  }

  forget(request: RequestId): void {
    this.#bodies.delete(request);
  }
}
