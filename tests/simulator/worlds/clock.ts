// The clock of a story's machine. It follows the world's clock, but the time of day may be set, and the machine may
// sleep. During sleep nothing on it happens. Afterwards the time of day has advanced. On some machines the monotonic
// time has advanced, too, and there all timers that became due fire at once.

import type { types } from "../../../hosts/shared/host.js";
import type { Pace, SimulatedTime } from "../../../hosts/simulated/time.js";

interface Alarm {
  at: bigint;
  wake: () => void;
  callOff: () => void;
}

export class MachineClock implements SimulatedTime {
  readonly #world: SimulatedTime;
  /** Nanoseconds between the world's time of day and this one. */
  #wall = 0n;
  /** The same for the monotonic time: the counted sleep minus the time before the machine started. */
  #monotonic = 0n;
  readonly #alarms = new Set<Alarm>();

  constructor(world: SimulatedTime) {
    this.#world = world;
  }

  /** Changes the time of day by `ns` nanoseconds. */
  set(ns: bigint): void {
    this.#wall += ns;
  }

  /** Lets the machine sleep. `isCounted`: its monotonic time advances, too. */
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

  /** Nanoseconds by which the time of day is ahead of the world's. */
  get ahead(): bigint {
    return this.#wall;
  }

  /** The machine has rebooted. Its monotonic time starts again, and all alarms are gone. */
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

  onChange(changed: () => void): void {
    this.#world.onChange(changed);
  }

  #set(alarm: Alarm): void {
    this.#alarms.add(alarm);
    alarm.callOff = this.#world.at(alarm.at - this.#monotonic, () => {
      this.#alarms.delete(alarm);
      alarm.wake();
    });
  }
}
