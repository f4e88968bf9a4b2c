// Starts an exec. The event is emitted before the result is known, as in Docker.

import {
  Failure,
  Identify,
  Launched,
  Outcome,
  OutcomeLaunched,
  ProcessCommandExec,
  ProcessCommandIdentify,
} from "../../../build/bindings/types";
import { askProcesses } from "../ask";
import { Status } from "../container/lifecycle";
import { FailureKind } from "../failure/failure-kind";
import { kindOf } from "../failure/kind";
import { hasEnded } from "../failure/missing";
import { refusedExec } from "../failure/runtime";
import { failureText } from "../failure/text";
import { badParameter, conflict, internal, Refusal } from "../refusal";
import { Task } from "../task";
import { Exec, Stage } from "./exec";
import { emitExec } from "./exec-event";
import { execCommandOf } from "./exec-process";
import { finish, KILLED_CODE, reapExec } from "./finish";
import { collectLater } from "./garbage";
import { deleteExec, putExec } from "./record";
import { isUnknownUser, userRefusal } from "./user";

const PREFIX = "OCI runtime exec failed: exec failed: ";
const NOT_FOUND_CODE = 127;
const NOT_EXECUTABLE_CODE = 126;
const OTHER_CODE = 128;

const enum Step {
  /**
   * The user is looked up in the container's files first: Docker
   * distinguishes an unknown user from a program that cannot run.
   */
  Identify,
  Launch,
}

export abstract class Launching extends Task {
  /** The start timed out and the exec was reaped: it may still start, but no end will be reported. */
  protected reaped: bool = false;
  private detached: bool = false;
  private capture: u32 = 0;

  constructor(protected readonly exec: Exec) {
    super();
  }

  /**
   * Connects the exec's stdio, if there is a client: directly before the launch, or before the client gets an error.
   */
  protected opens(): void {}

  /** Nothing is connected to its stdio. */
  protected get alone(): bool {
    return this.detached;
  }

  /** During the user look-up the container entered a status in which no exec can start. */
  protected heldUp(): void {
    assert(false, "only execs that clients start look up a user");
  }

  /** The exec is running. */
  abstract launched(): void;

  /** The exec could not be started. */
  abstract refused(refusal: Refusal): void;

  begin(detached: bool, capture: u32): void {
    const exec = this.exec;
    this.detached = detached;
    this.capture = capture;
    exec.stage = Stage.Starting;
    if (!exec.told) emitExec(exec, `exec_start: ${exec.line}`);
    exec.told = true;
    putExec(exec.id, exec.container, exec.run);
    if (exec.asksForUser) {
      askProcesses(this, Step.Identify, new ProcessCommandIdentify(new Identify(exec.container.id, exec.user)));
    } else this.launch();
  }

  ended(step: i32, outcome: Outcome | null, failure: Failure | null): void {
    if (failure !== null) this.failed(failure, step);
    else if (step == Step.Identify) return this.identified();
    else this.runs((<OutcomeLaunched>outcome!).value);
    this.exec.tellWatches();
  }

  /** In a frozen container the exec would never start. */
  private identified(): void {
    const container = this.exec.container;
    if (isOver(this.exec) || (!container.turning && container.status == Status.Running)) return this.launch();
    this.exec.stage = Stage.Created;
    deleteExec(this.exec.id);
    this.heldUp();
  }

  private launch(): void {
    this.opens();
    askProcesses(this, Step.Launch, new ProcessCommandExec(execCommandOf(this.exec, this.alone, this.capture)));
  }

  private runs(launched: Launched): void {
    const exec = this.exec;
    exec.pid = launched.pid;
    exec.stage = Stage.Running;
    this.launched();
    // The container's run ended before the exec was reported as started.
    if (isOver(exec) && exec.stage == Stage.Running) finish(exec, KILLED_CODE);
  }

  private failed(told: Failure, step: i32): void {
    const exec = this.exec;
    const failure = refusedExec(told);
    exec.stage = Stage.Ended;
    exec.failed = true;
    const identifies = step == Step.Identify;
    const isUnknown = identifies && isUnknownUser(failure) && !isOver(exec);
    if (identifies) this.opens();
    exec.exitCode = isUnknown ? NOT_EXECUTABLE_CODE : codeOf(kindOf(failure));
    deleteExec(exec.id);
    if (!this.reaped) reapExec(exec.id);
    if (exec.owner === null) collectLater();
    this.refused(identifies && !isOver(exec) ? userRefusal(failure) : refusalOf(exec, failure));
  }
}

function isOver(exec: Exec): bool {
  return !exec.container.running || exec.container.run != exec.run;
}

function codeOf(kind: FailureKind): i32 {
  if (kind == FailureKind.CommandNotFound) return NOT_FOUND_CODE;
  return kind == FailureKind.CommandNotExecutable ? NOT_EXECUTABLE_CODE : OTHER_CODE;
}

/** Docker's message around the runtime's own text, which clients parse (surface §2.3). */
function refusalOf(exec: Exec, failure: Failure): Refusal {
  if (isOver(exec) || hasEnded(failure)) return conflict(`container ${exec.container.id} is not running`);
  switch (kindOf(failure)) {
    case FailureKind.CommandNotFound:
    case FailureKind.CommandNotExecutable:
      return badParameter(`${PREFIX}unable to start container process: ${failureText(failure)}: unknown`);
    case FailureKind.Invalid:
      return internal(`${PREFIX}${failureText(failure)}: unknown`);
    default:
      return internal(failureText(failure));
  }
}
