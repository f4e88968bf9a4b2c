// How a dry run goes on: whenever nothing is under way, what is waited for comes at once.

import { turn } from "../shared/turn.js";
import type { DryRunClock } from "./clock.js";
import type { Waits } from "./waits.js";
import type { DryRunWorld } from "./world.js";

/** Between two answers: more than any request waits for, and an end to timers that set themselves again. */
const MOST_LEAPS = 10_000;

export class Course {
  readonly #world: DryRunWorld;
  readonly #clock: DryRunClock;
  readonly #waits: Waits;
  #looking = false;
  #leaps = 0;
  #resting: (() => void)[] = [];
  #ended = false;

  constructor(world: DryRunWorld, clock: DryRunClock, waits: Waits) {
    this.#world = world;
    this.#clock = clock;
    this.#waits = waits;
  }

  /** Something happened: it is looked at what follows once all that it set off is done. */
  stir(): void {
    if (this.#looking || this.#ended) return;
    this.#looking = true;
    void turn().then(() => {
      this.#looking = false;
      if (!this.#ended && !this.#world.busy) this.#look();
    });
  }

  /** Somebody was answered: what comes next may take as long again. */
  answered(): void {
    this.#leaps = 0;
  }

  /** Resolves when nothing is under way and nobody waits for what time brings. */
  rested(): Promise<void> {
    if (this.#ended) return Promise.resolve();
    const rested = new Promise<void>((resolve) => this.#resting.push(resolve));
    this.stir();
    return rested;
  }

  end(): void {
    this.#ended = true;
    this.#rest();
  }

  /** What is waited for: the end of a process that nobody knows how long it would run, or a time. */
  #look(): void {
    if (this.#endAwaited()) return this.stir();
    if (this.#waits.forTime && this.#leaps++ < MOST_LEAPS && this.#clock.leap()) return this.stir();
    this.#rest();
  }

  #rest(): void {
    for (const rested of this.#resting.splice(0)) rested();
  }

  #endAwaited(): boolean {
    const { imagined } = this.#world;
    const awaited = this.#waits.awaited((run) => imagined.runs(run));
    for (const subject of awaited) imagined.end(subject, 0);
    return awaited.length > 0;
  }
}
