// What is drawn for a story: everything follows from its seed.

import { seededRandom } from "../../hosts/simulated/random.js";

export class Draw {
  readonly #next: () => number;

  /** Each purpose has a sequence of its own: what is drawn for one does not change what another gets. */
  constructor(seed: number, purpose: string) {
    const random = seededRandom(seed, purpose);
    this.#next = () => random.next();
  }

  /** A whole number from 0 up to `limit`, exclusive. */
  below(limit: number): number {
    return Math.floor(this.#next() * limit);
  }

  /** True once in so many times. */
  onceIn(times: number): boolean {
    return this.below(times) === 0;
  }

  one<Value>(values: readonly Value[]): Value {
    return values[this.below(values.length)] as Value;
  }

  /** One of those whose weights are given. */
  weighted<Value>(values: readonly (readonly [weight: number, value: Value])[]): Value {
    let left = this.below(values.reduce((sum, [weight]) => sum + weight, 0));
    for (const [weight, value] of values) if ((left -= weight) < 0) return value;
    throw new RangeError("nothing to draw from");
  }

  /** Each with a chance of its own. */
  some(values: readonly (readonly [onceIn: number, value: string])[]): string[] {
    return values.flatMap(([times, value]) => (this.onceIn(times) ? [value] : []));
  }
}
