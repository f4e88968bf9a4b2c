// Whom clients may know of: as people look whom there is before they ask, few requests are about nobody.

/** One in so many of those is sent all the same. */
const ALL_THE_SAME = 8;

export class Acquaintances {
  /** Names of containers that may be there, as far as answers have told. */
  readonly #names = new Set<string>();
  #passedOver = 0;

  /** Whether a request about it is better not sent. Ids, and who is nobody by name, may be asked about always. */
  areWithout(ref: string): boolean {
    if (/^[0-9a-f]{12,}$/.test(ref) || ref === "nobody" || this.#names.has(nameOf(ref))) return false;
    return ++this.#passedOver % ALL_THE_SAME !== 0;
  }

  /** Somebody asks that it be made, or be called so. */
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
