// What must hold of the engine, looked at after every step, at restarts and at rest. Those who find that it does not
// throw a `Breach`.

import type { Input, engine, types } from "../../../hosts/shared/host.js";
import type { ObservedStep, Opening } from "../../../hosts/driver/observer.js";
import type { Ledger } from "../ledger.js";
import type { Spoilt } from "../worlds/disk.js";

/** A step of the core, before anything of it leaves. */
export interface Seen extends ObservedStep {
  /** Of its outputs. */
  readonly digest: string;
  /** Null for `open`. */
  readonly input: Input | null;
  readonly opening: Opening | null;
  /** Why the core did what it did. */
  readonly notes: readonly engine.Note[];
  /** The records with those of this step. */
  readonly ledger: Ledger;
  /** Counts over the whole story. */
  readonly count: number;
  /** What there is on the machine, before anything of this step is done. */
  found(): engine.Inventory;
  /** What that takes up. */
  readonly held: Held;
  /** Every record in use, as the instance would put it now. */
  remembered(): engine.Stored[];
}

/** Bytes on the disk; null of what is not there. */
export interface Held {
  sizeOf(container: string): number | null;
  sizeOfVolume(name: string): number | null;
}

/** Nothing goes on any more, in engine and world. */
export interface AtRest {
  readonly ledger: Ledger;
  readonly found: engine.Inventory;
  readonly held: Held;
  readonly now: types.Instant;
  /** Operations that the host was asked for and that have not ended. */
  readonly inFlight: number;
}

export interface Invariant {
  stepped?(seen: Seen): void;
  /** The engine is gone. */
  crashed?(): void;
  /** Before the step that opens the next one, if what it is opened with is not what was told to be kept. */
  spoilt?(what: Spoilt): void;
  rested?(rest: AtRest): void;
}
