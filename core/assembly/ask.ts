// The complete list of what the core asks of its host. Each call begins a step of a task and returns its operation id.

import { perform as performContent } from "../../build/bindings/content";
import { perform as performNetworks } from "../../build/bindings/networks";
import { perform as performProcesses } from "../../build/bindings/processes";
import { perform as performRecords } from "../../build/bindings/records";
import { perform as performTimers } from "../../build/bindings/timers";
import {
  ContentCommand,
  ContentCommandAbandon,
  JournalEntry,
  JournalReading,
  NetworkCommand,
  ProcessCommand,
  Put,
  RecordCommandAppend,
  RecordCommandDelete,
  RecordCommandPut,
  RecordCommandRead,
  TimerCommand,
  TimerCommandSet,
  TimerCommandTag,
  VolumeCommand,
} from "../../build/bindings/types";
import { perform as performVolumes } from "../../build/bindings/volumes";
import { engine } from "./state";
import { Task } from "./task";

export function askProcesses(task: Task, step: i32, command: ProcessCommand): u64 {
  const op = engine.steps.begin(task, step);
  performProcesses(op, command);
  return op;
}

export function askContent(task: Task, step: i32, command: ContentCommand): u64 {
  const op = engine.steps.begin(task, step);
  performContent(op, command);
  return op;
}

export function askNetworks(task: Task, step: i32, command: NetworkCommand): u64 {
  const op = engine.steps.begin(task, step);
  performNetworks(op, command);
  return op;
}

export function askVolumes(task: Task, step: i32, command: VolumeCommand): u64 {
  const op = engine.steps.begin(task, step);
  performVolumes(op, command);
  return op;
}

/** Wakes the task after `delay` nanoseconds. */
export function wakeAfter(task: Task, step: i32, delay: u64): u64 {
  const op = engine.steps.begin(task, step);
  performTimers(op, new TimerCommandSet(engine.now.monotonic + delay));
  return op;
}

export function cancelTimer(op: u64): void {
  if (engine.steps.end(op) !== null) performTimers(op, new TimerCommand(TimerCommandTag.Cancel));
}

/** Cancels a content operation; its completion still arrives, as `interrupted`. */
export function abandon(task: Task, step: i32, op: u64): void {
  askContent(task, step, new ContentCommandAbandon(op));
}

/** Writes the record without further checks: see `putRecord` (records/put.ts). */
export function storeRecord(key: string, value: Uint8Array): void {
  performRecords(0, new RecordCommandPut(new Put(key, value)));
}

export function deleteRecord(key: string): void {
  performRecords(0, new RecordCommandDelete(key));
}

export function appendJournal(entry: JournalEntry): void {
  performRecords(0, new RecordCommandAppend(entry));
}

export function readJournal(task: Task, step: i32, reading: JournalReading): void {
  performRecords(engine.steps.begin(task, step), new RecordCommandRead(reading));
}
