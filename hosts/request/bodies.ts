// Bodies of requests, which the core names by the request's id. The host that carries out the command takes each body
// once. And sessions, on which a client gives and takes files as often as it is asked.

import { interrupted } from "../shared/index.js";
import type {
  Bodies,
  Delivery,
  KeptBlob,
  RequestBytes,
  RequestId,
  SentBefore,
  SshAgent,
  content,
  types,
} from "../shared/index.js";

/** What a client gives on its session. */
export interface Session {
  /** Its files, as a tar. */
  files(
    files: content.SessionFiles,
    before: SentBefore | null,
    came: (bytes: number) => void,
  ): AsyncIterable<Uint8Array>;
  /** An archive of its, as a tar. */
  upload(upload: content.SessionUpload): AsyncIterable<Uint8Array>;
  /** SECRET. */
  credentials(sought: content.SoughtCredentials, signal: AbortSignal): Promise<types.Credentials>;
  /** SECRET. */
  secret(sought: content.SoughtSecret, signal: AbortSignal): Promise<Uint8Array>;
  /** What it gets. */
  deliver(delivery: Delivery, signal: AbortSignal): Promise<void>;
  agent(sought: content.SoughtAgent, signal: AbortSignal): Promise<SshAgent>;
  /** A small blob in one of its stores. */
  document(sought: content.ClientDocument, signal: AbortSignal): Promise<Uint8Array>;
  /** A blob in one of its stores, as it arrives. */
  blob(blob: content.ClientBlob): AsyncIterable<Uint8Array>;
  /** What one of its stores gets. */
  give(store: content.ClientStore, blobs: readonly KeptBlob[], signal: AbortSignal): Promise<void>;
}

export class RequestBodies implements Bodies {
  /** Of requests under way; null once it was taken. */
  readonly #bodies = new Map<RequestId, RequestBytes | null>();
  readonly #sessions = new Map<RequestId, Session>();

  offer(request: RequestId, body: RequestBytes): void {
    this.#bodies.set(request, body);
  }

  offerSession(request: RequestId, session: Session): void {
    this.#sessions.set(request, session);
  }

  /** Throws `client-gone` if the request is over: its client may have left before the command began. */
  take(request: RequestId): RequestBytes {
    const body = this.#bodies.get(request);
    if (body === undefined) throw interrupted("client-gone");
    if (body === null) throw new Error(`request ${request} has no body to take`);
    this.#bodies.set(request, null);
    return body;
  }

  /** Throws `client-gone` if the session is over. */
  session(...[files, ...how]: Parameters<Session["files"]>): AsyncIterable<Uint8Array> {
    return this.#session(files.session).files(files, ...how);
  }

  /** The same for an archive. */
  upload(upload: content.SessionUpload): AsyncIterable<Uint8Array> {
    return this.#session(upload.session).upload(upload);
  }

  /** Rejects with `client-gone` if the session is over. */
  async credentials(sought: content.SoughtCredentials, signal: AbortSignal): Promise<types.Credentials> {
    return this.#session(sought.session).credentials(sought, signal);
  }

  /** The same for a secret. */
  async secret(sought: content.SoughtSecret, signal: AbortSignal): Promise<Uint8Array> {
    return this.#session(sought.session).secret(sought, signal);
  }

  async deliver(session: RequestId, delivery: Delivery, signal: AbortSignal): Promise<void> {
    return this.#session(session).deliver(delivery, signal);
  }

  /** The same for an agent. */
  async agent(sought: content.SoughtAgent, signal: AbortSignal): Promise<SshAgent> {
    return this.#session(sought.session).agent(sought, signal);
  }

  /** The same for a blob in a store. */
  async document(sought: content.ClientDocument, signal: AbortSignal): Promise<Uint8Array> {
    return this.#session(sought.in.session).document(sought, signal);
  }

  /** Throws `client-gone` if the session is over. */
  blob(blob: content.ClientBlob): AsyncIterable<Uint8Array> {
    return this.#session(blob.in.session).blob(blob);
  }

  async give(store: content.ClientStore, blobs: readonly KeptBlob[], signal: AbortSignal): Promise<void> {
    return this.#session(store.session).give(store, blobs, signal);
  }

  forget(request: RequestId): void {
    this.#bodies.delete(request);
    this.#sessions.delete(request);
  }

  #session(request: RequestId): Session {
    const found = this.#sessions.get(request);
    if (found === undefined) throw interrupted("client-gone");
    return found;
  }
}
