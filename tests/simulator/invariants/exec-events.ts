// Events tell what became of execs, each once and in its order: made; begun, in the step in which its user is looked up or
// it is asked for; ended, with the code that the host told of, or killed with its container. Of one that could not be begun
// no end is told.

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
  /** Starts that are under way: of an exec. */
  readonly #starts = new Map<Operation, string>();
  /** Probes that took too long: they are killed by themselves. */
  readonly #killed = new Set<string>();
  /** That were asked for, whatever came of it. */
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
      if (this.#told.get(exec)?.what !== "started") broken(exec, "is begun, and nobody was told so");
      if (command.tag === "exec") this.#begins(exec);
      this.#starts.set(op, exec);
      if (lookedUp.includes(exec)) lookedUp.splice(lookedUp.indexOf(exec), 1);
    }
    const [idle] = lookedUp;
    if (idle !== undefined) broken(idle, "was told to begin, and nothing of it was");
    if (input?.tag === "exec-exited") this.#mustBeOver(input.val.exec);
  }

  crashed(): void {
    this.#told.clear();
    this.#starts.clear();
    this.#killed.clear();
    this.#begun.clear();
  }

  /** None outlives the run that it is in. */
  rested({ ledger }: AtRest): void {
    for (const [exec, { container, run, what }] of this.#told) {
      if (what !== "started" || [...this.#starts.values()].includes(exec)) continue;
      if (!isUp(ledger.containers.get(container), run))
        broken(exec, "has ended with its container, and nobody was told so");
    }
  }

  /** Those that go on have begun, if records say so of them and of whom they are in; of the ends of others exec-ends.ts knows. */
  #opened({ records, inventory }: Opening): void {
    this.crashed();
    const recorded = new Set(records.map(({ key }) => key));
    for (const { exec, subject, running } of inventory.execs) {
      const isKnown = recorded.has(`exec/${exec}`) && recorded.has(`container/${subject.container}`);
      if (running && isKnown) this.#told.set(exec, { ...subject, what: "started" });
    }
  }

  /** Of one that could not be begun. */
  #ended(input: Input | null): void {
    if (input?.tag !== "completed") return;
    const exec = this.#starts.get(input.val.op) ?? "";
    this.#starts.delete(input.val.op);
    const told = this.#told.get(exec);
    if (input.val.outcome.tag === "err" && told?.what === "started") told.what = "refused";
  }

  #begins(exec: string): void {
    if (this.#begun.has(exec)) broken(exec, "is begun a second time");
    this.#begun.add(exec);
  }

  #created(event: JournalEvent, run: number): void {
    const exec = execOf(event);
    if (this.#told.has(exec)) broken(exec, "is told to be made twice");
    this.#told.set(exec, { container: event.id, run, what: "created" });
  }

  #started(event: JournalEvent): string {
    const exec = execOf(event);
    const told = this.#told.get(exec);
    if (told?.what !== "created") broken(exec, `is told to begin, and was ${told?.what ?? "never made"}`);
    told.what = "started";
    return exec;
  }

  #runOf(event: JournalEvent): number {
    return this.#told.get(execOf(event))?.run ?? 0;
  }

  /** `isUp`: its run goes on. */
  #died(event: JournalEvent, input: Input | null, isUp: boolean): void {
    const exec = execOf(event);
    const told = this.#told.get(exec);
    if (told?.what !== "started") broken(exec, `is told to have ended, and was ${told?.what ?? "never made"}`);
    told.what = "over";
    const isOwn = input?.tag === "exec-exited" && input.val.exec === exec;
    const code = isOwn ? String(input.val.exit.code) : KILLED;
    const said = event.attributes.get("exitCode") ?? "none";
    if (said !== code) broken(exec, `is told to have ended with ${said}, not ${code}`);
    if (!isOwn && isUp && !this.#killed.has(exec))
      broken(exec, "is told to have been killed with its container, which goes on");
  }

  /** Told twice, one of the two may come before the start is known to have come to anything. */
  #mustBeOver(exec: string): void {
    if ([...this.#starts.values()].includes(exec)) return;
    if (this.#told.get(exec)?.what === "started") broken(exec, "has ended, and nobody was told so");
  }

  /** One of those that were told to begin in this step. */
  #lookedUpIn(container: string, told: readonly string[]): string {
    return told.find((exec) => this.#told.get(exec)?.container === container) ?? "";
  }
}

/** In that run. */
function isUp(record: ContainerRecord | undefined, run: number): boolean {
  return record?.run === run && RUNNING.includes(wordOf(record));
}

function isOfExec(action: string): boolean {
  return action.startsWith("exec_create:") || action.startsWith("exec_start:") || action === "exec_die";
}

function execOf({ attributes }: JournalEvent): string {
  return attributes.get("execID") ?? "";
}

function broken(exec: string, what: string): never {
  throw new Breach("exec-events", `exec ${exec} ${what}`);
}
