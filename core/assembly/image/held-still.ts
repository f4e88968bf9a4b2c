// Runs that a commit has paused. The record is there before the pause is asked for and goes after the container goes on:
// a crash in between must not leave it frozen.

import { Failure, Outcome, ProcessCommandResume, Subject } from "../../../build/bindings/types";
import { askProcesses, deleteRecord, putRecord } from "../ask";
import { Container } from "../container/container";
import { Cause, Status } from "../container/lifecycle";
import { emitContainer } from "../event/emit";
import { engine } from "../state";
import { Task } from "../task";
import { decodeUtf8, encodeUtf8 } from "../text/utf8";
import { COMMIT_RECORDS } from "./records";

export function holdStill(container: Container): void {
  container.holders += 1;
  putRecord(COMMIT_RECORDS + container.id, encodeUtf8(container.run.toString()));
}

/** The last of those that held it lets it go. */
export function letGoOn(container: Container): void {
  container.holders -= 1;
  if (container.holders == 0) deleteRecord(COMMIT_RECORDS + container.id);
}

/** At a restart: the run goes on, if it still runs. */
export function mendHeldStill(id: string, record: Uint8Array): void {
  const container = engine.containers.find(id);
  if (container === null || !container.running || container.run.toString() != decodeUtf8(record)) {
    return deleteRecord(COMMIT_RECORDS + id);
  }
  goOn(container);
  if (container.status != Status.Paused) return;
  container.advance(Cause.Unpause);
  emitContainer(container, "unpause");
}

/** Thaws the run. Until that is done it counts as held still: a crash must not forget it. */
export function goOn(container: Container): void {
  container.holders += 1;
  const resume = new ProcessCommandResume(new Subject(container.id, container.run));
  askProcesses(new GoingOn(container), 0, resume);
}

class GoingOn extends Task {
  constructor(private readonly container: Container) {
    super();
  }

  ended(_step: i32, _outcome: Outcome | null, _failure: Failure | null): void {
    letGoOn(this.container);
  }
}
