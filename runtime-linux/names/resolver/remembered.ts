// Answers that do not change before the table does. To read a query and to write its answer takes most of the time of a
// look-up, and programs ask for the same few names again and again. Which queries are for others is remembered, too.

/** So many answers, of all containers together, take some 300 KiB. */
const MOST = 1024;
/** Longer queries are rare. */
const LONGEST = 128;

/** In place of an answer: the table knows nothing, so others are asked. */
export const ELSEWHERE: Buffer = Buffer.alloc(0);

export class Remembered {
  /** By container, and by query without the query's id. */
  readonly #answers = new Map<string, Map<string, Buffer>>();
  #count = 0;

  /** The answer, with another query's id, or `ELSEWHERE`. `length`: of the query in these bytes. */
  find(container: string, query: Buffer, length: number): Buffer | undefined {
    if (length > LONGEST || length < ID) return undefined;
    return this.#answers.get(container)?.get(query.toString("latin1", ID, length));
  }

  remember(container: string, query: Buffer, answer: Buffer): void {
    if (query.length > LONGEST) return;
    // Whoever asks for very many names gets no slower than without this.
    if (this.#count >= MOST) this.forgetAll();
    const own = this.#answers.get(container) ?? new Map<string, Buffer>();
    this.#answers.set(container, own.set(query.toString("latin1", ID), answer));
    this.#count++;
  }

  forgetAll(): void {
    this.#answers.clear();
    this.#count = 0;
  }
}

/** Bytes of a query's id. */
const ID = 2;
