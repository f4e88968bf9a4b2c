// The interface of invariants, which check the engine after every step, at restarts and at rest. They throw a `Breach`
// if something is wrong.

import type { Input, engine, types } from "../../../hosts/shared/host.js";
import type { ObservedStep, Opening } from "../../../hosts/driver/observer.js";
import type { WorldView } from "../../../hosts/simulated/options.js";
import { CHANGES } from "../commands.js";
import type { Ledger } from "../ledger.js";
import type { Spoilt } from "../worlds/disk.js";

/** A step of the core, before any of its outputs leave. */
export interface Seen extends ObservedStep {
  /** Hash of its outputs. */
  readonly digest: string;
  /** Null for `open`. */
  readonly input: Input | null;
  readonly opening: Opening | null;
  /** Why the core did what it did. */
  readonly notes: readonly engine.Note[];
  /** The records, including this step's. */
  readonly ledger: Ledger;
  /** The number of the step in the whole story. */
  readonly count: number;
  /** The machine's inventory before the effects of this step. */
  found(): engine.Inventory;
  /** The disk usage of the machine. */
  readonly held: Held;
  /** Every record in use, as the instance would write it now. */
  remembered(): engine.Stored[];
}

/** Of so many steps with nothing that calls for it, the state is compared whole after one. */
const WHOLE_EACH = 8;

const CHANGING: ReadonlySet<string> = new Set(CHANGES);

/**
 * Whether what costs much is compared after this step: after each that changes a record or the machine, since what was
 * wrong before may be seen no more once the record is written; after each with a rare input; and after each 8th one.
 */
export function isComparedWhole({ count, input, outputs, ledger }: Seen): boolean {
  if (ledger.changed.length > 0 || count % WHOLE_EACH === 0 || !isUsual(input)) return true;
  return outputs.effects.some(({ to, command }) => to !== "timers" && CHANGING.has(command.tag));
}

/** Null, for `open`, is not usual either. */
function isUsual(input: Input | null): boolean {
  if (input?.tag === "completed") return input.val.outcome.tag === "ok";
  return input?.tag === "request" || input?.tag === "progress" || input?.tag === "drained";
}

/** Sizes on the disk in bytes, or null for a missing object. */
export interface Held {
  sizeOf(container: string): number | null;
  sizeOfVolume(name: string): number | null;
  /** Volumes on which something is mounted. */
  mountedVolumes(): readonly string[];
}

/** What the machine's networks carry. */
export interface Traffic extends Pick<WorldView, "arrival" | "lookUp"> {
  /** An address of the machine. */
  addressOf(family: 4 | 6): string;
}

/** The state when nothing is pending any more, in the engine and in the world. */
export interface AtRest {
  readonly ledger: Ledger;
  readonly found: engine.Inventory;
  readonly held: Held;
  readonly traffic: Traffic;
  readonly now: types.Instant;
  /** Number of the host's pending operations. */
  readonly inFlight: number;
}

export interface Invariant {
  stepped?(seen: Seen): void;
  /** The engine is gone. */
  crashed?(): void;
  /** Called before the step that opens the next engine, if stored data was lost or damaged. */
  spoilt?(what: Spoilt): void;
  rested?(rest: AtRest): void;
}
