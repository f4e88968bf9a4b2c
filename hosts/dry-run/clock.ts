// The clock of a dry run. It is ahead of the live engine's clock by all the waiting that the dry run has skipped.

import TinyQueue from "tinyqueue";
import type { Clock, types } from "../shared/index.js";

interface Alarm {
  at: bigint;
  /** Null if the alarm was cancelled. */
  wake: (() => void) | null;
}

/** The live engine's time is only read. It may run faster than real time, or stand still, so it is polled. */
const LONGEST_LOOK_MS = 60_000;
const NEXT_LOOK_MS = 20;

export class DryRunClock implements Clock {
  readonly #live: Pick<Clock, "now">;
  readonly #alarms = new TinyQueue<Alarm>([], (one, other) => (one.at < other.at ? -1 : one.at > other.at ? 1 : 0));
  #ahead = 0n;
  #look: ReturnType<typeof setTimeout> | null = null;
  /** The alarm that `#look` is for. */
  #lookedFor: Alarm | null = null;
  #closed = false;

  constructor(live: Pick<Clock, "now">) {
    this.#live = live;
  }

  now(): types.Instant {
    const { wall, monotonic } = this.#live.now();
    return { wall: wall + this.#ahead, monotonic: monotonic + this.#ahead };
  }

  at(at: bigint, wake: () => void): () => void {
    const alarm: Alarm = { at, wake };
    this.#alarms.push(alarm);
    this.#wind();
    return () => {
      alarm.wake = null;
    };
  }

  /** Advances to the next alarm, and calls its `wake`. False if there is none. */
  leap(): boolean {
    const alarm = this.#first();
    if (alarm === undefined) return false;
    const early = alarm.at - this.now().monotonic;
    if (early > 0n) this.#ahead += early;
    this.#wake();
    this.#wind();
    return true;
  }

  close(): void {
    this.#closed = true;
    if (this.#look !== null) clearTimeout(this.#look);
  }

  #first(): Alarm | undefined {
    while (this.#alarms.peek()?.wake === null) this.#alarms.pop();
    return this.#alarms.peek();
  }

  #wake(): void {
    const { monotonic } = this.now();
    for (let alarm = this.#first(); alarm !== undefined && alarm.at <= monotonic; alarm = this.#first()) {
      this.#alarms.pop();
      alarm.wake?.();
    }
  }

  #wind(least = 0): void {
    const alarm = this.#first();
    if (alarm === this.#lookedFor || this.#closed) return;
    if (this.#look !== null) clearTimeout(this.#look);
    this.#lookedFor = alarm ?? null;
    this.#look = alarm === undefined ? null : setTimeout(() => this.#looked(), this.#pauseBefore(alarm, least));
  }

  #looked(): void {
    this.#lookedFor = this.#look = null;
    this.#wake();
    this.#wind(NEXT_LOOK_MS);
  }

  #pauseBefore({ at }: Alarm, least: number): number {
    const ms = Math.ceil(Number(at - this.now().monotonic) / 1e6);
    return Math.min(Math.max(ms, least), LONGEST_LOOK_MS);
  }
}
