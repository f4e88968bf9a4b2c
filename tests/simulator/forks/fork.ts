// A fork: an engine on a copy of the machine. It is opened after a cut, as the next engine would be, and runs until it
// comes to rest. On its machine every command succeeds.

import type { Input, engine, types } from "../../../hosts/shared/host.js";
import type { Instance } from "../../../hosts/driver/instance.js";
import type { Opening } from "../../../hosts/driver/observer.js";
import type { HostEffect, StepOutputs } from "../../../hosts/shared/outputs.js";
import { Failed } from "../../core/crash/world.js";
import { Breach } from "../breach.js";
import { digest, shortened } from "../digest.js";
import { ExecEnds } from "../invariants/exec-ends.js";
import { Images } from "../invariants/images.js";
import type { Held, Traffic, Invariant, Seen } from "../invariants/invariant.js";
import { Operations } from "../invariants/operations.js";
import { Owners } from "../invariants/owners.js";
import { expectRemembered } from "../invariants/remembered.js";
import { Replies } from "../invariants/replies.js";
import { Statuses } from "../invariants/statuses.js";
import { Ledger } from "../ledger.js";
import type { Machine } from "./machine.js";

/** The epoch of forks, so that their operations belong to no other engine. */
export const FORK_EPOCH = 1_000_000;
/** The most inputs that a fork needs to come to rest. */
const MOST = 500;
/** The sizes that the copied machine reports. */
const SILENT: Traffic = { arrival: () => null, lookUp: () => undefined, addressOf: () => "" };
const EMPTY: Held = { sizeOf: () => 0, sizeOfVolume: () => 0, mountedVolumes: () => [] };
/** The end of the journal, beyond the entries of any story. */
const JOURNAL_END = 1n << 40n;

export interface ForkParts {
  instance: Instance;
  /** Another instance. It is restored from a snapshot of the first, and must then do the same. */
  twin: Instance;
  /** The snapshot of a new instance. Restoring it makes a used instance new. */
  unopened: Uint8Array;
  rules: readonly engine.Rule[];
}

export class Fork {
  readonly ledger = new Ledger();
  readonly #parts: ForkParts;
  readonly #machine: Machine;
  readonly #now: types.Instant;
  readonly #operations = new Operations();
  readonly #replies = new Replies();
  readonly #owners = new Owners(this.#operations, this.#replies);
  readonly #images = new Images(this.#operations, this.#replies);
  readonly #each: readonly Invariant[];
  readonly #waiting: HostEffect[] = [];
  /** The twin, if it must do the same. */
  #follower: Instance | null = null;
  #opening: Opening | null = null;

  constructor(parts: ForkParts, machine: Machine, now: types.Instant) {
    this.#parts = parts;
    this.#machine = machine;
    this.#now = now;
    this.#each = [new Statuses(parts.rules), this.#operations, new ExecEnds()];
  }

  /** Opens the engine, and returns its notes. */
  open({ options, seed }: Opening, records: engine.Stored[]): engine.Note[] {
    const { instance, unopened } = this.#parts;
    const inventory = this.#machine.afterCrash();
    const journal = { next: JOURNAL_END, at: this.#now.wall };
    this.#opening = { options: { ...options, epoch: FORK_EPOCH }, seed, records, journal, inventory };
    instance.restore(unopened);
    this.ledger.opened(records);
    const outputs = instance.open(this.#opening.options, this.#now, seed, records, journal, inventory);
    const notes = instance.explain();
    this.#take(outputs, null, notes);
    return notes;
  }

  /** The processes that it has found. */
  get processes(): readonly engine.FoundProcess[] {
    return this.#opening?.inventory.processes ?? [];
  }

  /** Passes an input to the engine, and keeps the changed records. */
  step(now: types.Instant, input: Input): StepOutputs {
    const outputs = this.#parts.instance.step(now, input);
    this.ledger.apply(outputs.records);
    return outputs;
  }

  /**
   * Lets all pending operations end, then removes one container, if there is one. Throws a `Breach`. `followed`: the
   * twin must do the same, and what the removal leaves is compared with the records, too.
   */
  heal(followed: boolean): void {
    const { instance, twin } = this.#parts;
    if (followed) twin.restore(instance.snapshot());
    this.#follower = followed ? twin : null;
    this.#settle();
    this.#compare();
    const [first] = this.ledger.containers.keys();
    this.#hear(asking(1n, "GET", "/containers/json?all=1"));
    if (first !== undefined) this.#hear(asking(2n, "DELETE", `/containers/${first}?force=1`));
    this.#settle();
    if (followed) this.#compare();
  }

  /** The records must equal memory. */
  #compare(): void {
    expectRemembered("forks", this.#parts.instance.records(), this.ledger.records);
  }

  #settle(): void {
    for (let left = MOST; left > 0; left--) {
      const input = this.#next();
      if (input === null) return this.#rested();
      this.#hear(input);
    }
    throw new Breach("forks", "the engine that was opened after the cut never comes to rest");
  }

  #hear(input: Input): void {
    const { instance } = this.#parts;
    const outputs = instance.step(this.#now, input);
    const others = this.#follower?.step(this.#now, input) ?? outputs;
    if (others !== outputs && digest(outputs) !== digest(others)) {
      const [other, own] = [others, outputs].map(shortened);
      throw new Breach("forks", `the restored engine answers ${input.tag} with\n${other}\nnot with\n${own}`);
    }
    this.#take(outputs, input, instance.explain());
  }

  #take(outputs: StepOutputs, input: Input | null, notes: readonly engine.Note[]): void {
    this.ledger.apply(outputs.records);
    const opening = input === null ? this.#opening : null;
    const seen = { outputs, input, notes, opening, now: this.#now, ledger: this.ledger, epoch: FORK_EPOCH };
    for (const invariant of this.#each) invariant.stepped?.(seen as unknown as Seen);
    for (const effect of outputs.effects) if (effect.to !== "timers") this.#waiting.push(effect);
  }

  /** The next input from its machine. */
  #next(): Input | null {
    const effect = this.#waiting.shift();
    if (effect !== undefined) return { tag: "completed", val: { op: effect.op, outcome: this.#outcome(effect) } };
    const { exits, execEnds } = this.#machine.world;
    const exit = { outOfMemory: false, lost: false, at: this.#now.wall };
    const process = exits.shift();
    if (process !== undefined) {
      const { container, run, code } = process;
      return { tag: "exited", val: { container, run, exit: { ...exit, code } } };
    }
    const end = execEnds.shift();
    if (end === undefined) return null;
    const ended = { exec: end.exec, exit: { ...exit, code: end.code }, output: new Uint8Array(), truncated: false };
    return { tag: "exec-exited", val: ended };
  }

  #outcome(effect: HostEffect): engine.Completed["outcome"] {
    try {
      return { tag: "ok", val: this.#machine.world.perform(effect, false) };
    } catch (error) {
      if (!(error instanceof Failed)) throw error;
      return { tag: "err", val: error.failure };
    }
  }

  #rested(): void {
    const rest = {
      ledger: this.ledger,
      found: this.#machine.world.inventory(),
      held: EMPTY,
      traffic: SILENT,
      now: this.#now,
      inFlight: 0,
    };
    for (const invariant of [this.#operations, this.#owners, this.#images]) invariant.rested(rest);
  }
}

function asking(id: types.RequestId, method: string, target: string): Input {
  const request = { id, listener: "internal", method, target: `/v1.55${target}`, headers: "" };
  return { tag: "request", val: { ...request, body: { tag: "none" } } };
}
