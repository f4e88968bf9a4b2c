// Runs that are frozen or thawed just now, and those that a commit holds still. The record is there before the pause is
// asked for and goes when a client has been told, or after the run goes on: a crash in between must not leave it frozen.

import { Failure, Outcome, ProcessCommandResume, Subject } from "../../../../build/bindings/types";
import { askProcesses, deleteRecord } from "../../ask";
import { emitContainer } from "../../event/emit";
import { tellMended } from "../../records/found";
import { HELD_RECORDS } from "../../records/kinds";
import { setAside } from "../../records/set-aside";
import { Task } from "../../task";
import { decimalOf } from "../../text/decimal";
import { decodeUtf8 } from "../../text/utf8";
import { Container } from "../container";
import { Cause, Status } from "../lifecycle";
import { takeUpQueue } from "../queue";
import { isRefused } from "../stop/refused-signal";
import { containerStore } from "../store";
import { putHeldStill } from "./held-record";

export function holdStill(container: Container): void {
  container.holders += 1;
  putHeldStill(container);
}

/** The last of those that held it lets it go. */
export function letGoOn(container: Container, run: u32): void {
  // The run is over, and with it whatever held it.
  if (container.run != run || container.holders == 0) return;
  container.holders -= 1;
  if (container.holders == 0) deleteRecord(HELD_RECORDS + container.id);
}

/** Its run is over: whoever held it still may go on for long, and holds nothing of a run that follows. */
export function holdNoMore(container: Container): void {
  if (container.holders == 0) return;
  container.holders = 0;
  deleteRecord(HELD_RECORDS + container.id);
}

/** Why bytes are no such number; empty if they are one. */
export function heldProblem(record: Uint8Array): string {
  return decimalOf(decodeUtf8(record), i32.MAX_VALUE) > 0 ? "" : "it is no number of a run";
}

/** At a restart: the run goes on, if it still runs. Of a record that was set aside only the container is known. */
export function mendHeldStill(id: string, record: Uint8Array): void {
  const container = containerStore.find(id);
  const isDamaged = setAside.has(HELD_RECORDS + id);
  const isOfRun = container !== null && (isDamaged || container.run.toString() == decodeUtf8(record));
  if (container === null || !container.running || !isOfRun) return deleteRecord(HELD_RECORDS + id);
  tellMended(`run ${container.run.toString()} of container ${id}`, "it was held still, and goes on");
  // Its record is there already, as a rule: an engine must come up on a full disk, too.
  if (isDamaged) holdStill(container);
  else container.holders += 1;
  resume(container);
  if (container.status != Status.Paused) return;
  container.advance(Cause.Unpause);
  emitContainer(container, "unpause");
}

/** Thaws the run. Until that is done it counts as held still: a crash must not forget it. */
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
    // What could not be thawed is paused, whatever was meant: a client can try again. One that died of it is on its end.
    if (isRefused(failure) && container.run == this.run && container.can(Cause.Pause)) {
      container.advance(Cause.Pause);
      emitContainer(container, "pause");
    }
    takeUpQueue(container);
  }
}
