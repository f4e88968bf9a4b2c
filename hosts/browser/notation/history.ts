// The history of typed lines, for the arrow keys.

const KEPT = 100;

export class History {
  readonly #lines: string[] = [];
  /** Index of the line shown; the number of lines for the line being typed. */
  #at = 0;
  /** The line that was being typed when the first arrow key was pressed. */
  #draft = "";

  add(line: string): void {
    if (this.#lines.at(-1) !== line) this.#lines.push(line);
    if (this.#lines.length > KEPT) this.#lines.shift();
    this.#at = this.#lines.length;
  }

  /** The previous line; null if there is none. */
  earlier(current: string): string | null {
    if (this.#at === 0) return null;
    if (this.#at === this.#lines.length) this.#draft = current;
    return this.#lines[--this.#at]!;
  }

  /** The next line, ending with the line that was being typed; null if there is none. */
  later(): string | null {
    if (this.#at >= this.#lines.length) return null;
    return ++this.#at === this.#lines.length ? this.#draft : this.#lines[this.#at]!;
  }
}
