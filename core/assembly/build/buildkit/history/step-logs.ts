// What the commands of a build write, kept for those who ask for its steps when it is over. The host copies each log before
// its container goes: neither the core nor a record has any of it. The copies go with the record.

import {
  ContentCommandDropContainer,
  ContentCommandKeepLog,
  Failure,
  KeptLog,
  LogCopy,
  LogObjects,
  LogSource,
  Outcome,
  OutcomeSize,
} from "../../../../../build/bindings/types";
import { askContent } from "../../../ask";
import { Ignored } from "../../../ignored";
import { Fields } from "../../../records/fields";
import { engine } from "../../../state";
import { Task } from "../../../task";

/** Bytes that are kept of one step, and of all steps of one build. */
const STEP_BYTES: u32 = 1024 * 1024;
const BUILD_BYTES: u32 = 8 * STEP_BYTES;
/** Each is a directory of the host, and about 170 bytes of the record. */
const MOST_LOGS: i32 = 200;

/** The logs of one build under way. */
export class StepLogs {
  private left: u32 = BUILD_BYTES;
  private count: i32 = 0;

  /** Keeps what the container of a step has written; null if there are too many. */
  keep(container: string, vertex: string): StepLog | null {
    if (this.count >= MOST_LOGS) return null;
    this.count += 1;
    const limit = min(this.left, STEP_BYTES);
    this.left -= limit;
    const log = new StepLog(vertex, engine.ids.next());
    const what = limit == STEP_BYTES ? "1MiB" : "8MiB for all steps";
    log.begin(container, limit, `[output clipped, log limit ${what} reached]`, this);
    return log;
  }

  /** So many bytes of a limit were not needed. */
  giveBack(bytes: u32): void {
    this.left += bytes;
  }
}

/** The log of one step. */
export class StepLog extends Task {
  /** The step has written nothing. */
  isEmpty: bool = false;
  private isUnderWay: bool = false;
  private isDropped: bool = false;
  private limit: u32 = 0;
  private logs: StepLogs | null = null;

  constructor(
    /** Digest of the step's vertex. */
    readonly vertex: string,
    /** Of the container that is nothing but the log. */
    readonly id: string,
  ) {
    super();
  }

  begin(container: string, limit: u32, note: string, logs: StepLogs): void {
    this.isUnderWay = true;
    this.limit = limit;
    this.logs = logs;
    askContent(this, 0, new ContentCommandKeepLog(new KeptLog(container, new LogCopy(this.id, limit, note))));
  }

  ended(_step: i32, outcome: Outcome | null, failure: Failure | null): void {
    this.isUnderWay = false;
    if (failure === null) this.kept((<OutcomeSize>outcome!).value);
    if (this.isDropped) this.drop();
  }

  /** The host has copied it. */
  get isReady(): bool {
    return !this.isUnderWay;
  }

  /** After a failure, the record has it all the same: whatever is there goes with it. */
  private kept(size: u64): void {
    this.isEmpty = size == 0;
    this.logs!.giveBack(this.limit - <u32>min<u64>(size, this.limit));
  }

  /** For clients of BuildKit. */
  get source(): LogSource {
    const form = new LogObjects("", false, false, this.vertex);
    return new LogSource(this.id, true, true, false, false, "", form, 0, 0, null, false, true);
  }

  /** The host keeps no order between it and the copy. */
  drop(): void {
    this.isDropped = true;
    if (!this.isUnderWay) askContent(new Ignored(), 0, new ContentCommandDropContainer(this.id));
  }
}

export function stepLogFields(fields: Fields, given: StepLog | null): StepLog {
  const vertex = fields.text("vertex", given === null ? "" : given.vertex);
  const id = fields.text("container", given === null ? "" : given.id);
  return given === null ? new StepLog(vertex, id) : given;
}
