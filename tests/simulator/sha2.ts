// SHA-256 as @noble/hashes has it, by the platform: worlds of stories read and write layers all the time. Takes the
// package's place in the simulator's bundle (hosts/node/setup.mjs).

import { type Hash, createHash } from "node:crypto";

class Sha256 {
  readonly #hash: Hash = createHash("sha256");

  update(bytes: Uint8Array): this {
    this.#hash.update(bytes);
    return this;
  }

  digest(): Uint8Array {
    return new Uint8Array(this.#hash.digest());
  }
}

export const sha256 = Object.assign((bytes: Uint8Array) => new Sha256().update(bytes).digest(), {
  create: () => new Sha256(),
});
