// The existing names of images, according to requests and answers.

import { Timeline } from "./words.js";

export class Images {
  readonly #there = new Map<string, Timeline<boolean>>();
  /** Pending requests that may add or remove a name. */
  readonly #works = new Map<number, readonly string[]>();
  /** When a name was last worked on. */
  readonly #touched = new Map<string, number>();
  readonly #others: readonly boolean[];
  /** An image may have had more than one name. */
  areShared = false;

  /** `others`: the known state of all other names. */
  constructor(names: readonly string[], others: readonly boolean[] = [false]) {
    this.#others = others;
    for (const name of names) this.#there.set(name, new Timeline(0, [true]));
  }

  /** Whether it may have existed at some time since. */
  during(name: string, since: number): ReadonlySet<boolean> {
    return this.#of(name).during(since);
  }

  begins(now: number, request: number, names: readonly string[]): void {
    this.#works.set(request, names);
    for (const name of names) {
      this.#touch(now, name);
      this.#of(name).set(now, [true, false]);
    }
  }

  /** `isThere`: null if it is unknown. */
  ends(now: number, request: number, since: number, isThere: boolean | null): void {
    const names = this.#works.get(request) ?? [];
    this.#works.delete(request);
    for (const name of names) {
      const alone = ![...this.#works.values()].flat().includes(name) && this.#touched.get(name) === since;
      this.#touch(now, name);
      // What else it may have named is not known by its answer.
      if (alone && isThere !== null && names.length === 1) this.#of(name).set(now, [isThere]);
    }
  }

  /** Anything may have happened to any of them. */
  unknown(now: number): void {
    for (const [name, there] of this.#there) {
      this.#touch(now, name);
      there.set(now, [true, false]);
    }
    this.areShared = true;
  }

  crashed(): void {
    this.#works.clear();
  }

  #touch(now: number, name: string): void {
    this.#touched.set(name, now);
  }

  #of(name: string): Timeline<boolean> {
    const known = this.#there.get(name) ?? new Timeline(0, this.#others);
    this.#there.set(name, known);
    return known;
  }
}
