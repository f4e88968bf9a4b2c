// Drives a dry run: whenever no operation is pending, the event that clients wait for happens at once.

import { turn } from "../shared/index.js";
import type { DryRunClock } from "./clock.js";
import type { Waits } from "./waits.js";
import type { DryRunWorld } from "./world.js";

/**
 * The most leaps of time between two replies: more than any request needs, but it stops timers that renew themselves.
 */
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

  /** Something happened. Checks what comes next once all operations that follow from it are done. */
  stir(): void {
    if (this.#looking || this.#ended) return;
    this.#looking = true;
    void turn().then(() => {
      this.#looking = false;
      if (!this.#ended && !this.#world.busy) this.#look();
    });
  }

  /** A client was answered. The limit of leaps starts again. */
  answered(): void {
    this.#leaps = 0;
  }

  /** Resolves when no operation is pending and no client waits for time to pass. */
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

  /** Makes happen what a client waits for: the end of an imagined process, or the next alarm. */
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
