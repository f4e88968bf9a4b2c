// Checks which containers their restart policies start again, after a run and with the engine: `always` even if a
// client stopped them, `unless-stopped` only if none did, `on-failure` after a failure, up to its maximum. After a run
// that a client has ended, no other follows at once. This learns what a client did from the signals that were sent,
// not from records.

import { Breach } from "../../breach.js";
import { type ContainerRecord, type Ledger, RUNNING, parsed, wordOf } from "../../ledger.js";
import type { AtRest, Invariant, Seen } from "../invariant.js";
import { type Governed, type Stopped, wantsAnother } from "./policy.js";

type Policed = ContainerRecord & Governed;

/** Whether a client has stopped a container since its start, by container. A missing one was not stopped. */
type AllStopped = ReadonlyMap<string, Stopped>;

const ON_RUNS = ["start", "elapsed"];
/** Statuses in which the policy starts no run. Other invariants check them. */
const NEVER = ["created", "removing", "dead"];
const FOLLOWED = ["recycling", "restarting"];
const KILL = /^(?:\/v[\d.]+)?\/containers\/([^/]+)\/kill\b/;

export class Revivals implements Invariant {
  /** The state after each step. The first one is from before the instance was opened. */
  #stopped: AllStopped[] = [new Map()];
  /** Containers that must start with the engine, and those that only a client may start. */
  readonly #owed = new Set<string>();
  readonly #barred = new Set<string>();

  stepped(seen: Seen): void {
    const { opening, notes, ledger } = seen;
    if (opening !== null) this.#opened(seen, opening.records);
    const now = new Map(this.#stopped.at(-1));
    this.#noteStops(seen, now);
    for (const note of notes) {
      if (note.tag !== "moved") continue;
      const { container: id, rule } = note.val;
      if (rule.cause === "exit" || rule.cause === "recycle")
        followed(id, rule.cause === "recycle", now.get(id), ledger);
      if (rule.cause === "start") this.#started(id, ledger);
      if (rule.cause === "start") now.delete(id);
      if (rule.cause === "cancel") now.set(id, true);
      if (ON_RUNS.includes(rule.cause) || rule.cause === "cancel" || rule.cause === "remove") this.#owed.delete(id);
    }
    this.#stopped.push(now);
  }

  rested({ ledger }: AtRest): void {
    const waits = [...ledger.containers.values()].some((one) => wordOf(one) === "restarting");
    for (const id of this.#owed) {
      const container = ledger.containers.get(id);
      // Its delay, or that of a container that it needs, has not passed.
      if (container === undefined || (waits && (wordOf(container) === "restarting" || needsOthers(container))))
        continue;
      broken(`${id} should have started with the engine, but is ${wordOf(container)}`);
    }
  }

  #opened({ ledger }: Seen, records: NonNullable<Seen["opening"]>["records"]): void {
    const known = ledger.lost === null ? undefined : this.#stopped.at(-1 - ledger.lost);
    const containers = records.filter(({ key }) => key.startsWith("container/"));
    const all = containers.map(({ value }) => parsed(value) as Policed);
    this.#owed.clear();
    this.#barred.clear();
    const stopped = new Map(known);
    for (const record of all) {
      const { Name = "" } = record.hostConfig.RestartPolicy ?? {};
      // Without a policy it does not matter.
      if (known === undefined || ["", "no"].includes(Name)) stopped.set(record.id, record.manuallyStopped);
    }
    this.#stopped = [stopped];
    for (const record of all) this.#judge(record, stopped.get(record.id) ?? false, ledger);
  }

  #judge(before: Policed, stopped: Stopped, ledger: Ledger): void {
    const { id, creating, startsAgain } = before;
    const after = ledger.json<Policed>(`container/${id}`);
    // A client's restart is pending.
    if (after === undefined || creating === true || startsAgain || NEVER.includes(wordOf(before))) return;
    if (RUNNING.includes(wordOf(after))) return;
    const code = wordOf(before) === "exited" ? before.exitCode : after.exitCode;
    const wants = FOLLOWED.includes(wordOf(before)) || (after.everRan && wantsAnother(before, code, stopped));
    if (wants === "perhaps") return;
    (wants ? this.#owed : this.#barred).add(id);
  }

  /**
   * Notes stops. Every signal comes from a client's request. A kill of a container that waits for its next run may
   * count as a stop, too, although no signal is sent.
   */
  #noteStops({ input, outputs, ledger }: Seen, now: Map<string, Stopped>): void {
    for (const { to, command } of outputs.effects) {
      if (to === "processes" && command.tag === "signal") now.set(command.val.subject.container, true);
    }
    const ref = input?.tag === "request" ? KILL.exec(input.val.target)?.[1] : undefined;
    if (ref === undefined) return;
    for (const container of ledger.containers.values()) {
      if (!mayMean(ref, container)) continue;
      if (FOLLOWED.includes(wordOf(container)) && now.get(container.id) !== true) now.set(container.id, "perhaps");
    }
  }

  #started(id: string, ledger: Ledger): void {
    const { why = "" } = ledger.json<Policed>(`container/${id}`)?.lastChange ?? {};
    const isClients = /^[A-Z]+ \//.test(why);
    if (this.#barred.has(id) && !isClients) broken(`${id} starts with the engine (${why}), and should not`);
    this.#barred.delete(id);
  }
}

function needsOthers(container: ContainerRecord): boolean {
  const { links = [], networkMode, hostConfig } = container as Policed & { hostConfig: { PidMode?: string } };
  return links.length > 0 || [networkMode, hostConfig.PidMode ?? ""].some((mode) => mode.startsWith("container:"));
}

function mayMean(ref: string, { id, name }: ContainerRecord): boolean {
  // An unusual spelling may mean any container.
  return !/^[\w.-]+$/.test(ref) || id.startsWith(ref) || name === ref;
}

/** Checks the end of a run. */
function followed(id: string, isFollowed: boolean, stopped: Stopped = false, ledger: Ledger): void {
  const record = ledger.json<Policed>(`container/${id}`);
  if (record === undefined) return;
  const restartCount = record.restartCount - (isFollowed ? 1 : 0);
  const wants = wantsAnother({ ...record, restartCount }, record.exitCode, stopped);
  if (isFollowed && wants === false)
    broken(`another run of ${id} follows exit code ${record.exitCode}, but should not`);
  if (!isFollowed && wants === true && stopped === false)
    broken(`no run of ${id} follows exit code ${record.exitCode}`);
}

function broken(message: string): never {
  throw new Breach("revivals", message);
}
