// Bodies of requests, which the core names by the request's id. The host that carries out the command takes each body
// once. And sessions, on which a client gives files as often as it is asked.

import { interrupted } from "../shared/index.js";
import type { Bodies, RequestId, content } from "../shared/index.js";

/** The files that a client has, as tars. */
export type SessionFiles = (files: content.SessionFiles) => AsyncIterable<Uint8Array>;

export class RequestBodies implements Bodies {
  /** Of requests under way; null once it was taken. */
  readonly #bodies = new Map<RequestId, AsyncIterable<Uint8Array> | null>();
  readonly #sessions = new Map<RequestId, SessionFiles>();

  offer(request: RequestId, body: AsyncIterable<Uint8Array>): void {
    this.#bodies.set(request, body);
  }

  offerSession(request: RequestId, files: SessionFiles): void {
    this.#sessions.set(request, files);
  }

  /** Throws `client-gone` if the request is over: its client may have left before the command began. */
  take(request: RequestId): AsyncIterable<Uint8Array> {
    const body = this.#bodies.get(request);
    if (body === undefined) throw interrupted("client-gone");
    if (body === null) throw new Error(`request ${request} has no body to take`);
    this.#bodies.set(request, null);
    return body;
  }

  /** Throws `client-gone` if the session is over. */
  session(files: content.SessionFiles): AsyncIterable<Uint8Array> {
    const found = this.#sessions.get(files.session);
    if (found === undefined) throw interrupted("client-gone");
    return found(files);
  }

  forget(request: RequestId): void {
    this.#bodies.delete(request);
    this.#sessions.delete(request);
  }
}
