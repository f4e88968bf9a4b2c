// Execs at a restart of the engine. Execs that are still running continue, and are freed when they end. If an exec has
// ended meanwhile, and its record says that the end was not reported, it is reported now.

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

/** This comes before mending the containers, since execs end before their container's run does. */
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

/**
 * This comes after mending the containers: an exec that the
 * host did not find, although its run goes on, had not started.
 */
export function dropUnbegun(): void {
  const ids = execStore.unseen;
  const adopted = execStore.adopted;
  for (let i = 0; i < ids.length; i++) {
    if (!adopted.has(ids[i])) continue;
    tellMended(`exec ${ids[i]} in container ${adopted.get(ids[i]).id}`, "it was interrupted before it started");
    adopted.delete(ids[i]);
    deleteExec(ids[i]);
  }
  execStore.unseen = [];
}

/** Recorded execs by id, without those that were set aside. */
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
    tellAdopted(name, "it is still running");
    execStore.adopted.set(found.exec, container);
    // Earlier versions of the engine wrote no record.
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
  tellSwept(name, hasBegun ? "it or its run has ended" : "it had not started");
  reapExec(found.exec);
}

/** Either the start was interrupted, or the run is gone too: then the exec ends with it. */
function mendMissing(exec: RecordedExec): void {
  const container = containerStore.find(exec.container);
  if (container === null) return deleteExec(exec.id);
  if (!goesOn(container, exec.run)) return endedWithRun(container, exec.id);
  execStore.adopted.set(exec.id, container);
  execStore.unseen.push(exec.id);
}

/** Whether the exec had started is unknown. Clients that were told of its start are now told of its end. */
function endedWithRun(container: Container, id: string): void {
  tellMended(`exec ${id} in container ${container.id}`, "it is gone, and its run has ended");
  acting.alone(EXITED_BY_ITSELF);
  emitDie(container, id, KILLED_CODE);
  acting.alone(ENGINE_START);
}

function goesOn(container: Container, run: u32): bool {
  return container.running && container.run == run;
}
