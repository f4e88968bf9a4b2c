// Tests a crash after each output of some steps, one at a time. The outputs up to that cut are applied to a copy of
// the machine, and another engine (a fork) is opened on it with the records up to that cut. The fork must report the
// same state as the engine before, except for pending operations. It must come to rest with all invariants intact. In
// every eighth fork, an instance restored from its snapshot must do the same. Then the fork is discarded, and the story
// continues unchanged.
//
// The steps are every 50th one, each one that opens an engine, and those in which the n-th output of a kind occurs,
// where n depends on seed and kind. For scarce kinds it is the first one.
//
// A quarter of the cuts leave a state that an earlier one has left, too. Then the fork only answers for the engine at
// this moment, if that differs: it would come to rest as the earlier one did.

import type { engine } from "../../../hosts/shared/host.js";
import { type CompiledCore, Instance } from "../../../hosts/driver/instance.js";
import type { Opening } from "../../../hosts/driver/observer.js";
import type { StepOutputs } from "../../../hosts/shared/outputs.js";
import { Breach } from "../breach.js";
import type { Invariant, Seen } from "../invariants/invariant.js";
import type { Operations } from "../invariants/operations.js";
import { Questions, movedIn } from "../invariants/questions.js";
import { compareRestart } from "../invariants/restarts.js";
import type { Twins } from "../invariants/twins.js";
import { Draw } from "../random.js";
import { Fork, type ForkParts } from "./fork.js";
import { Machine } from "./machine.js";
import { type OutputCounts, TRANSACTION, outputsOf } from "./output-counts.js";
import { SCARCE } from "./scarce.js";
import { States, stateOf } from "./states.js";

const EVERY = 50;
/** With a probability of one third, n is the first output of the kind, which may be the only one. */
const FIRST = 3;
const LATEST = 12;
/** Of so many forks that come to rest, a twin follows one. */
const FOLLOWED_EACH = 8;
/** Of so many steps with cuts, a twin follows the story's engine after one. */
const TWINS_EACH = 4;

export interface ForksNeeds {
  core: CompiledCore;
  seed: number;
  operations: Operations;
  twins: Twins;
}

export class Forks implements Invariant {
  /** Number of cuts after each kind of output. */
  readonly counts: OutputCounts = {};
  readonly #needs: ForksNeeds;
  readonly #parts: ForkParts;
  readonly #memory: Instance;
  readonly #draw: Draw;
  /** How many more outputs of a kind come before the chosen one. */
  readonly #left = new Map<string, number>();
  /** States in which a fork has come to rest, opened with the same options. */
  readonly #healed = new States();
  /** How many steps had cuts. */
  #taken = 0;
  /** How many forks came to rest. */
  #heals = 0;
  #opening: Opening | null = null;
  #isSpoilt = false;

  constructor(needs: ForksNeeds) {
    const { core, seed } = needs;
    const instance = new Instance(core);
    this.#needs = needs;
    this.#draw = new Draw(seed, "forks");
    this.#memory = new Instance(core);
    this.#parts = { instance, twin: new Instance(core), unopened: instance.snapshot(), rules: instance.rules() };
  }

  stepped(seen: Seen): void {
    if (seen.opening !== null) this.#opens(seen.opening);
    else if (seen.input?.tag === "reloaded") this.#reloaded(seen.input.val);
    const isTaken = this.#isTurnOf(seen.outputs);
    if (this.#isSpoilt) return void (this.#isSpoilt = false);
    if (!isTaken && seen.opening === null && seen.count % EVERY !== 0) return;
    const snapshot = seen.snapshot();
    this.#memory.restore(snapshot);
    if (this.#taken++ % TWINS_EACH === 0) this.#needs.twins.follow(snapshot);
    this.#cutAfterEach(seen);
  }

  /** Skips the step that opens an engine from damaged records, since a fork would get only the readable ones. */
  spoilt(): void {
    this.#isSpoilt = true;
  }

  /** The next engine is opened with these settings. */
  #reloaded(settings: engine.Settings): void {
    const opening = this.#opening as Opening;
    this.#opens({ ...opening, options: { ...opening.options, ...settings } });
  }

  #opens(opening: Opening): void {
    this.#opening = opening;
    this.#healed.clear();
  }

  #isTurnOf(outputs: StepOutputs): boolean {
    let isTurn = false;
    for (const { kind } of outputsOf(outputs)) {
      const left = this.#left.get(kind) ?? this.#turnOf(kind);
      this.#left.set(kind, left - 1);
      if (left === 0) isTurn = true;
    }
    return isTurn;
  }

  #turnOf(kind: string): number {
    return kind in SCARCE || this.#draw.onceIn(FIRST) ? 0 : this.#draw.below(LATEST);
  }

  #cutAfterEach(seen: Seen): void {
    const { ledger, outputs, now } = seen;
    const machine = new Machine(seen.found(), ledger);
    const waiting = this.#needs.operations.subjectsBut(outputs.effects);
    const memory = new Questions(this.#memory, now);
    const compared = new States();
    let records = ledger.storedBefore();
    this.#cut(seen, memory, { behind: "nothing", machine, records }, compared);
    for (const { kind, effect } of outputsOf(outputs)) {
      this.counts[kind] = (this.counts[kind] ?? 0) + 1;
      if (kind === TRANSACTION) records = ledger.stored();
      // An output that changes neither records nor the machine leaves the same state as the cut before, so it needs no
      // cut of its own, unless its kind is scarce.
      else if ((effect === null || !machine.perform(effect, waiting)) && !(kind in SCARCE)) continue;
      this.#cut(seen, memory, { behind: kind, machine, records }, compared);
    }
  }

  /** `compared`: the states that this step's earlier cuts have left. */
  #cut({ ledger, now }: Seen, memory: Questions, { behind, machine, records }: Cut, compared: States): void {
    const state = stateOf(machine, records);
    if (!compared.isNew(state)) return;
    const fork = new Fork(this.#parts, machine.copy(ledger), now);
    try {
      const notes = fork.open(this.#opening as Opening, records);
      compareRestart("forks", {
        ...{ memory, records: new Questions(fork, now), moved: movedIn(notes) },
        ...{ kept: fork.ledger, before: ledger.records, processes: fork.processes },
        isWhole:
          records.length === ledger.records.size &&
          records.every(({ key, value }) => ledger.records.get(key) === value),
      });
      if (this.#healed.isNew(state)) fork.heal(this.#heals++ % FOLLOWED_EACH === 0);
    } catch (error) {
      const { rule = "forks" } = error as Partial<Breach>;
      throw new Breach(
        rule,
        `cut off after ${behind}: ${error instanceof Breach ? error.message : (error as Error).stack}`,
      );
    }
  }
}

/** The state that an engine leaves at a cut. */
interface Cut {
  /** The kind of its last output. */
  behind: string;
  machine: Machine;
  records: engine.Stored[];
}
