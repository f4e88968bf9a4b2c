// What an engine has asked of its host and what has not come to its end.

import { mayBeGivenUp, type Asked } from "../shared/commands.js";
import type { Host, Operation, Outcome, Perform } from "../shared/host.js";

/** An engine that crashed in its own process leaves commands behind that would have died with it in another. */
export class InFlight {
  readonly #host: Host;
  readonly #all = new Set<Promise<unknown>>();
  /** What can be given up. */
  readonly #long = new Set<Operation>();

  constructor(host: Host) {
    this.#host = host;
  }

  /** The host's interfaces, watched. */
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

  /** Gives up what can be given up. */
  abandon(): void {
    for (const op of this.#long) {
      this.#host.content(0n, { tag: "abandon", val: op }, () => {}).catch(() => {});
    }
  }

  /** Resolves when nothing goes on any more. */
  async settled(): Promise<void> {
    while (this.#all.size > 0) await Promise.allSettled(this.#all);
  }

  #watch<T>(performed: Promise<T>): Promise<T> {
    this.#all.add(performed);
    performed.catch(() => {}).finally(() => this.#all.delete(performed));
    return performed;
  }
}
