// Tracks commands that failed since the engine was opened. The next engine repeats them at its start.

import type { Operation } from "../../../hosts/shared/host.js";
import type { Seen } from "./invariant.js";

export class Failures {
  readonly #underWay = new Map<Operation, string>();
  readonly #failed = new Set<string>();

  /** `tag`: the command, whose value must be a name. */
  constructor(private readonly tag: "drop-chain" | "drop-container" | "make" | "drop" | "measure" | "unmount") {}

  stepped({ input, outputs, opening }: Seen): void {
    if (opening !== null) this.#failed.clear();
    if (input?.tag === "completed") {
      const name = this.#underWay.get(input.val.op);
      if (name !== undefined && input.val.outcome.tag === "err") this.#failed.add(name);
    }
    for (const { op, command } of outputs.effects) {
      if (command.tag === this.tag && typeof command.val === "string") this.#underWay.set(op, command.val);
    }
  }

  has(name: string): boolean {
    return this.#failed.has(name);
  }
}
