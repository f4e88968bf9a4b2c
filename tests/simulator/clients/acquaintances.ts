// Tracks the containers that clients may know of. People usually check what exists first, so few requests are about
// containers that do not exist.

/** One in this many requests about unknown containers is sent anyway. */
const ALL_THE_SAME = 8;

export class Acquaintances {
  /** Names of containers that may exist, according to the answers so far. */
  readonly #names = new Set<string>();
  #passedOver = 0;

  /** Whether a request about it should not be sent. Requests about ids and about `nobody` always should. */
  areWithout(ref: string): boolean {
    if (/^[0-9a-f]{12,}$/.test(ref) || ref === "nobody" || this.#names.has(nameOf(ref))) return false;
    return ++this.#passedOver % ALL_THE_SAME !== 0;
  }

  /** A client asks for a container of this name. */
  mayComeToBe(name: string): void {
    this.#names.add(name);
  }

  has(name: string): boolean {
    return this.#names.has(name);
  }

  isGone(ref: string): void {
    this.#names.delete(nameOf(ref));
  }
}

/** `#anna:12` is about anna. */
function nameOf(ref: string): string {
  return ref.replace(/^#/, "").replace(/:\d+$/, "");
}
