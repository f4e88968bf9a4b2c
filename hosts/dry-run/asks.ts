// Performs the commands of a dry run that only ask. They go to the live engine's host under other operation ids, since
// the dry run's instance and the live one continue counting from the same number.

import { onlyAsks } from "../shared/index.js";
import type { Host, HostEffect, Operation, Outcome } from "../shared/index.js";

/** An epoch that no instance reaches, so that no instance has an operation id that begins with it. */
const NO_EPOCH = 0xffff_ffffn << 32n;
let asked = 0n;

export class Asks {
  readonly #host: Host;
  /** Pending operations: the host's id by the instance's id. */
  readonly #ops = new Map<Operation, Operation>();

  constructor(host: Host) {
    this.#host = host;
  }

  /** Rejects as the host does. Throws for a command that changes anything: none may reach the machine. */
  async ask(effect: HostEffect): Promise<Outcome> {
    if (!onlyAsks(effect)) throw new Error(`a dry run does nothing: ${effect.to} ${effect.command.tag}`);
    const op = NO_EPOCH | ++asked;
    this.#ops.set(effect.op, op);
    try {
      return await this.#perform(op, effect);
    } finally {
      this.#ops.delete(effect.op);
    }
  }

  abandon(op: Operation): void {
    const asked = this.#ops.get(op);
    if (asked !== undefined) this.#host.content(0n, { tag: "abandon", val: asked }, ignore).catch(ignore);
  }

  abandonAll(): void {
    for (const op of this.#ops.keys()) this.abandon(op);
  }

  #perform(op: Operation, effect: HostEffect): Promise<Outcome> {
    switch (effect.to) {
      case "processes":
        return this.#host.processes(op, effect.command, ignore);
      case "content":
        return this.#host.content(op, effect.command, ignore);
      case "networks":
        return this.#host.networks(op, effect.command, ignore);
      case "volumes":
        return this.#host.volumes(op, effect.command, ignore);
      case "records":
        throw new Error("the journal of a dry run is its own");
    }
  }
}

function ignore(): void {}
