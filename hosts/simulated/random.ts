// Random numbers of the simulated world: sequences derived from its seed.

import { uniformFloat64 } from "pure-rand/distribution/uniformFloat64";
import { xoroshiro128plus } from "pure-rand/generator/xoroshiro128plus";

export interface Random {
  /** A number from 0 up to 1. */
  next(): number;
  bytes(count: number): Uint8Array;
}

/** Each purpose has its own sequence, so that drawing for one purpose does not change another. */
export function seededRandom(seed: number, purpose: string): Random {
  const generator = xoroshiro128plus(mix(seed, purpose));
  return {
    next: () => uniformFloat64(generator),
    bytes: (count) => Uint8Array.from({ length: count }, () => generator.next() & 0xff),
  };
}

/** FNV-1a over the seed and the purpose. */
function mix(seed: number, purpose: string): number {
  let hash = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(`${seed} ${purpose}`)) hash = Math.imul(hash ^ byte, 0x01000193);
  return hash;
}
