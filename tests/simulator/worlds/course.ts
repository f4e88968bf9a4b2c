// Runs a story's world: a machine, the mischief on it, and its events, one after the other.

import type { Transport } from "../../../hosts/registry/transport.js";
import type { records } from "../../../hosts/shared/host.js";
import { simulatedHost } from "../../../hosts/simulated/host.js";
import type { SimulatedHost } from "../../../hosts/simulated/options.js";
import { faultOf } from "../faults.js";
import { job } from "./job.js";
import { liar } from "./liar.js";
import { TAKER, Taker } from "./taker.js";
import { Mischief, type MischiefWatcher } from "./mischief.js";
import type { Trick } from "./trick.js";
import { probes } from "./probe.js";

/** The world runs at most this many events to come to rest. */
export const REST_EVENTS = 20_000;

const SECOND = 1_000_000_000n;

export class Course {
  readonly machine: SimulatedHost;
  readonly mischief: Mischief;
  readonly taker: Taker;
  /** Called after each event, which may have killed an engine. */
  readonly #look: () => Promise<void>;

  constructor(seed: number, watcher: MischiefWatcher, look: () => Promise<void>) {
    this.taker = new Taker(seed);
    const elsewhere: Transport = (request) =>
      new URL(request.url).host === TAKER ? this.taker.transport(request) : liar(request);
    this.machine = simulatedHost({ seed, pace: "stopped", programs: { job, probe: probes() }, elsewhere });
    this.mischief = new Mischief(this.machine, seed, watcher);
    this.#look = look;
  }

  /** The stored journal entries from a position on. */
  journal(position: bigint): records.JournalEntry[] {
    return this.mischief.disk.journal.page({ from: { tag: "position", val: position }, bytes: 0xffff_ffff }).entries;
  }

  /** Runs one event of the world. False if there is none. */
  async event(): Promise<boolean> {
    const ran = await this.machine.timers.step();
    await this.#look();
    return ran;
  }

  async work(events: number): Promise<void> {
    for (let left = events; left > 0; left--) await this.event();
  }

  async pass(ns: bigint): Promise<void> {
    const { timers } = this.machine;
    const until = timers.now().monotonic + ns;
    for (let events = 0; ; events++) {
      const { next } = timers;
      if (next === null || next > until || events > REST_EVENTS) break;
      await this.event();
    }
    const left = until - timers.now().monotonic;
    if (left > 0n) await timers.advance(left);
  }

  /** Reboots the machine, which also ends its engine. */
  reboot(): void {
    this.machine.reboot();
    this.mischief.clock.restart();
    this.mischief.ports.restart();
  }

  /** Other mishaps of the machine. Throws for an unknown word. */
  mishap(word: string, [first = "", second = "", ...rest]: readonly string[]): void {
    const { clock, disk, ports, reading } = this.mischief;
    switch (word) {
      case "clock":
        return clock.set(BigInt(first) * SECOND);
      case "suspend":
        return clock.sleep(BigInt(first) * SECOND, second === "counted");
      case "hold":
        return ports.hold(Number(first));
      case "snatch":
        return ports.snatch(Number(first));
      case "read":
        return reading.add([first, second, ...rest]);
      case "damage":
        return disk.damage(first, second, Number(rest[0] ?? "0"));
      default:
        throw new Error(`no such line: ${word}`);
    }
  }

  /** `words`: a fault's line without its first word (`faults.ts`). */
  fault(words: readonly string[]): void {
    const { fault, times } = faultOf(words);
    this.machine.faults.inject(fault, times ?? undefined);
  }

  trick(trick: Trick): void {
    this.mischief.tricks.push(trick);
  }

  /** Lifts all faults and tricks. */
  lift(): void {
    for (const { fault } of [...this.machine.faults.set]) this.machine.faults.lift(fault.kind);
    this.mischief.tricks = [];
    this.mischief.refusals = [];
    this.mischief.ports.letGo();
    this.mischief.reading.lift();
  }
}
