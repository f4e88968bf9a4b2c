// Bodies of requests that the core names by the request's id: handed out once each, to whoever carries out the command.

import type { Bodies, RequestId } from "../shared/host.js";

export class RequestBodies implements Bodies {
  readonly #bodies = new Map<RequestId, AsyncIterable<Uint8Array>>();

  offer(request: RequestId, body: AsyncIterable<Uint8Array>): void {
    this.#bodies.set(request, body);
  }

  /** Throws when there is no such body, or it was taken before. */
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
