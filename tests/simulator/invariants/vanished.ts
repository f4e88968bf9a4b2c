// Checks runs that have vanished when an engine is opened, as after a reboot of the machine. The engine reports at
// once that they have ended, with Docker's exit code for an unknown end. Their restart policies apply: a container
// that should run again has another run at rest.

import type { engine } from "../../../hosts/shared/host.js";
import { Breach } from "../breach.js";
import { type ContainerRecord, type Ledger, parsed, wordOf, RUNNING } from "../ledger.js";
import type { AtRest, Invariant, Seen } from "./invariant.js";
import { type JournalEvent, eventsOf } from "./journal.js";
import { type Governed, wantsAnother } from "./runs/policy.js";

export const UNKNOWN_CODE = 255;

type Policed = ContainerRecord & Governed;

export class Vanished implements Invariant {
  /** Containers that should run again automatically, with the records that the engine found, by id. */
  readonly #due = new Map<string, Policed>();

  stepped({ opening, ledger, outputs }: Seen): void {
    if (opening === null) return;
    this.#due.clear();
    const events = eventsOf(outputs.records);
    for (const record of containersIn(opening.records)) {
      const { id } = record;
      const isGone = vanished(record, opening.inventory.processes);
      if (isGone) expectEnd(record, ledger, events);
      const now = ledger.json<Policed>(`container/${id}`);
      if (now !== undefined && (isGone ? follows(record) : isToStart(record))) this.#due.set(id, record);
    }
  }

  crashed(): void {
    this.#due.clear();
  }

  rested({ ledger }: AtRest): void {
    for (const [id, then] of this.#due) {
      const now = ledger.json<Policed>(`container/${id}`);
      // A client has removed or stopped it since, or it could not be started.
      if (now === undefined || now.run !== then.run || now.error !== "") continue;
      if (["restarting", "dead"].includes(wordOf(now)) || isStoppedSince(then, now)) continue;
      if (wantsAnother(now, now.exitCode, now.manuallyStopped))
        broken(`${id} is ${wordOf(now)}, but another run should have followed run ${now.run}`);
    }
  }
}

/** Whether the record says that the container runs, but its process was not found. */
export function vanished(record: ContainerRecord, found: readonly engine.FoundProcess[]): boolean {
  if (!RUNNING.includes(wordOf(record))) return false;
  const process = found.find(({ container, run }) => container === record.id && run === record.run);
  return process === undefined || process.state.tag === "unstarted";
}

export function containersIn(stored: readonly engine.Stored[]): Policed[] {
  return stored.flatMap(({ key, value }) => (key.startsWith("container/") ? [parsed(value) as Policed] : []));
}

function expectEnd(record: Policed, ledger: Ledger, events: readonly JournalEvent[]): void {
  const { id, run } = record;
  const now = ledger.containers.get(id);
  const codes = events.flatMap((event) =>
    event.action === "die" && event.id === id ? [event.attributes.get("exitCode")] : [],
  );
  const found = `${now?.run} ${now === undefined ? "gone" : wordOf(now)} ${now?.exitCode}, events ${codes.join()}`;
  const expected = `${run} ${follows(record) ? "recycling" : "releasing"} ${UNKNOWN_CODE}, events ${UNKNOWN_CODE}`;
  if (found !== expected) broken(`run ${run} of ${id} has vanished: it is ${found}; it should be ${expected}`);
}

/** Whether it starts with the engine, or was about to be restarted. */
function isToStart(record: Policed): boolean {
  const word = wordOf(record);
  if (["recycling", "restarting"].includes(word)) return true;
  return (
    ["exited", "releasing"].includes(word) &&
    record.everRan &&
    wantsAnother(record, record.exitCode, record.manuallyStopped) === true
  );
}

function isStoppedSince(then: Policed, now: Policed): boolean {
  return (now.manuallyStopped && !then.manuallyStopped) || (now.disarmed && !then.disarmed);
}

/** Whether another run follows this one. */
function follows(record: Policed): boolean {
  return !record.disarmed && !record.startsAgain && wantsAnother(record, UNKNOWN_CODE, record.manuallyStopped) === true;
}

function broken(message: string): never {
  throw new Breach("vanished", message);
}
