// Answers that do not change before the table does. To read a query and to write its answer takes most of the time of a
// look-up, and programs ask for the same few names again and again.

import { withId } from "./messages.js";

/** So many answers, of all containers together, take some 300 KiB. */
const MOST = 1024;
/** Longer queries are rare. */
const LONGEST = 128;

export class Remembered {
  /** By container and query, without the query's id. */
  readonly #answers = new Map<string, Buffer>();

  answerTo(container: string, query: Buffer): Buffer | undefined {
    if (this.#answers.size === 0 || query.length > LONGEST || query.length < ID) return undefined;
    const answer = this.#answers.get(keyOf(container, query));
    return answer && withId(answer, query.readUInt16BE(0));
  }

  remember(container: string, query: Buffer, answer: Buffer): void {
    if (query.length > LONGEST) return;
    // Whoever asks for very many names gets no slower than without this.
    if (this.#answers.size >= MOST) this.forgetAll();
    this.#answers.set(keyOf(container, query), answer);
  }

  forgetAll(): void {
    this.#answers.clear();
  }
}

function keyOf(container: string, query: Buffer): string {
  return `${container} ${query.toString("latin1", ID)}`;
}

/** Bytes of a query's id. */
const ID = 2;
