// Limits what containers hold of something together, and what each holds of it. If there is too much, the oldest of
// whoever holds most ends early. So no container can use up what others need.

/** Something that can end early. */
export interface Endable {
  end(): void;
}

export class Shares<T extends Endable> {
  readonly #held = new Map<string, Set<T>>();
  #total = 0;

  constructor(
    private readonly mostOfAll: number,
    private readonly mostOfOne: number,
  ) {}

  enter(holder: string, one: T): void {
    if (this.#sizeOf(holder) >= this.mostOfOne) this.#endOldest(holder);
    else if (this.#total >= this.mostOfAll) this.#endOldest(this.#largest());
    this.#held.set(holder, (this.#held.get(holder) ?? new Set<T>()).add(one));
    this.#total++;
  }

  /** Whether it was held. */
  leave(holder: string, one: T): boolean {
    const own = this.#held.get(holder);
    if (!own?.delete(one)) return false;
    this.#total--;
    if (own.size === 0) this.#held.delete(holder);
    return true;
  }

  /** Whether one can enter, and nobody has to give way who would then hold less than this holder. */
  hasRoomFor(holder: string): boolean {
    const own = this.#sizeOf(holder);
    if (own >= this.mostOfOne) return false;
    return this.#total < this.mostOfAll || own + 1 < this.#sizeOf(this.#largest());
  }

  endAll(holder: string): void {
    for (const one of [...(this.#held.get(holder) ?? [])]) one.end();
  }

  get total(): number {
    return this.#total;
  }

  #endOldest(holder: string): void {
    const [oldest] = this.#held.get(holder) ?? [];
    if (oldest === undefined) return;
    this.leave(holder, oldest);
    oldest.end();
  }

  #largest(): string {
    return [...this.#held.keys()].reduce((most, holder) => (this.#sizeOf(holder) > this.#sizeOf(most) ? holder : most));
  }

  #sizeOf(holder: string): number {
    return this.#held.get(holder)?.size ?? 0;
  }
}
