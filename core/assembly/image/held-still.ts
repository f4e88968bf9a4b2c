// Runs that a commit has paused. The record is there before the pause is asked for and goes after the container goes on:
// a crash in between must not leave it frozen.

import { ProcessCommandResume, Subject } from "../../../build/bindings/types";
import { askProcesses, deleteRecord, putRecord } from "../ask";
import { Container } from "../container/container";
import { Ignored } from "../container/ignored";
import { Cause, Status } from "../container/lifecycle";
import { emitContainer } from "../event/emit";
import { engine } from "../state";
import { decodeUtf8, encodeUtf8 } from "../text/utf8";
import { COMMIT_RECORDS } from "./records";

export function holdStill(container: Container): void {
  putRecord(COMMIT_RECORDS + container.id, encodeUtf8(container.run.toString()));
}

export function letGoOn(container: Container): void {
  deleteRecord(COMMIT_RECORDS + container.id);
}

/** At a restart: the run goes on, if it still runs. */
export function mendHeldStill(id: string, record: Uint8Array): void {
  deleteRecord(COMMIT_RECORDS + id);
  const container = engine.containers.find(id);
  if (container === null || !container.running || container.run.toString() != decodeUtf8(record)) return;
  askProcesses(new Ignored(), 0, new ProcessCommandResume(new Subject(container.id, container.run)));
  if (container.status != Status.Paused) return;
  container.advance(Cause.Unpause);
  emitContainer(container, "unpause");
}
