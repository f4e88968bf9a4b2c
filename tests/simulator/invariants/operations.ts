// Checks operations: each id belongs to its instance and is used once. A completion that comes twice, late, or for an
// earlier instance has no effect. At rest no operation is pending, and no unneeded timer is set.

import type { Operation } from "../../../hosts/shared/host.js";
import { subjectOf } from "../../../hosts/driver/order.js";
import type { Effect, HostEffect } from "../../../hosts/shared/outputs.js";
import { Breach } from "../breach.js";
import type { AtRest, Invariant, Seen } from "./invariant.js";
import { Timers } from "./timers.js";

export class Operations implements Invariant {
  /** Pending operations. */
  readonly #open = new Map<Operation, { what: string; command: unknown; subject: string | null }>();
  readonly #used = new Set<Operation>();
  readonly #timers = new Timers();

  /** Number of pending operations. */
  get underWay(): number {
    return this.#open.size;
  }

  /** Whether one of them mentions an object (a container, a volume, a layer…), and so may make or remove it. */
  speakOf(thing: string): boolean {
    return [...this.#open.values()].some(({ command }) => speaksOf(command, thing));
  }

  /** Whether one of them matches: `content layer`. */
  areAsked(what: RegExp): boolean {
    return [...this.#open.values()].some((one) => what.test(one.what));
  }

  /** The subjects of pending operations, without these commands. */
  subjectsBut(effects: readonly Effect[]): Set<string> {
    const left = new Set(effects.map(({ op }) => op));
    return new Set([...this.#open].flatMap(([op, { subject }]) => (subject === null || left.has(op) ? [] : [subject])));
  }

  stepped(seen: Seen): void {
    const { input, outputs, epoch, opening } = seen;
    if (opening !== null) this.crashed();
    const isStale = input?.tag === "completed" && !this.#open.delete(input.val.op);
    this.#timers.elapsed(seen);
    if (isStale && outputs.records.length + outputs.effects.length + outputs.replies.length > 0) {
      throw new Breach("operations", `a completion of operation ${input.val.op}, which was not pending, had effects`);
    }
    for (const effect of outputs.effects) {
      const { op } = effect;
      if (op >> 32n !== BigInt(epoch)) throw new Breach("operations", `operation ${op} is not of instance ${epoch}`);
      if (effect.to !== "timers") this.#begin(effect);
      else if (effect.command.tag === "set") this.#use(op);
    }
    this.#timers.asked(seen);
  }

  crashed(): void {
    this.#open.clear();
    this.#used.clear();
    this.#timers.crashed();
  }

  rested(rest: AtRest): void {
    if (this.#open.size > 0) throw new Breach("operations", `operations never ended: ${this.#names().join(", ")}`);
    this.#timers.rested(rest);
  }

  #names(): string[] {
    return [...this.#open.values()].map(({ what }) => what);
  }

  #begin(effect: HostEffect): void {
    const { to, op, command } = effect;
    this.#use(op);
    this.#open.set(op, { what: `${to} ${command.tag}`, command, subject: subjectOf(effect) });
  }

  #use(op: Operation): void {
    if (this.#used.has(op)) throw new Breach("operations", `operation id ${op} was used twice`);
    this.#used.add(op);
  }
}

function speaksOf(value: unknown, thing: string): boolean {
  if (typeof value !== "object" || value === null || ArrayBuffer.isView(value)) return value === thing;
  return Object.values(value).some((member) => speaksOf(member, thing));
}
