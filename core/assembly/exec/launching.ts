// An exec is started: told as an event before anything is known of it, as Docker does.

import {
  Failure,
  FailureKind,
  Launched,
  Outcome,
  OutcomeLaunched,
  ProcessCommandExec,
} from "../../../build/bindings/types";
import { askProcesses } from "../ask";
import { badParameter, conflict, internal, Refusal } from "../refusal";
import { Task } from "../task";
import { emitExec } from "./exec-event";
import { Exec, Stage } from "./exec";
import { execCommandOf } from "./exec-process";
import { finish, KILLED_CODE, reapExec } from "./finish";
import { collectLater } from "./garbage";
import { deleteExec, putExec } from "./record";

const PREFIX = "OCI runtime exec failed: exec failed: ";
const NOT_FOUND_CODE = 127;
const NOT_EXECUTABLE_CODE = 126;
const OTHER_CODE = 128;

export abstract class Launching extends Task {
  /** It was given up and reaped, whatever the host still tells of its start: there will be no end of it. */
  protected reaped: bool = false;

  constructor(protected readonly exec: Exec) {
    super();
  }

  /** It runs. */
  abstract launched(): void;

  /** It could not be started. */
  abstract refused(refusal: Refusal): void;

  begin(detached: bool, capture: u32): void {
    const exec = this.exec;
    exec.stage = Stage.Starting;
    emitExec(exec, `exec_start: ${exec.line}`);
    putExec(exec.id, exec.container, exec.run);
    askProcesses(this, 0, new ProcessCommandExec(execCommandOf(exec, detached, capture)));
  }

  ended(_step: i32, outcome: Outcome | null, failure: Failure | null): void {
    if (failure !== null) this.failed(failure);
    else this.runs((<OutcomeLaunched>outcome!).value);
    this.exec.tellWatches();
  }

  private runs(launched: Launched): void {
    const exec = this.exec;
    exec.pid = launched.pid;
    exec.stage = Stage.Running;
    this.launched();
    // Its container's run has ended before it was known to have begun.
    const isOver = !exec.container.running || exec.container.run != exec.run;
    if (isOver && exec.stage == Stage.Running) finish(exec, KILLED_CODE);
  }

  private failed(failure: Failure): void {
    const exec = this.exec;
    exec.stage = Stage.Ended;
    exec.failed = true;
    exec.exitCode = codeOf(failure.kind);
    deleteExec(exec.id);
    if (!this.reaped) reapExec(exec.id);
    if (exec.owner === null) collectLater();
    this.refused(refusalOf(exec, failure));
  }
}

function codeOf(kind: FailureKind): i32 {
  if (kind == FailureKind.CommandNotFound) return NOT_FOUND_CODE;
  return kind == FailureKind.CommandNotExecutable ? NOT_EXECUTABLE_CODE : OTHER_CODE;
}

/** Docker's sentence, with the runtime's own words in it, which clients look into (surface §2.3). */
function refusalOf(exec: Exec, failure: Failure): Refusal {
  switch (failure.kind) {
    case FailureKind.CommandNotFound:
    case FailureKind.CommandNotExecutable:
      return badParameter(`${PREFIX}unable to start container process: ${failure.message}: unknown`);
    case FailureKind.Invalid:
      return internal(`${PREFIX}${failure.message}: unknown`);
    case FailureKind.NotFound:
      return conflict(`container ${exec.container.id} is not running`);
    default:
      return internal(failure.message);
  }
}
