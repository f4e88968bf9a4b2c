// Operation ids are the instance's own and used once; what comes twice, late, or from an instance that is gone does
// nothing. None outlives its owner: nothing is asked for that nobody waits for, and no timer is set that nobody needs.

import type { Operation } from "../../../hosts/shared/host.js";
import { subjectOf } from "../../../hosts/driver/order.js";
import type { Effect, HostEffect } from "../../../hosts/shared/outputs.js";
import { Breach } from "../breach.js";
import type { AtRest, Invariant, Seen } from "./invariant.js";
import { Timers } from "./timers.js";

export class Operations implements Invariant {
  /** And what each does. */
  readonly #open = new Map<Operation, { what: string; command: unknown; subject: string | null }>();
  readonly #used = new Set<Operation>();
  readonly #timers = new Timers();

  /** How many have been asked for and have not ended. */
  get underWay(): number {
    return this.#open.size;
  }

  /** One of them speaks of it (a container, a volume, a layer…), and may be about to make it or to take it away. */
  speakOf(thing: string): boolean {
    return [...this.#open.values()].some(({ command }) => speaksOf(command, thing));
  }

  /** One of these: `content layer`. */
  areAsked(what: RegExp): boolean {
    return [...this.#open.values()].some((one) => what.test(one.what));
  }

  /** Subjects of what is under way, but for these commands. */
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
      throw new Breach(
        "operations",
        `a completion of operation ${input.val.op}, which was not under way, did something`,
      );
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
