// The clock of a story's machine: the world's, but that the time of day may be set, and that the machine may sleep. While
// it sleeps nothing in it goes on. Then the time of day has gone on; the monotonic time has on some machines, and on those
// all that became due meanwhile comes at once.

import type { types } from "../../../hosts/shared/host.js";
import type { Pace, SimulatedTime } from "../../../hosts/simulated/time.js";

interface Alarm {
  at: bigint;
  wake: () => void;
  callOff: () => void;
}

export class MachineClock implements SimulatedTime {
  readonly #world: SimulatedTime;
  /** Nanoseconds that the time of day is off. */
  #wall = 0n;
  /** Nanoseconds that the monotonic time is off: what was slept and counted, less what was before the machine began. */
  #monotonic = 0n;
  readonly #alarms = new Set<Alarm>();

  constructor(world: SimulatedTime) {
    this.#world = world;
  }

  /** The time of day is another one, by so many nanoseconds. */
  set(ns: bigint): void {
    this.#wall += ns;
  }

  /** The machine has slept. `isCounted`: its monotonic time has gone on. */
  sleep(ns: bigint, isCounted: boolean): void {
    this.#wall += ns;
    if (!isCounted) return;
    this.#monotonic += ns;
    const alarms = [...this.#alarms].sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));
    for (const alarm of alarms) {
      alarm.callOff();
      this.#set(alarm);
    }
  }

  /** Nanoseconds, of the world's. */
  get ahead(): bigint {
    return this.#wall;
  }

  /** The machine has begun anew, and its monotonic time with it: nobody is left who has asked to be woken. */
  restart(): void {
    for (const { callOff } of this.#alarms) callOff();
    this.#alarms.clear();
    this.#monotonic = -this.#world.now().monotonic;
  }

  now(): types.Instant {
    const { wall, monotonic } = this.#world.now();
    return { wall: wall + this.#wall, monotonic: monotonic + this.#monotonic };
  }

  at(at: bigint, wake: () => void): () => void {
    const alarm: Alarm = { at, wake, callOff: () => {} };
    this.#set(alarm);
    return () => {
      this.#alarms.delete(alarm);
      alarm.callOff();
    };
  }

  get pace(): Pace {
    return this.#world.pace;
  }

  set pace(pace: Pace) {
    this.#world.pace = pace;
  }

  get next(): bigint | null {
    return this.#world.next;
  }

  step(): Promise<boolean> {
    return this.#world.step();
  }

  advance(ns: bigint): Promise<void> {
    return this.#world.advance(ns);
  }

  settle(limit?: bigint): Promise<void> {
    return this.#world.settle(limit);
  }

  enter(act: () => void, at?: bigint): Promise<bigint> {
    return this.#world.enter(act, at);
  }

  #set(alarm: Alarm): void {
    this.#alarms.add(alarm);
    alarm.callOff = this.#world.at(alarm.at - this.#monotonic, () => {
      this.#alarms.delete(alarm);
      alarm.wake();
    });
  }
}
