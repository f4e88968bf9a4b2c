// SHA-2 with the interface of @noble/hashes, but by Node itself, in a tenth of the time. Registry downloads and
// simulated layers are hashed as they pass. It replaces the package in bundles for Node (hosts/node/setup).

import { type Hash, createHash } from "node:crypto";

type Algorithm = "sha256" | "sha384" | "sha512";

class Sha2 {
  readonly #hash: Hash;

  constructor(algorithm: Algorithm) {
    this.#hash = createHash(algorithm);
  }

  update(bytes: Uint8Array): this {
    this.#hash.update(bytes);
    return this;
  }

  digest(): Uint8Array {
    return new Uint8Array(this.#hash.digest());
  }
}

export const sha256 = by("sha256");
export const sha384 = by("sha384");
export const sha512 = by("sha512");

function by(algorithm: Algorithm): ((bytes: Uint8Array) => Uint8Array) & { create(): Sha2 } {
  const whole = (bytes: Uint8Array): Uint8Array => new Sha2(algorithm).update(bytes).digest();
  return Object.assign(whole, { create: () => new Sha2(algorithm) });
}
