// At a restart: execs that go on are let go on, and cleared away when they end. Of those that have ended meanwhile the end
// is told, by whoever's record says that it has not been.

import { FoundExec, Stored } from "../../../build/bindings/types";
import { Container } from "../container/container";
import { containerStore } from "../container/store";
import { acting, ENGINE_START, EXITED_BY_ITSELF } from "../origin";
import { tellAdopted, tellMended, tellSwept } from "../records/found";
import { EXEC_RECORDS } from "../records/kinds";
import { setAside } from "../records/set-aside";
import { emitDie, KILLED_CODE, reapExec } from "./finish";
import { deleteExec, putExec, RecordedExec } from "./record";
import { execStore } from "./store";

/** Before the containers are mended: execs end before their container's run does. */
export function mendExecs(records: Stored[], found: FoundExec[]): void {
  const recorded = recordedOf(records);
  for (let i = 0; i < found.length; i++) {
    const id = found[i].exec;
    mendFound(found[i], recorded.has(id));
    recorded.delete(id);
  }
  const missing = recorded.values();
  for (let i = 0; i < missing.length; i++) mendMissing(missing[i]);
}

/** After the containers are mended: of what the host has not found, though its run goes on, nothing had begun. */
export function dropUnbegun(): void {
  const ids = execStore.unseen;
  const adopted = execStore.adopted;
  for (let i = 0; i < ids.length; i++) {
    if (!adopted.has(ids[i])) continue;
    tellMended(`exec ${ids[i]} in container ${adopted.get(ids[i]).id}`, "it was cut off before it had begun");
    adopted.delete(ids[i]);
    deleteExec(ids[i]);
  }
  execStore.unseen = [];
}

/** By id. Those that were set aside are not among them. */
function recordedOf(records: Stored[]): Map<string, RecordedExec> {
  const execs = new Map<string, RecordedExec>();
  for (let i = 0; i < records.length; i++) {
    const key = records[i].key;
    if (!key.startsWith(EXEC_RECORDS) || setAside.has(key)) continue;
    const id = key.slice(EXEC_RECORDS.length);
    execs.set(id, new RecordedExec(id, records[i].value));
  }
  return execs;
}

function mendFound(found: FoundExec, isRecorded: bool): void {
  const subject = found.subject;
  const container = containerStore.find(subject.container);
  const name = `exec ${found.exec} in container ${subject.container}`;
  if (found.running && container !== null && goesOn(container, subject.run)) {
    tellAdopted(name, "it goes on");
    execStore.adopted.set(found.exec, container);
    // An earlier version kept none.
    if (!isRecorded) putExec(found.exec, container, subject.run);
    return;
  }
  const exit = found.exit;
  const hasBegun = found.running || exit !== null;
  if (isRecorded && container !== null && hasBegun) {
    const code = exit === null ? KILLED_CODE : <i32>exit.code;
    tellMended(name, `it has ended with code ${code.toString()}`);
    acting.alone(EXITED_BY_ITSELF);
    emitDie(container, found.exec, code);
    acting.alone(ENGINE_START);
    return reapExec(found.exec);
  }
  if (isRecorded) deleteExec(found.exec);
  if (setAside.hasContainer(subject.container)) return;
  tellSwept(name, hasBegun ? "it has ended, or its run has" : "it had not begun");
  reapExec(found.exec);
}

/** Either its start was cut off, or nothing is left of its run either: then it ends with that. */
function mendMissing(exec: RecordedExec): void {
  const container = containerStore.find(exec.container);
  if (container === null) return deleteExec(exec.id);
  if (!goesOn(container, exec.run)) return endedWithRun(container, exec.id);
  execStore.adopted.set(exec.id, container);
  execStore.unseen.push(exec.id);
}

/** Nobody knows whether it had begun: whoever was told that it did is told that it does no more. */
function endedWithRun(container: Container, id: string): void {
  tellMended(`exec ${id} in container ${container.id}`, "nothing is left of it, and its run has ended");
  acting.alone(EXITED_BY_ITSELF);
  emitDie(container, id, KILLED_CODE);
  acting.alone(ENGINE_START);
}

function goesOn(container: Container, run: u32): bool {
  return container.running && container.run == run;
}
