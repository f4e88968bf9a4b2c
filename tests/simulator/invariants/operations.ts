// Operation ids are the instance's own and used once; what comes twice, late, or from an instance that is gone does
// nothing.

import type { Operation } from "../../../hosts/host.js";
import { Breach } from "../breach.js";
import type { AtRest, Invariant, Seen } from "./invariant.js";

export class Operations implements Invariant {
  /** And what each does. */
  readonly #open = new Map<Operation, string>();
  readonly #used = new Set<Operation>();
  readonly #timers = new Set<Operation>();

  /** How many have been asked for and have not ended. */
  get underWay(): number {
    return this.#open.size;
  }

  stepped({ input, outputs, epoch, opening }: Seen): void {
    if (opening !== null) this.crashed();
    const isStale = input?.tag === "completed" && !this.#open.delete(input.val.op);
    if (input?.tag === "elapsed") this.#timers.delete(input.val);
    if (isStale && outputs.records.length + outputs.effects.length + outputs.replies.length > 0) {
      throw new Breach(
        "operations",
        `a completion of operation ${input.val.op}, which was not under way, did something`,
      );
    }
    for (const { to, op, command } of outputs.effects) {
      if (op >> 32n !== BigInt(epoch)) throw new Breach("operations", `operation ${op} is not of instance ${epoch}`);
      if (to !== "timers") this.#begin(op, `${to} ${command.tag}`);
      else if (command.tag === "set") this.#timers.add(op);
      else this.#timers.delete(op);
    }
  }

  crashed(): void {
    this.#open.clear();
    this.#used.clear();
    this.#timers.clear();
  }

  rested(_: AtRest): void {
    if (this.#open.size > 0)
      throw new Breach("operations", `operations never ended: ${[...this.#open.values()].join(", ")}`);
  }

  #begin(op: Operation, what: string): void {
    if (this.#used.has(op)) throw new Breach("operations", `operation id ${op} was used twice`);
    this.#used.add(op);
    this.#open.set(op, what);
  }
}
