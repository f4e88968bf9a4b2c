// Checks the events of execs. Each comes once, in this order:
// - `exec_create`;
// - `exec_start`, in the step that looks up the exec's user or launches it;
// - `exec_die`, with the exit code that the host reported, or 137 if the exec was killed with its container. An exec
//   that could not start has none.

import type { Input, Operation } from "../../../hosts/shared/host.js";
import type { Opening } from "../../../hosts/driver/observer.js";
import { Breach } from "../breach.js";
import { type ContainerRecord, wordOf, RUNNING } from "../ledger.js";
import type { AtRest, Invariant, Seen } from "./invariant.js";
import { type JournalEvent, eventsOf } from "./journal.js";

const KILLED = "137";

interface Told {
  container: string;
  run: number;
  what: "created" | "started" | "refused" | "over";
}

export class ExecEvents implements Invariant {
  readonly #told = new Map<string, Told>();
  /** Pending starts, with their execs. */
  readonly #starts = new Map<Operation, string>();
  /** Probes that took too long. They are killed without their container. */
  readonly #killed = new Set<string>();
  /** Execs whose launch was requested, with any result. */
  readonly #begun = new Set<string>();

  stepped({ opening, input, outputs, ledger }: Seen): void {
    if (opening !== null) this.#opened(opening);
    this.#ended(input);
    for (const { to, command } of outputs.effects) {
      if (to !== "processes") continue;
      if (command.tag === "signal-exec") this.#killed.add(command.val.exec);
      if (command.tag === "reap-exec") this.#killed.add(command.val);
    }
    const events = eventsOf(outputs.records).filter(({ type, action }) => type === "container" && isOfExec(action));
    const lookedUp: string[] = [];
    for (const event of events) {
      const run = ledger.containers.get(event.id)?.run ?? 0;
      if (event.action.startsWith("exec_create:")) this.#created(event, run);
      else if (event.action.startsWith("exec_start:")) lookedUp.push(this.#started(event));
      else if (opening === null) this.#died(event, input, isUp(ledger.containers.get(event.id), this.#runOf(event)));
      else this.#told.delete(execOf(event));
    }
    for (const { to, op, command } of outputs.effects) {
      if (to !== "processes" || (command.tag !== "exec" && command.tag !== "identify")) continue;
      const exec = command.tag === "exec" ? command.val.exec : this.#lookedUpIn(command.val.container, lookedUp);
      if (this.#told.get(exec)?.what !== "started") broken(exec, "is launched, but has no event exec_start");
      if (command.tag === "exec") this.#begins(exec);
      this.#starts.set(op, exec);
      if (lookedUp.includes(exec)) lookedUp.splice(lookedUp.indexOf(exec), 1);
    }
    const [idle] = lookedUp;
    if (idle !== undefined) broken(idle, "has an event exec_start, but is not launched");
    if (input?.tag === "exec-exited") this.#mustBeOver(input.val.exec);
  }

  crashed(): void {
    this.#told.clear();
    this.#starts.clear();
    this.#killed.clear();
    this.#begun.clear();
  }

  /** No exec outlives its run. */
  rested({ ledger }: AtRest): void {
    for (const [exec, { container, run, what }] of this.#told) {
      if (what !== "started" || [...this.#starts.values()].includes(exec)) continue;
      if (!isUp(ledger.containers.get(container), run))
        broken(exec, "has ended with its container, but has no event exec_die");
    }
  }

  /** Takes the running execs that have records, as their containers do. exec-ends.ts checks the ends of the others. */
  #opened({ records, inventory }: Opening): void {
    this.crashed();
    const recorded = new Set(records.map(({ key }) => key));
    for (const { exec, subject, running } of inventory.execs) {
      const isKnown = recorded.has(`exec/${exec}`) && recorded.has(`container/${subject.container}`);
      if (running && isKnown) this.#told.set(exec, { ...subject, what: "started" });
    }
  }

  /** Notes a failed start. */
  #ended(input: Input | null): void {
    if (input?.tag !== "completed") return;
    const exec = this.#starts.get(input.val.op) ?? "";
    this.#starts.delete(input.val.op);
    const told = this.#told.get(exec);
    if (input.val.outcome.tag === "err" && told?.what === "started") told.what = "refused";
  }

  #begins(exec: string): void {
    if (this.#begun.has(exec)) broken(exec, "is launched twice");
    this.#begun.add(exec);
  }

  #created(event: JournalEvent, run: number): void {
    const exec = execOf(event);
    if (this.#told.has(exec)) broken(exec, "has two events exec_create");
    this.#told.set(exec, { container: event.id, run, what: "created" });
  }

  #started(event: JournalEvent): string {
    const exec = execOf(event);
    const told = this.#told.get(exec);
    if (told?.what !== "created") broken(exec, `has an event exec_start, but ${stateOf(told)}`);
    told.what = "started";
    return exec;
  }

  #runOf(event: JournalEvent): number {
    return this.#told.get(execOf(event))?.run ?? 0;
  }

  /** `isUp`: whether its container's run continues. */
  #died(event: JournalEvent, input: Input | null, isUp: boolean): void {
    const exec = execOf(event);
    const told = this.#told.get(exec);
    if (told?.what !== "started") broken(exec, `has an event exec_die, but ${stateOf(told)}`);
    told.what = "over";
    const isOwn = input?.tag === "exec-exited" && input.val.exec === exec;
    const code = isOwn ? String(input.val.exit.code) : KILLED;
    const said = event.attributes.get("exitCode") ?? "none";
    if (said !== code) broken(exec, `has an event exec_die with the exit code ${said} instead of ${code}`);
    if (!isOwn && isUp && !this.#killed.has(exec))
      broken(exec, "has an event exec_die, but neither the exec nor its container has ended");
  }

  /** Checks a reported end. A duplicate report may come before the start's completion, and is ignored then. */
  #mustBeOver(exec: string): void {
    if ([...this.#starts.values()].includes(exec)) return;
    if (this.#told.get(exec)?.what === "started") broken(exec, "has ended, but has no event exec_die");
  }

  /** An exec in this container that has an event for its start in this step. */
  #lookedUpIn(container: string, told: readonly string[]): string {
    return told.find((exec) => this.#told.get(exec)?.container === container) ?? "";
  }
}

/** Whether the container is in that run. */
function isUp(record: ContainerRecord | undefined, run: number): boolean {
  return record?.run === run && RUNNING.includes(wordOf(record));
}

function isOfExec(action: string): boolean {
  return action.startsWith("exec_create:") || action.startsWith("exec_start:") || action === "exec_die";
}

/** What its events have told so far. */
function stateOf(told: Told | undefined): string {
  if (told === undefined) return "has no event exec_create";
  const states = {
    created: "has not started",
    started: "has started already",
    refused: "could not start",
    over: "has ended already",
  };
  return states[told.what];
}

function execOf({ attributes }: JournalEvent): string {
  return attributes.get("execID") ?? "";
}

function broken(exec: string, what: string): never {
  throw new Breach("exec-events", `exec ${exec} ${what}`);
}
