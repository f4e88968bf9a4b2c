// SHA-256 with the interface of @noble/hashes, but by Node itself, in a tenth of the time. Registry downloads and
// simulated layers are hashed as they pass. It replaces the package in bundles for Node (hosts/node/setup).

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
