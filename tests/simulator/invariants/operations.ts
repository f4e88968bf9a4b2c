// Operation ids are the instance's own and used once; what comes twice, late, or from an instance that is gone does
// nothing. None outlives its owner: nothing is asked for that nobody waits for, and no timer is set that nobody needs.

import type { Operation } from "../../../hosts/host.js";
import { Breach } from "../breach.js";
import type { AtRest, Invariant, Seen } from "./invariant.js";
import { Timers } from "./timers.js";

export class Operations implements Invariant {
  /** And what each does. */
  readonly #open = new Map<Operation, string>();
  readonly #used = new Set<Operation>();
  readonly #timers = new Timers();

  /** How many have been asked for and have not ended. */
  get underWay(): number {
    return this.#open.size;
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
    for (const { to, op, command } of outputs.effects) {
      if (op >> 32n !== BigInt(epoch)) throw new Breach("operations", `operation ${op} is not of instance ${epoch}`);
      if (to !== "timers") this.#begin(op, `${to} ${command.tag}`);
      else if (command.tag === "set") this.#use(op);
    }
    this.#timers.asked(seen);
  }

  crashed(): void {
    this.#open.clear();
    this.#used.clear();
    this.#timers.crashed();
  }

  rested(rest: AtRest): void {
    if (this.#open.size > 0)
      throw new Breach("operations", `operations never ended: ${[...this.#open.values()].join(", ")}`);
    this.#timers.rested(rest);
  }

  #begin(op: Operation, what: string): void {
    this.#use(op);
    this.#open.set(op, what);
  }

  #use(op: Operation): void {
    if (this.#used.has(op)) throw new Breach("operations", `operation id ${op} was used twice`);
    this.#used.add(op);
  }
}
