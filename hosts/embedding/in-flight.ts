// An engine's commands to its host that have not ended.

import { mayBeGivenUp } from "../shared/index.js";
import type { Asked, Host, Operation, Outcome, Perform } from "../shared/index.js";

/**
 * In a process of its own, an engine's commands die with it. An engine that crashes in another program leaves them
 * behind.
 */
export class InFlight {
  readonly #host: Host;
  readonly #all = new Set<Promise<unknown>>();
  /** Operations that can be aborted. */
  readonly #long = new Set<Operation>();

  constructor(host: Host) {
    this.#host = host;
  }

  /** The host's interfaces, with every command recorded. */
  parts(): Pick<Host, "processes" | "content" | "networks" | "volumes"> {
    const host = this.#host;
    const watched =
      <Command>(perform: Perform<Command>): Perform<Command> =>
      (op, command, report) =>
        this.#watch(perform(op, command, report));
    const long = (op: Operation, asked: Asked, performed: Promise<Outcome>): Promise<Outcome> => {
      if (mayBeGivenUp(asked)) {
        this.#long.add(op);
        performed.catch(() => {}).finally(() => this.#long.delete(op));
      }
      return this.#watch(performed);
    };
    return {
      processes: watched((op, command, report) => host.processes(op, command, report)),
      networks: watched((op, command, report) => host.networks(op, command, report)),
      volumes: (op, command, report) => long(op, { to: "volumes", command }, host.volumes(op, command, report)),
      content: (op, command, report) => long(op, { to: "content", command }, host.content(op, command, report)),
    };
  }

  /** Aborts everything that can be aborted. */
  abandon(): void {
    for (const op of this.#long) {
      this.#host.content(0n, { tag: "abandon", val: op }, () => {}).catch(() => {});
    }
  }

  /** Resolves when nothing is running any more. */
  async settled(): Promise<void> {
    while (this.#all.size > 0) await Promise.allSettled(this.#all);
  }

  #watch<T>(performed: Promise<T>): Promise<T> {
    this.#all.add(performed);
    performed.catch(() => {}).finally(() => this.#all.delete(performed));
    return performed;
  }
}
