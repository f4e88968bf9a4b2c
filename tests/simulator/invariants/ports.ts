// Checks ports: no container has a port that a program of the machine holds. A port is refused only if it is taken.
// And it is free again when its container's run has ended.

import type { Operation, engine } from "../../../hosts/shared/host.js";
import { Breach } from "../breach.js";
import { type ContainerRecord, type Ledger, parsed, wordOf, RUNNING } from "../ledger.js";
import type { AtRest, Invariant, Seen } from "./invariant.js";

/** Docker's error message. */
const REFUSED = /Bind for \S+:(\d+) failed: port is already allocated$/;
const OVER = ["created", "exited", "dead"];

export class Ports implements Invariant {
  readonly #isHeld: (port: number) => boolean;
  /** The ports and start errors of containers after the step before. */
  #had = new Map<string, number[]>();
  #errors = new Map<string, string>();
  /** Pending joins, with their containers. */
  readonly #joins = new Map<Operation, string>();
  /** The port that the host has refused, by container. Its start fails later, after its other operations have ended. */
  readonly #refused = new Map<string, number>();

  /** `isHeld`: whether a program of the machine holds a port. */
  constructor(isHeld: (port: number) => boolean) {
    this.#isHeld = isHeld;
  }

  stepped({ ledger, opening, input, outputs }: Seen): void {
    if (opening !== null) this.#opened(opening.records);
    if (input?.tag === "completed") this.#completed(input.val);
    for (const { to, op, command } of outputs.effects) {
      if (to === "networks" && command.tag === "join") this.#joins.set(op, command.val.container);
    }
    const changed = ledger.changed.filter((key) => key.startsWith("container/"));
    if (changed.length === 0) return;
    for (const key of new Set(changed)) {
      const container = ledger.containers.get(key.slice("container/".length));
      if (container === undefined) continue;
      if (container.error !== this.#errors.get(container.id)) this.#expectHolder(container, ledger);
      const held = RUNNING.includes(wordOf(container)) ? portsOf(container).find(this.#isHeld) : undefined;
      if (held !== undefined)
        broken(`${container.id} is ${wordOf(container)} with port ${held}, but a program holds it`);
    }
    this.#remember(ledger.containers.values());
  }

  rested({ ledger }: AtRest): void {
    for (const container of ledger.containers.values()) {
      const [port] = portsOf(container);
      if (port === undefined || container.unclean || !OVER.includes(wordOf(container))) continue;
      broken(`${container.id} is ${wordOf(container)}, but still has port ${port}`);
    }
  }

  crashed(): void {
    this.#joins.clear();
    this.#refused.clear();
  }

  #opened(records: NonNullable<Seen["opening"]>["records"]): void {
    const containers = records.filter(({ key }) => key.startsWith("container/"));
    this.#remember(containers.map(({ value }) => parsed(value) as ContainerRecord));
  }

  #remember(containers: Iterable<ContainerRecord>): void {
    this.#had.clear();
    this.#errors.clear();
    for (const container of containers) {
      this.#had.set(container.id, portsOf(container));
      this.#errors.set(container.id, container.error);
    }
  }

  #completed({ op, outcome }: engine.Completed): void {
    const container = this.#joins.get(op);
    this.#joins.delete(op);
    if (container === undefined || outcome.tag === "ok") return;
    const { val: failure } = outcome;
    if (failure.tag !== "port") return;
    this.#refused.set(container, failure.val.port);
  }

  #expectHolder({ id, error }: ContainerRecord, ledger: Ledger): void {
    const port = Number(REFUSED.exec(error)?.[1] ?? NaN);
    const refused = this.#refused.get(id);
    this.#refused.delete(id);
    if (Number.isNaN(port) || port === refused) return;
    const others = [...ledger.containers.values()].filter((one) => one.id !== id);
    if (others.some((one) => portsOf(one).includes(port) || this.#had.get(one.id)?.includes(port) === true)) return;
    broken(`${id} is refused port ${port}, which is free`);
  }
}

function portsOf({ sandbox }: ContainerRecord): number[] {
  return (sandbox?.ports ?? []).map(({ hostPort }) => hostPort);
}

function broken(message: string): never {
  throw new Breach("ports", message);
}
