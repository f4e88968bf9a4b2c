// Gives memory back that a burst of work has taken, once the engine has had a rest, or little to do: the core's, whose
// memory never shrinks by itself, V8's, and the C library's. None of them does it before it is asked.

import { performance } from "node:perf_hooks";
import { setTimeout as pause } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { Driver, Observer } from "../driver/index.js";
import type { ProcessMemory } from "./ground.js";
import type { Log } from "./log.js";

const MEBIBYTE = 1 << 20;
/** Less than that above the least there was is nobody's loss. */
const WORTH_BYTES = 16 * MEBIBYTE;
/** What the core allocates in a few hundred steps: to look through all of its memory again is not worth it before. */
const CORE_BYTES = 4 * MEBIBYTE;
/** How long work is waited for that may follow. */
const FIRST_MS = 5_000;
/** Where little comes of it, it is waited twice as long each time, up to 40 s: so often, too, is looked how much there is. */
const MOST_DOUBLINGS = 3;
/** Then only every other look is a round, every fourth, every eighth: a large heap in use is no surplus. */
const MOST_SKIPPED_DOUBLINGS = 3;
/** Looked through at a time: in some ms, and then whoever waits comes first. */
const PIECE = 8 * MEBIBYTE;
/** Of the core's memory, handed back or not: a multiple of every system's pages. */
const CHUNK = 64 * 1024;
/** Threads of V8's are done by then, as a rule; where they are not, there is a next time. */
const FREED_MS = 200;
/** The part of the time that the process's own thread is at work, from which on whoever asks waits as it is. */
const BUSY = 0.5;
const ZEROS = new Uint8Array(CHUNK);

/** An instance's memory, as `Driver.collectAndWipe` leaves it. */
export type Memory = () => Uint8Array;

/** What holds the core. */
export type CoreHolder = Pick<Driver, "allocatedBytes" | "collectAndWipe">;

export class Surplus implements Observer {
  readonly #system: ProcessMemory | undefined;
  readonly #log: Pick<Log, "warn">;
  readonly #load: () => number;
  #driver: CoreHolder | null = null;
  #timer: NodeJS.Timeout | null = null;
  #isResting = false;
  #isClosed = false;
  /** Of what could not be had, which is told once. */
  readonly #told = new Set<string>();
  /** Rounds one after the other of which little came. */
  #fruitless = 0;
  /** Since the last round. */
  #looks = 0;
  /** Bytes that the last round left. */
  #left = 0;
  #least = Infinity;
  #allocated = 0;

  /**
   * `system`: none that takes memory back, and only V8 is asked to. `load`: the part of the time, since it was asked last,
   * in which there was something to do.
   */
  constructor(system: ProcessMemory | undefined, log: Pick<Log, "warn">, load: () => number = loadOfLoop()) {
    this.#system = system;
    this.#log = log;
    this.#load = load;
  }

  /** To be told as soon as there is one. */
  watch(driver: CoreHolder): void {
    this.#driver = driver;
  }

  opened(): void {
    this.#resident();
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

  /** In the midst of much work nothing is done: what follows it is told, too. */
  async #due(): Promise<void> {
    let gave = false;
    try {
      const before = this.#resident();
      const isBusy = !this.#isResting && this.#load() >= BUSY;
      gave = !isBusy && this.#isWorthIt(before) && (await this.#giveBack(before));
    } finally {
      this.#timer = null;
    }
    // What holds on to the rest may be over soon, without a step of the core's: files that are written, sockets that close.
    if (gave) this.#later();
  }

  #isWorthIt(bytes: number): boolean {
    if (!(bytes - this.#least >= WORTH_BYTES)) return false;
    const skipped = Math.min(Math.max(this.#fruitless - MOST_DOUBLINGS, 0), MOST_SKIPPED_DOUBLINGS);
    // At rest nothing would set another look off: what the last steps have let go of is given back now or never.
    return ++this.#looks >= 2 ** skipped || bytes - this.#left >= WORTH_BYTES || this.#isResting;
  }

  /** Whether much came of it. */
  async #giveBack(before: number): Promise<boolean> {
    await this.#attempt("the core's", () => this.#giveBackCore());
    await this.#attempt("V8's", collectScript);
    await this.#attempt("the C library's", async () => this.#system?.trim());
    this.#left = this.#resident();
    this.#looks = 0;
    const gave = before - this.#left >= WORTH_BYTES;
    this.#fruitless = gave ? 0 : this.#fruitless + 1;
    return gave;
  }

  /** Bytes of the process. Not a number where its files cannot be opened: then nothing is compared, and nothing done. */
  #resident(): number {
    try {
      const bytes = process.memoryUsage.rss();
      this.#least = Math.min(this.#least, bytes);
      return bytes;
    } catch (error) {
      this.#tell("the memory of this process cannot be looked at", error);
      return NaN;
    }
  }

  /** Where one part cannot be had the others still can: all of it is a saving, and no more. */
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
    if (memory !== null) await handBackZeros(memory, (pages) => this.#system?.handBack(pages));
  }
}

/** Piece by piece, each in a turn of its own: the core may step in between. */
export async function handBackZeros(memory: Memory, handBack: (pages: Uint8Array) => void): Promise<void> {
  for (let from = 0; from < memory().length; from += PIECE) {
    for (const pages of zeros(memory().subarray(from, from + PIECE))) handBack(pages);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** Stretches of whole chunks that hold nothing else. */
function* zeros(piece: Uint8Array): Generator<Uint8Array> {
  let begin = 0;
  for (let at = 0; at <= piece.length; at += CHUNK) {
    const isZeros = at < piece.length && Buffer.compare(piece.subarray(at, at + CHUNK), ZEROS) === 0;
    if (isZeros) continue;
    if (at > begin) yield piece.subarray(begin, at);
    begin = at + CHUNK;
  }
}

let collect: (() => void) | undefined;

/** What V8's heap holds that nothing refers to any more, and the bytes of such buffers, which are freed on other threads. */
async function collectScript(): Promise<void> {
  if (collect === undefined) {
    setFlagsFromString("--expose-gc");
    collect = runInNewContext("gc") as () => void;
  }
  collect();
  await pause(FREED_MS);
  // What was waiting for its last word in the first one.
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
