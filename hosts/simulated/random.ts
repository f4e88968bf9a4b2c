// What is drawn in the simulated world: sequences that follow from its seed.

import { uniformFloat64 } from "pure-rand/distribution/uniformFloat64";
import { xoroshiro128plus } from "pure-rand/generator/xoroshiro128plus";

export interface Random {
  /** From 0 up to 1. */
  next(): number;
  bytes(count: number): Uint8Array;
}

/** A sequence of its own for each purpose, so that what is drawn for one does not change what another gets. */
export function seededRandom(seed: number, purpose: string): Random {
  const generator = xoroshiro128plus(mix(seed, purpose));
  return {
    next: () => uniformFloat64(generator),
    bytes: (count) => Uint8Array.from({ length: count }, () => generator.next() & 0xff),
  };
}

/** FNV-1a over the seed's number and the purpose. */
function mix(seed: number, purpose: string): number {
  let hash = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(`${seed} ${purpose}`)) hash = Math.imul(hash ^ byte, 0x01000193);
  return hash;
}
