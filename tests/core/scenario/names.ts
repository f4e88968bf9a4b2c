// Names for unreadable values: ids become `#1`, `#2` … in the order of appearance, their first twelve digits
// `#1.short`; digests with a name in the story become `sha256:WORD`.

const ID = /(?<![0-9a-f])[0-9a-f]{64}(?![0-9a-f])/g;
const SHORT = /(?<![0-9a-f])[0-9a-f]{12}(?![0-9a-f])/g;

export class Names {
  readonly #words = new Map<string, string>();
  readonly #hexes = new Map<string, string>();
  #ids = 0;
  #digests = 0;

  /** Gives a digest a name from now on. */
  call(digest: string, word: string): void {
    this.#add(digest.slice("sha256:".length), word);
  }

  /** Makes an id `#WORD` from now on. */
  callId(id: string, word: string): void {
    this.#add(id, `#${word}`);
  }

  /** Replaces ids and digests by names. */
  named(text: string): string {
    const whole = text.replace(ID, (hex, at: number) => this.#wordOf(hex, text.slice(0, at).endsWith("sha256:")));
    return whole.replace(SHORT, (short) => this.#short(short));
  }

  /** Replaces names by ids and digests. */
  unnamed(text: string): string {
    const ids = text.replace(/#(?:\d+|[a-z]+)(\.short)?/g, (name, short?: string) => {
      const hex = this.#hexOf(name.replace(".short", ""));
      return short === undefined ? hex : hex.slice(0, 12);
    });
    return ids.replace(/sha256:([a-z0-9.]+)/g, (whole, word: string) =>
      word.length === 64 ? whole : `sha256:${this.#hexOf(word)}`,
    );
  }

  #wordOf(hex: string, digest: boolean): string {
    const known = this.#words.get(hex);
    if (known !== undefined) return known;
    const word = digest ? `${++this.#digests}` : `#${++this.#ids}`;
    this.#add(hex, word);
    return word;
  }

  #short(short: string): string {
    for (const [hex, word] of this.#words) if (hex.startsWith(short)) return `${word}.short`;
    return short;
  }

  #hexOf(word: string): string {
    const hex = this.#hexes.get(word);
    if (hex === undefined) throw new Error(`nothing is called ${word}`);
    return hex;
  }

  #add(hex: string, word: string): void {
    this.#words.set(hex, word);
    this.#hexes.set(word, hex);
  }
}
