// Readers of logs share the platform's loop with everybody else: a container that says much to many followers wakes them
// all at once, and whoever asks for something else is not to wait until each of them has been served.

import { turn } from "../shared/turn.js";

/** Bytes of logs that are read in one turn of the loop, whoever they are for: to read and write them anew takes some 3 ms. */
const BYTES_A_TURN = 128 * 1024;
/** A read counts for so many until it is known what there was: many may begin before the first of them ends. */
const BYTES_A_READ = 16 * 1024;

export class Share {
  readonly #turn: () => Promise<void>;
  #left = BYTES_A_TURN;
  #next: Promise<void> | null = null;

  /** `turn` resolves in the loop's next turn. */
  constructor(turn: () => Promise<void>) {
    this.#turn = turn;
  }

  /** Begins a read; false if others have left nothing of this turn. */
  begin(): boolean {
    if (this.#left <= 0) return false;
    this.#left -= BYTES_A_READ;
    void this.next();
    return true;
  }

  /** So many bytes were there. */
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

/** That of all readers of this loop. */
export const share = new Share(turn);
