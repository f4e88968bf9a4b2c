// Checks what the engine shows of execs. An ended exec has no record. Its inspect shows the exit code of its event for
// at least five minutes, and for at most ten. Before its end an exec is shown as running, or as waiting for its start.
// Clients rarely ask, so this asks a copy of the engine after each step that changed an exec, and at rest.

import type { Operation, failures, types } from "../../../hosts/shared/host.js";
import { Breach } from "../breach.js";
import type { Ledger } from "../ledger.js";
import type { Spares } from "../spares.js";
import { Copies } from "./asked/copy.js";
import type { AtRest, Invariant, Seen } from "./invariant.js";
import { eventsOf } from "./journal.js";

const MINUTE = 60_000_000_000n;
const [SHORTEST, LONGEST] = [5n * MINUTE, 10n * MINUTE];
const INSPECT = /^(?:\/v[\d.]+)?\/exec\/([0-9a-f]{64})\/json$/;
const MADE = /^\{"Id":"([0-9a-f]{64})"\}\s*$/;
const decoder = new TextDecoder();
/** Docker's exit code for an exec whose program cannot be run, by errno(3). */
const OF_PROGRAM: Readonly<Record<string, number>> = { ENOENT: 127, ENOTDIR: 127, ELOOP: 127, EACCES: 126 };
const NOT_FOUND_CODE = 127;
const OTHER_CODE = 128;

interface Exec {
  container: string;
  /** `unsure`: its user has been looked up, but its container may have stopped since. */
  stage: "created" | "started" | "unsure" | "ended" | "forgotten";
  /** Null if it has none yet. */
  code: number | null;
  /** Monotonic time of its end. */
  at: bigint;
}

export class ExecInspects implements Invariant {
  readonly #spares: Spares;
  /** Execs of clients since the engine was opened. Health checks are execs, too, but cannot be inspected. */
  readonly #execs = new Map<string, Exec>();
  /** Pending starts. */
  readonly #starts = new Map<Operation, { exec: string; isLookUp: boolean }>();
  #snapshot: (() => Uint8Array) | null = null;
  #now: types.Instant = { wall: 0n, monotonic: 0n };

  constructor(spares: Spares) {
    this.#spares = spares;
  }

  stepped(seen: Seen): void {
    const { input, outputs, opening, snapshot, now, ledger } = seen;
    if (opening !== null) this.crashed();
    [this.#snapshot, this.#now] = [snapshot, now];
    const changed = new Set(this.#changed(seen));
    if (changed.size > 0) this.#askCopy(changed, ledger);
    if (input?.tag !== "request" || input.val.method !== "GET") return;
    const exec = INSPECT.exec(input.val.target)?.[1];
    const answer = outputs.replies.find(({ request }) => request === input.val.id)?.command;
    if (exec !== undefined && answer?.tag === "whole")
      this.#check(exec, answer.val.head.status, decoder.decode(answer.val.body), ledger);
  }

  crashed(): void {
    this.#execs.clear();
    this.#starts.clear();
    this.#snapshot = null;
  }

  rested({ ledger }: AtRest): void {
    this.woken(ledger);
  }

  woken(ledger: Ledger): void {
    this.#askCopy(this.#execs.keys(), ledger);
  }

  /** Whether there is no exec to ask for. */
  get isEmpty(): boolean {
    return this.#execs.size === 0;
  }

  *#changed({ input, outputs, ledger, now }: Seen): Iterable<string> {
    const told: string[] = [];
    if (input?.tag === "completed") yield* this.#begun(input.val.op, input.val.outcome, now);
    for (const { action, id, attributes } of eventsOf(outputs.records)) {
      const exec = attributes.get("execID") ?? "";
      if (action.startsWith("exec_start:")) told.push(exec);
      if (action.startsWith("exec_start:")) yield* this.#becomes(exec, "started");
      if (action === "exec_die" && ledger.records.has(`exec/${exec}`))
        broken(`exec ${exec} has died, but still has a record`);
      if (action === "exec_die") yield* this.#becomes(exec, "ended", Number(attributes.get("exitCode")), now);
      if (action === "die") for (const one of this.#waitingIn(id)) yield* this.#becomes(one, "forgotten");
    }
    for (const { command } of outputs.replies) {
      const [, exec] = command.tag === "whole" ? (MADE.exec(decoder.decode(command.val.body)) ?? []) : [];
      const about = input?.tag === "request" ? /\/containers\/[^/]+\/exec$/.test(input.val.target) : false;
      if (exec === undefined || !about) continue;
      const made = eventsOf(outputs.records).find(({ attributes }) => attributes.get("execID") === exec);
      this.#execs.set(exec, { container: made?.id ?? "", stage: "created", code: null, at: 0n });
      yield exec;
    }
    this.#asks(outputs.effects, told);
  }

  /** Notes pending starts. `told`: execs with an event for their start in this step, which may first look up a user. */
  #asks(effects: Seen["outputs"]["effects"], told: string[]): void {
    for (const { to, op, command } of effects) {
      if (to !== "processes") continue;
      if (command.tag === "exec") this.#starts.set(op, { exec: command.val.exec, isLookUp: false });
      if (command.tag === "exec") this.#again(command.val.exec);
      if (command.tag !== "identify") continue;
      const at = told.findIndex((one) => this.#execs.get(one)?.container === command.val.container);
      const [exec = ""] = at < 0 ? [] : told.splice(at, 1);
      this.#starts.set(op, { exec, isLookUp: true });
    }
  }

  #again(exec: string): void {
    const known = this.#execs.get(exec);
    if (known?.stage === "unsure") known.stage = "started";
  }

  *#begun(op: Operation, outcome: { tag: string; val: unknown }, now: types.Instant): Iterable<string> {
    const start = this.#starts.get(op);
    this.#starts.delete(op);
    const exec = this.#execs.get(start?.exec ?? "");
    if (start === undefined || exec === undefined || exec.stage !== "started") return;
    if (outcome.tag === "ok") {
      if (start.isLookUp) exec.stage = "unsure";
      return;
    }
    const failure = outcome.val as failures.Failure;
    const code = codeOf(failure);
    // A missing user gives another code, unless the container is gone.
    yield* this.#becomes(start.exec, start.isLookUp ? "unsure" : "ended", code, now);
  }

  *#becomes(exec: string, stage: Exec["stage"], code: number | null = null, now?: types.Instant): Iterable<string> {
    const known = this.#execs.get(exec);
    if (known === undefined) return;
    Object.assign(known, { stage, code, at: now?.monotonic ?? 0n });
    yield exec;
  }

  /** The execs of a container that were never started. */
  #waitingIn(container: string): string[] {
    return [...this.#execs].flatMap(([id, one]) =>
      one.container === container && one.stage === "created" ? [id] : [],
    );
  }

  #askCopy(execs: Iterable<string>, ledger: Ledger): void {
    const all = [...execs];
    if (this.#snapshot === null || all.length === 0) return;
    const copies = new Copies(this.#spares, this.#snapshot(), this.#now);
    const answers = copies.askInTurn(
      "GET",
      all.map((exec) => `/v1.55/exec/${exec}/json`),
    );
    for (const [at, { status, body }] of answers.entries()) this.#check(all[at] ?? "", status ?? 0, body, ledger);
  }

  #check(id: string, status: number, body: string, ledger: Ledger): void {
    const exec = this.#execs.get(id);
    if (exec === undefined || exec.stage === "unsure") return;
    const { stage, code, at } = exec;
    const age = stage === "ended" ? this.#now.monotonic - at : 0n;
    const isGone = !ledger.containers.has(exec.container) || stage === "forgotten";
    if (status === 404 && !isGone && age < SHORTEST)
      broken(`exec ${id}, which is ${stage}, is forgotten after ${age} ns`);
    if (status !== 200) return;
    if (isGone || age > LONGEST) broken(`exec ${id}, which is ${stage}, is still known ${age} ns after its end`);
    const { Running, ExitCode } = JSON.parse(body) as { Running: boolean; ExitCode: number | null };
    if (Running !== (stage === "started") || ExitCode !== code)
      broken(`exec ${id} is ${stage} with code ${code}, but is shown ${Running ? "as running" : `with ${ExitCode}`}`);
  }
}

function broken(message: string): never {
  throw new Breach("execs", message);
}

/** Docker's exit code for an exec that could not start. A missing user gives another one. */
function codeOf(failure: failures.Failure): number {
  if (failure.tag === "directory") return NOT_FOUND_CODE;
  return (failure.tag === "program" ? OF_PROGRAM[failure.val.error] : undefined) ?? OTHER_CODE;
}
