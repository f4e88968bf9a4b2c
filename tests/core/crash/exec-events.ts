// Execs in the journal, wherever the engine is cut off: no exec continues or ends without its start in the journal, and
// everything that a client was told is in it.

import type { MemoryJournal } from "../../../hosts/shared/journal.js";
import { eventOf } from "../../../hosts/timeline/journal-event.js";
import type { Engine, Request } from "./engine.js";
import { Breach } from "./world.js";

/** Without the command line that follows two of them. */
type Action = "exec_create" | "exec_start" | "exec_die";

/** The parsed part of each journal, which only grows. */
const read = new WeakMap<MemoryJournal, { found: Map<string, Action[]>; next: bigint }>();

/** Actions of each exec, in order. */
export function execEvents(journal: MemoryJournal): ReadonlyMap<string, readonly Action[]> {
  const { found, next } = read.get(journal) ?? { found: new Map<string, Action[]>(), next: 1n };
  read.set(journal, { found, next: journal.endsAt.next });
  for (const { bytes } of journal.page({ from: { tag: "position", val: next }, bytes: 1 << 30 }).entries) {
    const { action = "", attributes = {} } = eventOf(bytes) ?? {};
    const exec = attributes["execID"];
    const word = /^exec_(create|start|die)\b/.exec(action)?.[0];
    if (exec !== undefined && word !== undefined) found.set(exec, [...(found.get(exec) ?? []), word as Action]);
  }
  return found;
}

/** Must hold at any time. */
export function checkExecEvents({ journal, world }: Engine): void {
  const told = execEvents(journal);
  for (const [exec, actions] of told) {
    const whole: Action[] = ["exec_create", "exec_start", "exec_die"];
    if (actions.join() !== whole.slice(0, actions.length).join()) {
      throw new Breach(`the journal tells of exec ${exec}: ${actions.join(", ")}`);
    }
  }
  for (const exec of world.state.execs.keys()) {
    if ((told.get(exec)?.length ?? 0) < 2) throw new Breach(`exec ${exec} was started, and the journal was not told`);
  }
}

/**
 * Must hold when a client has been told something. For an attached exec that ran, the end of the stream reports its
 * end.
 */
export function checkExecTold({ journal }: Engine, { method, target, status, text, over }: Request): void {
  if (method !== "POST" || status > 201) return;
  const told = execEvents(journal);
  if (/^\/containers\/[^/]+\/exec$/.test(target)) expectTold(told, (JSON.parse(text) as { Id: string }).Id, 1);
  const started = /^\/exec\/([^/]+)\/start$/.exec(target)?.[1];
  if (started === undefined) return;
  const hasEnded = over && status === 101 && text === "";
  expectTold(told, started, hasEnded ? 3 : 2);
}

function expectTold(told: ReadonlyMap<string, readonly Action[]>, exec: string, actions: number): void {
  const known = told.get(exec)?.length ?? 0;
  if (known < actions) throw new Breach(`a client was told of exec ${exec}, and the journal of ${known} of ${actions}`);
}
