// At some steps of a story the engine is cut off after each of their outputs, one cut at a time: on a copy of the machine
// on which just so much was done, another one is opened from just so many records. It says of everything that is settled
// what the one before said, comes to rest with all invariants kept, and a snapshot of it goes on as it does. Then all of
// that is thrown away: the story goes on as if nothing had been.
//
// Taken are every 50th step, each restart's, and those in which there is a kind of output that the story has had a certain
// number of times, another number for each seed and kind; of what is scarce the first.

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

const EVERY = 50;
/** Once in so many times the kind's first is taken, for those that do not come again; or one of the next. */
const FIRST = 3;
const LATEST = 12;

export interface ForksNeeds {
  core: CompiledCore;
  seed: number;
  operations: Operations;
  twins: Twins;
}

export class Forks implements Invariant {
  /** Cuts behind an output, by its kind. */
  readonly counts: OutputCounts = {};
  readonly #needs: ForksNeeds;
  readonly #parts: ForkParts;
  readonly #memory: Instance;
  readonly #draw: Draw;
  /** How many more of a kind come before it is its turn. */
  readonly #left = new Map<string, number>();
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
    if (seen.opening !== null) this.#opening = seen.opening;
    else if (seen.input?.tag === "reloaded") this.#reloaded(seen.input.val);
    const isTaken = this.#isTurnOf(seen.outputs);
    if (this.#isSpoilt) return void (this.#isSpoilt = false);
    if (!isTaken && seen.opening === null && seen.count % EVERY !== 0) return;
    const snapshot = seen.snapshot();
    this.#memory.restore(snapshot);
    this.#needs.twins.follow(snapshot);
    this.#cutAfterEach(seen);
  }

  /** The step that opens an engine from damaged records is not done again from those that can be read. */
  spoilt(): void {
    this.#isSpoilt = true;
  }

  /** The next engine is opened with that. */
  #reloaded(settings: engine.Settings): void {
    const opening = this.#opening as Opening;
    this.#opening = { ...opening, options: { ...opening.options, ...settings } };
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
    let records = ledger.storedBefore();
    this.#cut(seen, memory, { behind: "nothing", machine, records });
    for (const { kind, effect } of outputsOf(outputs)) {
      this.counts[kind] = (this.counts[kind] ?? 0) + 1;
      if (kind === TRANSACTION) records = ledger.stored();
      // What leaves neither a record nor a trace on the machine leaves what the cut before it left. Behind what is scarce
      // there is a cut of its own all the same.
      else if ((effect === null || !machine.perform(effect, waiting)) && !(kind in SCARCE)) continue;
      this.#cut(seen, memory, { behind: kind, machine, records });
    }
  }

  #cut({ ledger, now }: Seen, memory: Questions, { behind, machine, records }: Cut): void {
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
      fork.heal();
    } catch (error) {
      const { rule = "forks" } = error as Partial<Breach>;
      throw new Breach(
        rule,
        `cut off behind ${behind}: ${error instanceof Breach ? error.message : (error as Error).stack}`,
      );
    }
  }
}

/** What an engine leaves that is cut off. */
interface Cut {
  /** Kind of its last output. */
  behind: string;
  machine: Machine;
  records: engine.Stored[];
}
