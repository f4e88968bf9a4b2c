// Divides the event loop between log readers and everybody else. A container with much output and many followers wakes
// them all at once. Other requests must not wait until each of them has been served.

import { turn } from "../shared/index.js";

/** Bytes of logs to read in one turn of the loop, for all readers together. To read and format them takes some 3 ms. */
const BYTES_A_TURN = 128 * 1024;
/** A read counts this many bytes until its size is known: many may start before the first ends. */
const BYTES_A_READ = 32 * 1024;

export class Share {
  readonly #turn: () => Promise<void>;
  #left = BYTES_A_TURN;
  #next: Promise<void> | null = null;

  /** `turn` resolves in the next turn of the loop. */
  constructor(turn: () => Promise<void>) {
    this.#turn = turn;
  }

  /** Starts a read; false if others have used up this turn. */
  begin(): boolean {
    if (this.#left <= 0) return false;
    this.#left -= BYTES_A_READ;
    void this.next();
    return true;
  }

  /** The read has returned this many bytes. */
  ended(bytes: number): void {
    this.#left = Math.min(this.#left + BYTES_A_READ, BYTES_A_TURN) - bytes;
  }

  /** Resolves in the next turn. */
  next(): Promise<void> {
    this.#next ??= this.#turn().then(() => {
      this.#next = null;
      this.#left = BYTES_A_TURN;
    });
    return this.#next;
  }
}

/** Shared by all readers of this loop. */
export const share = new Share(turn);
