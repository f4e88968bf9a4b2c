// A layer moves to another place when it gets its name, and when it is dropped. Meanwhile nobody may be reading it by its
// path.

export class Moves {
  /** They read layers until they resolve. */
  readonly #readers = new Set<Promise<void>>();
  /** Resolves after the last move that was asked for. */
  #last: Promise<void> = Promise.resolve();

  /** Calls `find` while nothing moves. Nothing does until `over` resolves. */
  async held<T>(find: () => T, over: Promise<void>): Promise<T> {
    for (let seen: Promise<void> | undefined; seen !== this.#last;) await (seen = this.#last);
    const found = find();
    this.#readers.add(over);
    void over.then(() => this.#readers.delete(over));
    return found;
  }

  /** Moves layers, once no one reads them. Whoever wants to read waits for it. */
  move<T>(work: () => Promise<T>): Promise<T> {
    const moved = this.#last.then(() => Promise.all(this.#readers)).then(work);
    this.#last = moved.then(
      () => {},
      () => {},
    );
    return moved;
  }
}
