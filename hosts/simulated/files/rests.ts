// Beginnings of layers' blobs, kept until the blob is requested again or dropped: the connection broke, or the engine
// ended.

import type { engine } from "../../shared/index.js";
import type { Share } from "./space.js";

/** The beginning of a blob. */
interface Rest {
  digest: string;
  bytes: Uint8Array;
  /** When the last of them came, in milliseconds since 1970. */
  at: number;
}

export class Rests {
  readonly #byChain = new Map<string, Rest & { share: Share }>();
  readonly #share: () => Share;

  /** `share` reserves new room on the disk. */
  constructor(share: () => Share) {
    this.#share = share;
  }

  /** Keeps the beginning of a chain's blob, and the room that it takes. */
  keep(chain: string, rest: Rest, room: Share): void {
    this.drop(chain);
    const share = this.#share();
    room.hand(share);
    this.#byChain.set(chain, { ...rest, share });
  }

  /** How many bytes of this blob are kept. */
  size(chain: string, digest: string): number {
    const rest = this.#byChain.get(chain);
    return rest?.digest === digest ? rest.bytes.length : 0;
  }

  /** Hands the bytes over, with their room. */
  take(chain: string, room: Share): Uint8Array | undefined {
    const rest = this.#byChain.get(chain);
    rest?.share.hand(room);
    this.#byChain.delete(chain);
    return rest?.bytes;
  }

  drop(chain: string): void {
    this.#byChain.get(chain)?.share.release();
    this.#byChain.delete(chain);
  }

  /** For the inventory. */
  found(): engine.FoundRest[] {
    return [...this.#byChain].map(([chain, { at }]) => ({ chain, at: BigInt(at) * NS_PER_MS }));
  }
}

const NS_PER_MS = 1_000_000n;
