// The seeds for an engine's instances, one after the other.

import { sha256 } from "@noble/hashes/sha2.js";

const SEED_BYTES = 32;

/**
 * The n-th seed is the SHA-256 of the given seed and n (from 1, big-endian, 32 bits), because ids from before and after
 * a restart must differ. Throws `RangeError` if the given seed does not have 32 bytes.
 */
export function derivedSeeds(seed: Uint8Array): () => Uint8Array {
  if (seed.length !== SEED_BYTES) throw new RangeError(`a seed has ${SEED_BYTES} bytes, not ${seed.length}`);
  const numbered = new Uint8Array(SEED_BYTES + 4);
  numbered.set(seed);
  let opened = 0;
  return () => {
    new DataView(numbered.buffer).setUint32(SEED_BYTES, ++opened);
    return sha256(numbered);
  };
}
