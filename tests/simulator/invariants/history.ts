// Checks the stored journal, whenever an engine is opened. It has the entries that engines appended, up to some step.
// It has the events of everything that clients were told. And it agrees with the records and the machine about
// containers and execs.

import type { engine, records } from "../../../hosts/shared/host.js";
import { Breach } from "../breach.js";
import type { ContainerRecord } from "../ledger.js";
import { RUNNING, isEqual, parsed, wordOf } from "../ledger.js";
import type { Answer, Asked, Oracle } from "../oracle.js";
import type { Invariant, Seen } from "./invariant.js";
import type { Spoilt } from "../worlds/disk.js";
import { type JournalEvent, eventOf, readableEvent } from "./journal.js";

/** Reads the entries from a position on. */
export type ReadJournal = (position: bigint) => records.JournalEntry[];

const RESIZE = /^POST \/containers\/([0-9a-f]{64})\/resize$/;
/** The event that an answer implies, for requests that name a container or an exec by its id. */
const TOLD: readonly { request: RegExp; statuses: readonly number[]; action: string }[] = [
  { request: /^POST \/containers\/([0-9a-f]{64})\/start$/, statuses: [204], action: "start" },
  { request: /^POST \/containers\/([0-9a-f]{64})\/stop$/, statuses: [204], action: "stop" },
  { request: /^POST \/containers\/([0-9a-f]{64})\/rename$/, statuses: [204], action: "rename" },
  { request: /^POST \/containers\/([0-9a-f]{64})\/update$/, statuses: [200], action: "update" },
  { request: RESIZE, statuses: [200], action: "resize" },
  { request: /^POST \/containers\/([0-9a-f]{64})\/attach$/, statuses: [101, 200], action: "attach" },
  { request: /^GET \/containers\/([0-9a-f]{64})\/top$/, statuses: [200], action: "top" },
  { request: /^DELETE \/containers\/([0-9a-f]{64})$/, statuses: [204], action: "destroy" },
  { request: /^POST \/exec\/([0-9a-f]{64})\/start$/, statuses: [101, 200], action: "exec_start" },
];
/** The same for answers that name the new object. */
const MADE: typeof TOLD = [
  { request: /^POST \/containers\/create$/, statuses: [201], action: "create" },
  { request: /^POST \/containers\/.+\/exec$/, statuses: [201], action: "exec_create" },
];
const BETWEEN = ["recycling", "restarting"];
/** Also the statuses of a container whose creation failed. */
const GOING = ["removing", "dead"];

export class History implements Invariant, Oracle {
  readonly #read: ReadJournal;
  /** All appended entries, by position. A later entry replaces one that was not committed. */
  readonly #asked = new Map<bigint, Uint8Array>();
  /** `start 0123…` for each stored event. For an exec it has the exec's id. */
  #kept = new Set<string>();
  #next = 1n;
  /** Events that clients' answers implied since an engine was last opened. */
  readonly #told = new Set<string>();
  /** Unanswered requests to resize a terminal, with the container. */
  readonly #resizing = new Map<bigint, string>();
  /** Containers that were between two runs when a resize was answered, so that there was no terminal and no event. */
  readonly #between: string[] = [];
  /** Execs that were running or had ended when an engine was opened. */
  readonly #begun = new Set<string>();
  /** What is lost or damaged in the data that the next engine is opened with. */
  #spoilt: Spoilt | null = null;
  /** Containers and execs whose journal and records have disagreed since a damage. */
  readonly #excused = new Set<string>();

  constructor(read: ReadJournal) {
    this.#read = read;
  }

  stepped({ opening, input, outputs, ledger }: Seen): void {
    if (opening !== null) this.#opened(opening);
    this.#noteResizes(input, outputs.replies, ledger);
    for (const command of outputs.records) {
      if (command.tag === "append") this.#asked.set(command.val.position, command.val.bytes.slice());
    }
  }

  /** Notes a container's status in the step that answers, since later steps may come before the answer leaves. */
  #noteResizes(input: Seen["input"], replies: Seen["outputs"]["replies"], ledger: Seen["ledger"]): void {
    if (input?.tag === "request") {
      const id = RESIZE.exec(requestOf(input.val))?.[1];
      if (id !== undefined) this.#resizing.set(input.val.id, id);
    }
    for (const { request, command } of replies) {
      const id = this.#resizing.get(request);
      if (id === undefined) continue;
      this.#resizing.delete(request);
      if (command.tag !== "whole" || command.val.head.status !== 200) continue;
      const container = ledger.containers.get(id);
      if (container !== undefined && BETWEEN.includes(wordOf(container))) this.#between.push(id);
    }
  }

  spoilt(what: Spoilt): void {
    this.#spoilt = what;
  }

  forsaken(): void {}

  asked(): void {}

  answered(asked: Asked, { status, body }: Answer): null {
    const request = requestOf(asked);
    const fits = ({ request: form, statuses }: (typeof TOLD)[number]): boolean =>
      statuses.includes(status) && form.test(request);
    for (const { action, request: form } of TOLD.filter(fits)) {
      const id = form.exec(request)?.[1] ?? "";
      const at = action === "resize" ? this.#between.indexOf(id) : -1;
      if (at < 0) this.#hear(action, id);
      else this.#between.splice(at, 1);
    }
    for (const { action } of MADE.filter(fits)) this.#hear(action, (JSON.parse(body ?? "") as { Id: string }).Id);
    return null;
  }

  told(): null {
    return null;
  }

  ended(): null {
    return null;
  }

  left(): void {}

  happened(): null {
    return null;
  }

  crashed(): void {
    this.#resizing.clear();
    this.#between.length = 0;
  }

  opened(): null {
    return null;
  }

  rested(): null {
    return null;
  }

  /** The event must be stored before the answer. A name that looks like an id is ignored, since nothing has this id. */
  #hear(action: string, id: string): void {
    for (const { position, bytes } of this.#read(this.#next)) {
      this.#kept.add(nameOf(eventOf(bytes)));
      this.#next = position + 1n;
    }
    const making = action.startsWith("exec_") ? "exec_create" : "create";
    if (action !== making && !this.#kept.has(`${making} ${id}`)) return;
    const what = `${action} ${id}`;
    this.#told.add(what);
    if (!this.#kept.has(what)) broken(`an answer implies ${what}, but the journal lacks this event`);
  }

  #opened({ records: stored, inventory, journal }: NonNullable<Seen["opening"]>): void {
    const entries = this.#read(1n);
    if (this.#spoilt !== null) this.#startOver(this.#spoilt, entries);
    for (const { position, bytes } of entries) {
      const asked = this.#asked.get(position);
      if (asked === undefined || !isEqual(asked, bytes)) broken(`entry ${position} is not what was appended`);
    }
    const last = entries.at(-1)?.position ?? 0n;
    if (journal.next !== last + 1n) broken(`its last entry is ${last}, and it ends at ${journal.next}`);
    for (const position of this.#asked.keys()) if (position >= journal.next) this.#asked.delete(position);
    const events = entries.flatMap(({ bytes }) => readableEvent(bytes) ?? []);
    this.#kept = new Set(events.map(nameOf));
    this.#next = journal.next;
    for (const what of this.#told)
      if (!this.#kept.has(what)) broken(`an answer implied ${what}, but the event is lost`);
    this.#told.clear();
    const complaints = [...ofContainers(events, stored)];
    const recorded = new Set(stored.flatMap(({ key }) => (key.startsWith("exec/") ? [key.slice(5)] : [])));
    for (const { exec, running, exit } of inventory.execs) if (running || exit !== undefined) this.#begun.add(exec);
    complaints.push(...ofExecs(events, inventory.execs, recorded, this.#begun));
    const isDamaged = this.#spoilt !== null && (this.#spoilt.isDamaged || this.#spoilt.isJournalDamaged);
    if (isDamaged) for (const { id } of complaints) this.#excused.add(id);
    this.#spoilt = null;
    const complaint = complaints.find(({ id }) => !this.#excused.has(id));
    if (complaint !== undefined) broken(complaint.why);
  }

  /** Earlier promises may be lost. The remaining entries must stay as they are. */
  #startOver({ isLost, isJournalDamaged }: Spoilt, entries: readonly records.JournalEntry[]): void {
    if (isLost || isJournalDamaged) this.#told.clear();
    if (isLost) this.#begun.clear();
    if (isJournalDamaged) this.#asked.clear();
    if (isJournalDamaged) for (const { position, bytes } of entries) this.#asked.set(position, bytes);
  }
}

/** `POST /containers/web/start`. */
function requestOf({ method, target }: { method: string; target: string }): string {
  const [path = ""] = target.split("?");
  return `${method} ${path.replace(/^\/v[\d.]+/, "")}`;
}

interface Complaint {
  /** The container or exec. */
  id: string;
  why: string;
}

/** Compares journal and records: which containers exist, run and are paused. */
function* ofContainers(events: readonly JournalEvent[], stored: readonly engine.Stored[]): Generator<Complaint> {
  const tales = talesOf(events.filter(({ type, action }) => type === "container" && MOVES.has(action)));
  const containers = new Map(
    stored.flatMap(({ key, value }) => {
      return key.startsWith("container/") ? [[key.slice(10), parsed(value) as ContainerRecord]] : [];
    }),
  );
  for (const [id, actions] of tales) {
    if (actions.includes("destroy") === containers.has(id))
      yield { id, why: `${id} has the events ${actions.join(", ")}, but ${containers.has(id) ? "a" : "no"} record` };
  }
  for (const [id, container] of containers) {
    const actions = tales.get(id) ?? [];
    // It has no event yet, or never will.
    if (actions.length === 0 && (container.creating === true || GOING.includes(wordOf(container)))) continue;
    const last = actions.filter((action) => action !== "create").at(-1) ?? "die";
    const runs = last !== "die";
    const word = wordOf(container);
    // A paused container that is thawed only to die of SIGKILL causes no event.
    if (actions[0] !== "create" || runs !== RUNNING.includes(word) || (word === "paused" && last !== "pause")) {
      yield { id, why: `${id} is ${word} in its record, but its events are ${actions.join(", ")}` };
    }
  }
}

const MOVES = new Set(["create", "start", "die", "pause", "unpause", "destroy"]);
const EXEC = ["exec_create", "exec_start", "exec_die"];
/** Checks that each exec has a start before it runs or ends, and that each started one has an end or a record. */
function* ofExecs(
  events: readonly JournalEvent[],
  found: readonly engine.FoundExec[],
  recorded: ReadonlySet<string>,
  begun: ReadonlySet<string>,
): Generator<Complaint> {
  const own = events.filter((event) => EXEC.includes(wordIn(event.action)));
  const tales = talesOf(own);
  for (const [exec, actions] of tales) {
    if (actions.join() !== EXEC.slice(0, actions.length).join()) {
      yield { id: exec, why: `the events of exec ${exec} are ${actions.join(", ")}` };
    }
  }
  for (const { exec: id } of found)
    if ((tales.get(id)?.length ?? 0) < 2) yield { id, why: `exec ${id} was started without an event` };
  for (const id of recorded)
    if (tales.get(id)?.length !== 2) yield { id, why: `exec ${id} has a record, but its events are ${tales.get(id)}` };
  for (const id of begun)
    if (!recorded.has(id) && tales.get(id)?.length !== 3) yield { id, why: `the end of exec ${id} has no event` };
}

/** The actions of each object, in order. */
function talesOf(events: readonly JournalEvent[]): Map<string, string[]> {
  const tales = new Map<string, string[]>();
  for (const event of events) {
    const [action = "", id = ""] = nameOf(event).split(" ");
    tales.set(id, [...(tales.get(id) ?? []), action]);
  }
  return tales;
}

function nameOf({ action, id, attributes }: JournalEvent): string {
  return `${wordIn(action)} ${attributes.get("execID") ?? id}`;
}

/** The action without the command line after a colon. */
function wordIn(action: string): string {
  return action.split(":")[0] ?? "";
}

function broken(message: string): never {
  throw new Breach("history", message);
}
