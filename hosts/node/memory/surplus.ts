// Gives memory back to the system after a burst of work, once the engine is idle or has little to do. The start is such a
// burst, too. This is memory of the core, of V8 and of the C library, and pages of the records' file and of Node's program.
// None of them is given back by itself.

import { performance } from "node:perf_hooks";
import { setTimeout as pause } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { Driver, Observer } from "../../driver/index.js";
import type { ProcessMemory } from "../ground.js";
import type { Log } from "../log.js";
import { handBackZeros } from "./zero-pages.js";

const MEBIBYTE = 1 << 20;
/** A round starts only if the process has this much more than its lowest level so far. */
const WORTH_BYTES = 16 * MEBIBYTE;
/** The core's memory is scanned again only after the core has allocated this much, in a few hundred steps. */
const CORE_BYTES = 4 * MEBIBYTE;
/** How long to wait before a round, in case more work follows. */
const FIRST_MS = 5_000;
/** If a round gains little, the wait doubles, up to 20 s. Memory is measured as rarely. */
const MOST_DOUBLINGS = 2;
/** After so many rounds that gained little, measurements are skipped. */
const SKIPS_AFTER = 3;
/**
 * If more rounds gain little, only every second, fourth, then eighth measurement starts a round: the memory is in use.
 */
const MOST_SKIPPED_DOUBLINGS = 3;
/** V8's threads have usually finished by then. If not, the next round gives back the rest. */
const FREED_MS = 200;
/**
 * If the main thread is busy for more than this part of the time, no round starts, because clients already have to
 * wait.
 */
const BUSY = 0.5;

/** A file that is mapped, if no thread will map it elsewhere in this turn of the event loop. */
export type QuietFile = () => string | null;

/** The driver that holds the core. */
export type CoreHolder = Pick<Driver, "allocatedBytes" | "collectAndWipe">;

export class Surplus implements Observer {
  readonly #system: ProcessMemory | undefined;
  readonly #log: Pick<Log, "warn">;
  readonly #load: () => number;
  readonly #quietFile: QuietFile;
  #driver: CoreHolder | null = null;
  #timer: NodeJS.Timeout | null = null;
  #isResting = false;
  /** Nothing has been given back since the start. */
  #isNew = true;
  #isClosed = false;
  /** Failures that were logged already: each is logged once. */
  readonly #told = new Set<string>();
  /** Number of consecutive rounds that gained little, since the memory has grown. */
  #fruitless = 0;
  /** Checks since the last round. */
  #looks = 0;
  /** Bytes left after the last round. */
  #left = 0;
  #least = Infinity;
  #allocated = 0;

  /**
   * `system`: if undefined, only V8 can give memory back. `quietFile`: of the records. `load`: the part of the time
   * since its last call in which the main thread was busy.
   */
  constructor(
    system: ProcessMemory | undefined,
    log: Pick<Log, "warn">,
    quietFile: QuietFile = () => null,
    load: () => number = loadOfLoop(),
  ) {
    this.#system = system;
    this.#log = log;
    this.#quietFile = quietFile;
    this.#load = load;
  }

  /** Call this as soon as there is a driver. */
  watch(driver: CoreHolder): void {
    this.#driver = driver;
  }

  opened(): void {
    this.#bytes();
  }

  stepped(): void {
    this.#isResting = false;
    this.#later();
  }

  rested(): void {
    this.#isResting = true;
    this.#later();
  }

  lost(): void {}

  close(): void {
    this.#isClosed = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
  }

  #later(): void {
    if (this.#isClosed || this.#timer !== null) return;
    this.#load();
    const wait = FIRST_MS * 2 ** Math.min(this.#fruitless, MOST_DOUBLINGS);
    this.#timer = setTimeout(() => void this.#due(), wait).unref();
  }

  /** Does nothing while there is much work. There will be another call after it. */
  async #due(): Promise<void> {
    let wasRound = false;
    try {
      const before = this.#bytes();
      const isBusy = !this.#isResting && this.#load() >= BUSY;
      wasRound = !isBusy && this.#isWorthIt(before);
      if (wasRound) await this.#giveBack(before);
    } finally {
      this.#timer = null;
    }
    // What holds the rest may soon end without a step of the core: files being written, sockets closing. And V8 gives
    // back room for new objects (up to 32 MiB) only once few were made for some seconds.
    if (wasRound && this.#fruitless < 2) this.#later();
  }

  #isWorthIt(bytes: number): boolean {
    if (this.#isNew && this.#isResting) return !Number.isNaN(bytes);
    if (!(bytes - this.#least >= WORTH_BYTES)) return false;
    const skipped = Math.min(Math.max(this.#fruitless - SKIPS_AFTER, 0), MOST_SKIPPED_DOUBLINGS);
    // While the engine is idle, no further check happens. So what its last steps have released must be given back now.
    return ++this.#looks >= 2 ** skipped || bytes - this.#left >= WORTH_BYTES || this.#isResting;
  }

  async #giveBack(before: number): Promise<void> {
    this.#isNew = false;
    const hasGrown = before - this.#left >= WORTH_BYTES;
    await this.#attempt("the core's", () => this.#giveBackCore());
    await this.#attempt("V8's", collectScript);
    await this.#attempt("the records'", async () => this.#giveBackFile());
    await this.#attempt("the C library's", async () => this.#system?.trim());
    // Last, since the other parts need pages of it.
    await this.#attempt("the program's", async () => this.#system?.handBackProgram());
    this.#left = this.#bytes();
    this.#looks = 0;
    const gainedMuch = before - this.#left >= WORTH_BYTES;
    this.#fruitless = gainedMuch ? 0 : hasGrown ? 1 : this.#fruitless + 1;
  }

  /**
   * Bytes of the process, without pages of files where the system tells them apart: those of the program come and go.
   * NaN if the system's files cannot be opened; then nothing is compared, and nothing done.
   */
  #bytes(): number {
    try {
      const bytes = this.#system?.ownBytes ?? process.memoryUsage.rss();
      this.#least = Math.min(this.#least, bytes);
      return bytes;
    } catch (error) {
      this.#tell("the memory of this process cannot be looked at", error);
      return NaN;
    }
  }

  /** If one part fails, the others still work: giving memory back is only an optimization. */
  async #attempt(whose: string, giveBack: () => Promise<void>): Promise<void> {
    try {
      await giveBack();
    } catch (error) {
      this.#tell(`memory of ${whose} cannot be given back`, error);
    }
  }

  #tell(what: string, error: unknown): void {
    if (this.#told.has(what)) return;
    this.#told.add(what);
    this.#log.warn(what, { error: String(error) });
  }

  async #giveBackCore(): Promise<void> {
    const driver = this.#driver;
    if (driver === null || this.#system === undefined) return;
    if ((driver.allocatedBytes - this.#allocated) >>> 0 < CORE_BYTES) return;
    const memory = driver.collectAndWipe();
    this.#allocated = driver.allocatedBytes;
    if (memory !== null) await handBackZeros(memory, this.#system);
  }

  /** The kernel keeps what it read of a mapped file, and fifteen pages around each. Few of them are needed again. */
  #giveBackFile(): void {
    const file = this.#quietFile();
    if (file !== null) this.#system?.handBackFile(file);
  }
}

let collect: (() => void) | undefined;

/** Frees unreachable objects of V8's heap, and the bytes of their buffers, which other threads free. */
async function collectScript(): Promise<void> {
  if (collect === undefined) {
    setFlagsFromString("--expose-gc");
    collect = runInNewContext("gc") as () => void;
  }
  collect();
  await pause(FREED_MS);
  // Objects that waited for their finalizers in the first round.
  collect();
  await pause(FREED_MS);
}

function loadOfLoop(): () => number {
  let last = performance.eventLoopUtilization();
  return () => {
    const { utilization } = performance.eventLoopUtilization(last);
    last = performance.eventLoopUtilization();
    return utilization;
  };
}
