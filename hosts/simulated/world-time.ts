// The simulated world's clock: see `time.ts`. Events run one at a time, and each includes everything that it causes.

import TinyQueue from "tinyqueue";
import { turn } from "../shared/index.js";
import type { types } from "../shared/index.js";
import type { Pace, SimulatedTime } from "./time.js";

/** 2026-01-01T00:00:00Z. */
export const DEFAULT_BEGINNING = 1_767_225_600_000_000_000n;

export interface WorldTimeOptions {
  /** Time of day when the world begins. */
  begins?: types.WallTime;
  pace?: Pace;
  /** Real time in milliseconds, from any starting point. */
  real?: () => number;
}

/**
 * Events run in the order of their moments. Events of the same moment run in the order in which they were added; those
 * from outside run last. An event is over after one turn of the platform's event loop: by then every promise that it
 * settled has been handled.
 */
export class WorldTime implements SimulatedTime {
  readonly #begins: bigint;
  readonly #real: () => number;
  readonly #queue = new TinyQueue<WorldEvent>([], compare);
  /** When the current pace began: real milliseconds and world nanoseconds. */
  #anchor: { real: number; world: bigint };
  #pace: Pace;
  #now = 0n;
  #sequence = 0;
  #lastEntered = -1n;
  /** An event has begun and is not over. */
  #inEvent = false;
  /** The running event, or the last one. The next event waits for it. */
  #last: Promise<unknown> = Promise.resolve();
  #isRunning = false;
  #alarm: { at: bigint; timer: ReturnType<typeof setTimeout> } | null = null;
  #awaited = 0;
  #closed = false;
  #changed = (): void => {};

  constructor({
    begins = DEFAULT_BEGINNING,
    pace = { times: 1 },
    real = () => performance.now(),
  }: WorldTimeOptions = {}) {
    this.#begins = begins;
    this.#real = real;
    this.#pace = pace;
    this.#anchor = { real: real(), world: 0n };
  }

  get pace(): Pace {
    return this.#pace;
  }

  set pace(pace: Pace) {
    this.#setAnchor();
    this.#pace = pace;
    this.#wind();
  }

  get next(): bigint | null {
    return this.#first()?.at ?? null;
  }

  now(): types.Instant {
    const monotonic = this.#catchUp();
    return { wall: this.#begins + monotonic, monotonic };
  }

  at(at: bigint, wake: () => void): () => void {
    const event = this.#add(max(at, this.#catchUp()), false, wake);
    this.#wind();
    return () => {
      event.act = null;
      this.#changed();
    };
  }

  async step(): Promise<boolean> {
    const ran = await this.#runOne(() => true);
    this.#wind();
    return ran;
  }

  async advance(ns: bigint): Promise<void> {
    const until = this.#catchUp() + ns;
    await this.#runWhile((event) => event.at <= until);
    this.#now = max(this.#now, until);
    this.#changed();
    this.#setAnchor();
    this.#wind();
  }

  async settle(limit?: bigint): Promise<void> {
    const until = limit === undefined ? null : this.#catchUp() + limit;
    await this.#runWhile((event) => until === null || event.at <= until);
    this.#setAnchor();
    this.#wind();
  }

  enter(act: () => void, at = 0n): Promise<bigint> {
    const now = max(this.#catchUp(), this.#lastEntered + 1n);
    const moment = max(now, at);
    this.#lastEntered = max(this.#lastEntered, moment);
    return new Promise((resolve, reject) => {
      const event = this.#add(moment, true, act, { resolve: () => resolve(moment), reject });
      // An action for now runs now, whatever the pace.
      if (moment === now) void this.#runWhile(() => event.act !== null).then(() => this.#wind());
      else this.#wind();
    });
  }

  onChange(changed: () => void): void {
    this.#changed = changed;
  }

  /**
   * Waits for something outside the world, such as a registry of the real network. Until then time passes no faster
   * than real time, so that the response does not come too late in the world's time.
   */
  async beyond<T>(pending: Promise<T>): Promise<T> {
    this.#await(1);
    try {
      return await pending;
    } finally {
      this.#await(-1);
    }
  }

  /** Ends time: no event runs any more. */
  close(): void {
    this.#closed = true;
    for (const event of this.#queue.data) event.act = null;
    this.#stopAlarm();
  }

  #await(more: number): void {
    const awaited = this.#awaited + more;
    // The time may be behind, if events are. With a new anchor it would stay so.
    if (this.#speed(awaited) !== this.#speed()) this.#setAnchor();
    this.#awaited = awaited;
    this.#wind();
  }

  /** The current pace, if so much outside the world is waited for. */
  #speed(awaited = this.#awaited): number | "fast" | "stopped" {
    const speed = typeof this.#pace === "object" ? this.#pace.times : this.#pace;
    if (awaited === 0 || speed === "stopped") return speed;
    return speed === "fast" ? 1 : Math.min(speed, 1);
  }

  /** The world's time according to the pace. */
  #target(speed: number): bigint {
    return this.#anchor.world + BigInt(Math.round((this.#real() - this.#anchor.real) * 1e6 * speed));
  }

  /** Between events, advances the time with real time, at most to the next event. Returns the time. */
  #catchUp(): bigint {
    const speed = this.#speed();
    if (typeof speed !== "number" || this.#inEvent || this.#closed) return this.#now;
    const target = this.#target(speed);
    const due = this.next;
    this.#now = max(this.#now, due === null || target < due ? target : due);
    return this.#now;
  }

  /** The pace changed: timers are set again. */
  #setAnchor(): void {
    this.#catchUp();
    this.#anchor = { real: this.#real(), world: this.#now };
    this.#stopAlarm();
  }

  #add(at: bigint, entered: boolean, act: () => void, over: Over = UNHEARD): WorldEvent {
    const event: WorldEvent = { at, entered, sequence: this.#sequence++, act: this.#closed ? null : act, over };
    if (this.#closed) return event;
    this.#queue.push(event);
    this.#changed();
    return event;
  }

  /** The next event. Cancelled events are dropped. */
  #first(): WorldEvent | undefined {
    while (this.#queue.peek()?.act === null) this.#queue.pop();
    return this.#queue.peek();
  }

  /** Runs due events now, or sets a timer for the next one. */
  #wind(): void {
    if (this.#isRunning || this.#closed) return;
    const event = this.#first();
    const speed = this.#speed();
    if (event === undefined || speed === "stopped") return this.#stopAlarm();
    if (speed === "fast" || this.#target(speed) >= event.at) return void this.#run();
    if (this.#alarm?.at === event.at) return;
    this.#stopAlarm();
    const ms = Number(event.at - this.#target(speed)) / 1e6 / speed;
    this.#alarm = { at: event.at, timer: setTimeout(() => this.#ring(), Math.min(ms, LONGEST_MS)) };
  }

  #ring(): void {
    this.#alarm = null;
    this.#wind();
  }

  #stopAlarm(): void {
    if (this.#alarm !== null) clearTimeout(this.#alarm.timer);
    this.#alarm = null;
  }

  /** Runs the events that the pace allows, after the caller has finished. */
  async #run(): Promise<void> {
    this.#isRunning = true;
    this.#stopAlarm();
    await turn();
    await this.#runWhile((event) => this.#isDue(event));
    this.#isRunning = false;
    this.#wind();
  }

  #isDue(event: WorldEvent): boolean {
    const speed = this.#speed();
    return speed === "fast" || (speed !== "stopped" && event.at <= this.#target(speed));
  }

  async #runWhile(may: (event: WorldEvent) => boolean): Promise<void> {
    while (await this.#runOne(may));
  }

  /** Runs the next event once the one before is over. False if there is none or it may not run. */
  #runOne(may: (event: WorldEvent) => boolean): Promise<boolean> {
    const run = this.#last.then(() => {
      const event = this.#first();
      if (event === undefined || this.#closed || !may(event)) return false;
      this.#queue.pop();
      return this.#perform(event);
    });
    this.#last = run;
    return run;
  }

  async #perform(event: WorldEvent): Promise<boolean> {
    const act = event.act;
    event.act = null;
    this.#now = max(this.#now, event.at);
    this.#inEvent = true;
    try {
      act?.();
    } catch (error) {
      event.over.reject(error);
    }
    await turn();
    this.#inEvent = false;
    this.#changed();
    event.over.resolve();
    return true;
  }
}

interface WorldEvent {
  readonly at: bigint;
  readonly entered: boolean;
  readonly sequence: number;
  /** Null once it has run or was cancelled. */
  act: (() => void) | null;
  readonly over: Over;
}

/** Callbacks for the end of an event. */
interface Over {
  resolve(): void;
  reject(error: unknown): void;
}

/** Errors reach the program as uncaught errors, like those of a platform's own timers. */
const UNHEARD: Over = {
  resolve: () => {},
  reject: (error) =>
    queueMicrotask(() => {
      throw error;
    }),
};

/** The longest delay that timers support. */
const LONGEST_MS = 2_147_483_647;

function compare(a: WorldEvent, b: WorldEvent): number {
  if (a.at !== b.at) return a.at < b.at ? -1 : 1;
  if (a.entered !== b.entered) return a.entered ? 1 : -1;
  return a.sequence - b.sequence;
}

function max(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}
