// A session of dry runs: one instance decides the requests of all its clients, so each builds on the ones before it.
// It begins with a request. It ends on demand, when its core traps, or when it has been idle for a while. As long as
// all its requests only read, it is restarted from time to time, so that it shows the live engine's current state.

import type { Passage } from "../request/index.js";
import type { DryRun } from "./dry-run.js";
import { markedChannel, planChannel } from "./channels.js";
import type { Plan } from "./format.js";
import { isReading } from "./waits.js";

/** A session ends this long after its last request. */
const LONGEST_IDLE_MS = 5 * 60_000;
/** Requests within this time see the same state. */
const FRESH_MS = 1000;

/**
 * Makes a dry run. Calls `over` when one of its requests is over, and `gone` when it has ended. Rejects if there is no
 * instance to copy.
 */
export type Begin = (over: () => void, gone: () => void) => Promise<DryRun>;

export class DryRunSession {
  readonly #begin: Begin;
  #dryRun: DryRun | null = null;
  #beginning: Promise<DryRun> | null = null;
  #begunAt = 0;
  #hasChanged = false;
  #idle: ReturnType<typeof setTimeout> | undefined;

  constructor(begin: Begin) {
    this.#begin = begin;
  }

  /**
   * A passage for a request with this method. `isPlanned`: the client wants its part of the plan. Rejects as `Begin`.
   */
  async passage(method: string, isPlanned = false): Promise<Passage> {
    const door = await this.#current();
    if (!isReading(method)) this.#hasChanged = true;
    clearTimeout(this.#idle);
    const channel = isPlanned ? planChannel(door.planned()) : markedChannel;
    return { door, channel, unused: () => this.#over() };
  }

  plan(): Plan {
    return this.#dryRun?.plan() ?? { format: "coracle-dry-run", version: 2, began: null, now: null, left: 0, plan: [] };
  }

  /** Ends the current dry run. The next request begins another. */
  end(why = "the dry run was ended"): void {
    clearTimeout(this.#idle);
    const dryRun = this.#dryRun;
    this.#dryRun = null;
    dryRun?.end(why);
  }

  async #current(): Promise<DryRun> {
    if (this.#dryRun !== null && this.#isStale(this.#dryRun)) this.end();
    return this.#dryRun ?? (this.#beginning ??= this.#beginOne().finally(() => (this.#beginning = null)));
  }

  #isStale(dryRun: DryRun): boolean {
    return !this.#hasChanged && !dryRun.isUsed && performance.now() - this.#begunAt > FRESH_MS;
  }

  async #beginOne(): Promise<DryRun> {
    this.#begunAt = performance.now();
    this.#hasChanged = false;
    let dryRun: DryRun | null = null;
    let isGone = false;
    const gone = (): void => {
      isGone = true;
      if (this.#dryRun === dryRun) this.#dryRun = null;
    };
    dryRun = await this.#begin(() => this.#over(), gone);
    // If it has already ended, it is not kept, and refuses the request.
    if (!isGone) this.#dryRun = dryRun;
    return dryRun;
  }

  #over(): void {
    if (this.#dryRun === null || this.#dryRun.isUsed) return;
    clearTimeout(this.#idle);
    this.#idle = setTimeout(() => this.end(), LONGEST_IDLE_MS);
    // A program that embeds an engine need not wait for it.
    (this.#idle as { unref?: () => void }).unref?.();
  }
}
