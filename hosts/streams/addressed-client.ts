// A client off HTTP that also gets messages from the engine: why an exec could not be started.

import type { replies } from "../shared/index.js";
import type { HijackedClient } from "./hijacked-client.js";

export class AddressedClient implements HijackedClient {
  readonly #client: HijackedClient;
  #begun = false;
  /** Messages from before the client knows that it is attached. */
  readonly #held: Uint8Array[] = [];

  constructor(client: HijackedClient) {
    this.#client = client;
  }

  begin(head: replies.Head): void {
    this.#client.begin(head);
    this.#begun = true;
    for (const bytes of this.#held.splice(0)) this.say(bytes);
  }

  /** Sent in order with everything else that is written. Nobody waits for its arrival. */
  say(bytes: Uint8Array): void {
    if (this.#begun) void this.#client.write(bytes);
    else this.#held.push(bytes);
  }

  bytes(): AsyncIterable<Uint8Array> {
    return this.#client.bytes();
  }

  write(bytes: Uint8Array): Promise<boolean> {
    return this.#client.write(bytes);
  }

  end(): void {
    this.#client.end();
  }
}
