// Lines that were typed, to be gone through with the arrow keys.

const KEPT = 100;

export class History {
  readonly #lines: string[] = [];
  /** Place of the line shown; the number of lines for the one being typed. */
  #at = 0;
  /** The line that was being typed when the first arrow was pressed. */
  #draft = "";

  add(line: string): void {
    if (this.#lines.at(-1) !== line) this.#lines.push(line);
    if (this.#lines.length > KEPT) this.#lines.shift();
    this.#at = this.#lines.length;
  }

  /** The line before; null where there is none. */
  earlier(current: string): string | null {
    if (this.#at === 0) return null;
    if (this.#at === this.#lines.length) this.#draft = current;
    return this.#lines[--this.#at]!;
  }

  /** The line after it, at last the one that was being typed; null where there is none. */
  later(): string | null {
    if (this.#at >= this.#lines.length) return null;
    return ++this.#at === this.#lines.length ? this.#draft : this.#lines[this.#at]!;
  }
}
