// What clients send, for a host that exists before its engine.

import type { Bodies, Delivery, KeptBlob, RequestId, SshAgent, content, types } from "./host.js";

/** The engine supplies the bodies once it exists. */
export class LateBodies implements Bodies {
  given: Bodies | null = null;

  get #engine(): Bodies {
    if (this.given === null) throw new Error("no engine listens to this host");
    return this.given;
  }

  take(request: RequestId): AsyncIterable<Uint8Array> {
    return this.#engine.take(request);
  }

  session(...asked: Parameters<Bodies["session"]>): AsyncIterable<Uint8Array> {
    return this.#engine.session(...asked);
  }

  upload(upload: content.SessionUpload): AsyncIterable<Uint8Array> {
    return this.#engine.upload(upload);
  }

  async credentials(sought: content.SoughtCredentials, signal: AbortSignal): Promise<types.Credentials> {
    return this.#engine.credentials(sought, signal);
  }

  async secret(sought: content.SoughtSecret, signal: AbortSignal): Promise<Uint8Array> {
    return this.#engine.secret(sought, signal);
  }

  async deliver(session: RequestId, delivery: Delivery, signal: AbortSignal): Promise<void> {
    return this.#engine.deliver(session, delivery, signal);
  }

  async agent(sought: content.SoughtAgent, signal: AbortSignal): Promise<SshAgent> {
    return this.#engine.agent(sought, signal);
  }

  async document(sought: content.ClientDocument, signal: AbortSignal): Promise<Uint8Array> {
    return this.#engine.document(sought, signal);
  }

  blob(blob: content.ClientBlob): AsyncIterable<Uint8Array> {
    return this.#engine.blob(blob);
  }

  async give(store: content.ClientStore, blobs: readonly KeptBlob[], signal: AbortSignal): Promise<void> {
    return this.#engine.give(store, blobs, signal);
  }
}
