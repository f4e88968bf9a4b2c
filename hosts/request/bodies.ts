// Bodies of requests, which the core names by the request's id. The host that carries out the command takes each body
// once.

import { interrupted } from "../shared/index.js";
import type { Bodies, RequestId } from "../shared/index.js";

export class RequestBodies implements Bodies {
  /** Of requests under way; null once it was taken. */
  readonly #bodies = new Map<RequestId, AsyncIterable<Uint8Array> | null>();

  offer(request: RequestId, body: AsyncIterable<Uint8Array>): void {
    this.#bodies.set(request, body);
  }

  /** Throws `client-gone` if the request is over: its client may have left before the command began. */
  take(request: RequestId): AsyncIterable<Uint8Array> {
    const body = this.#bodies.get(request);
    if (body === undefined) throw interrupted("client-gone");
    if (body === null) throw new Error(`request ${request} has no body to take`);
    this.#bodies.set(request, null);
    return body;
  }

  forget(request: RequestId): void {
    this.#bodies.delete(request);
  }
}
