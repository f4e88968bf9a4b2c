// A session of dry runs: what its clients ask one after the other is decided by one instance, which sees what it has
// imagined before. It begins with a request, and ends when it is told to, when it traps, or when nothing was asked of it
// for a while. As long as it has only been asked to read it is begun anew now and then, so that it shows what is true.

import type { Passage } from "../request/index.js";
import type { DryRun } from "./dry-run.js";
import { markedChannel, planChannel } from "./channels.js";
import type { Plan } from "./format.js";
import { isReading } from "./waits.js";

/** Since the last request was over. */
const LONGEST_IDLE_MS = 5 * 60_000;
/** What is asked within it sees one state. */
const FRESH_MS = 1000;

/**
 * Makes a dry run. `over` is called when a request of it is over, `gone` when it has ended. Rejects when there is nothing
 * to make one from.
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

  /** The way of a request with this method; `isPlanned`: to what it adds to the plan. Rejects as `Begin` does. */
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

  /** Forgets what it has imagined: the next request begins another. */
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
    // One that has ended before anything was asked of it refuses what is.
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
