// Draws the random choices of a story, all from its seed.

import { seededRandom } from "../../hosts/simulated/random.js";

export class Draw {
  readonly #next: () => number;

  /** Each purpose has its own sequence, so that draws for one do not change another. */
  constructor(seed: number, purpose: string) {
    const random = seededRandom(seed, purpose);
    this.#next = () => random.next();
  }

  /** A whole number from 0 to `limit` - 1. */
  below(limit: number): number {
    return Math.floor(this.#next() * limit);
  }

  /** True with a probability of 1 / `times`. */
  onceIn(times: number): boolean {
    return this.below(times) === 0;
  }

  one<Value>(values: readonly Value[]): Value {
    return values[this.below(values.length)] as Value;
  }

  /** One of the values, by their weights. */
  weighted<Value>(values: readonly (readonly [weight: number, value: Value])[]): Value {
    let left = this.below(values.reduce((sum, [weight]) => sum + weight, 0));
    for (const [weight, value] of values) if ((left -= weight) < 0) return value;
    throw new RangeError("nothing to draw from");
  }

  /** Any of the values, each with a probability of 1 / `onceIn`. */
  some(values: readonly (readonly [onceIn: number, value: string])[]): string[] {
    return values.flatMap(([times, value]) => (this.onceIn(times) ? [value] : []));
  }
}
