// Runs that are being frozen or thawed, and runs that a commit keeps frozen. The record
// is written before the host is asked to freeze the run. It is deleted when a client has
// been told, or once the run is thawed: a crash in between must not leave the run frozen.

import { Failure, Outcome, ProcessCommandResume, Subject } from "../../../../build/bindings/types";
import { askProcesses, deleteRecord } from "../../ask";
import { emitContainer } from "../../event/emit";
import { tellMended } from "../../records/found";
import { HELD_RECORDS } from "../../records/kinds";
import { setAside } from "../../records/set-aside";
import { Task } from "../../task";
import { decimalOf } from "../../text/decimal";
import { decodeUtf8 } from "../../text/utf8";
import { resumeCalls } from "../../waiting-calls";
import { Container } from "../container";
import { Cause, Status } from "../lifecycle";
import { isRefused } from "../stop/refused-signal";
import { containerStore } from "../store";
import { putHeldStill } from "./held-record";

export function holdStill(container: Container): void {
  container.holders += 1;
  putHeldStill(container);
}

/** The last operation that kept the run frozen has ended. */
export function letGoOn(container: Container, run: u32): void {
  // The run is over, and no operation keeps it frozen any more.
  if (container.run != run || container.holders == 0) return;
  container.holders -= 1;
  if (container.holders == 0) deleteRecord(HELD_RECORDS + container.id);
}

/** The run is over. Operations that kept it frozen may take long to end, but must not affect the next run. */
export function holdNoMore(container: Container): void {
  if (container.holders == 0) return;
  container.holders = 0;
  deleteRecord(HELD_RECORDS + container.id);
}

/** Why the bytes are not the number of a run; empty if they are. */
export function heldProblem(record: Uint8Array): string {
  return decimalOf(decodeUtf8(record), i32.MAX_VALUE) > 0 ? "" : "it is not the number of a run";
}

/**
 * At a restart of the engine: thaws the run if it is still there. A record that was set aside tells only the container.
 */
export function mendHeldStill(id: string, record: Uint8Array): void {
  const container = containerStore.find(id);
  const isDamaged = setAside.has(HELD_RECORDS + id);
  const isOfRun = container !== null && (isDamaged || container.run.toString() == decodeUtf8(record));
  if (container === null || !container.running || !isOfRun) return deleteRecord(HELD_RECORDS + id);
  tellMended(`run ${container.run.toString()} of container ${id}`, "it was frozen, and is thawed");
  // Usually the record is there already, and is not written again: the engine must start on a full disk, too.
  if (isDamaged) holdStill(container);
  else container.holders += 1;
  resume(container);
  if (container.status != Status.Paused) return;
  container.advance(Cause.Unpause);
  emitContainer(container, "unpause");
}

/** Thaws the run. It counts as frozen until that is done, so that a crash does not forget it. */
export function goOn(container: Container): void {
  holdStill(container);
  resume(container);
}

function resume(container: Container): void {
  const command = new ProcessCommandResume(new Subject(container.id, container.run));
  askProcesses(new GoingOn(container), 0, command);
}

class GoingOn extends Task {
  private readonly run: u32;

  constructor(private readonly container: Container) {
    super();
    this.run = container.run;
  }

  ended(_step: i32, _outcome: Outcome | null, failure: Failure | null): void {
    const container = this.container;
    letGoOn(container, this.run);
    // A run that could not be thawed is shown as paused, so that
    // a client can try again. If it died, its exit is on the way.
    if (isRefused(failure) && container.run == this.run && container.can(Cause.Pause)) {
      container.advance(Cause.Pause);
      emitContainer(container, "pause");
    }
    resumeCalls(container.queue);
  }
}
