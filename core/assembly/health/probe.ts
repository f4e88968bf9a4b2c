// One health check: an exec as the container's user. The beginning of its output is kept (surface §2.18).

import { ExecSignal, ProcessCommandSignalExec } from "../../../build/bindings/types";
import { askProcesses, cancelTimer, wakeAfter } from "../ask";
import { Container } from "../container/container";
import { lengthOfRun } from "../container/exit/run-length";
import { Status } from "../container/lifecycle";
import { documentOf } from "../container/spec/launch";
import { SIGKILL } from "../container/stop/signals";
import { Exec, ExecOwner, Stage } from "../exec/exec";
import { emitExec } from "../exec/exec-event";
import { finish, KILLED_CODE, reapExec } from "../exec/finish";
import { Launching } from "../exec/launching";
import { execStore } from "../exec/store";
import { Ignored } from "../ignored";
import { Refusal } from "../refusal";
import { engine } from "../state";
import { formatDuration } from "../text/duration";
import { HealthResult } from "./health";
import { HealthPlan } from "./plan";

/** Bytes of output to keep. */
const CAPTURE: u32 = 4096;
const SECOND: u64 = 1_000_000_000;
/** The start of the check may take this long, whatever the check's own timeout. */
const START_LIMIT: u64 = 30 * SECOND;
/** A check that was killed but does not end hangs in the kernel. */
const KILL_LIMIT: u64 = 10 * SECOND;

/** Gets the result of a check. */
export interface ProbeOwner {
  /** `begun`: length of the container's run when the check began. */
  probed(result: HealthResult, begun: i64): void;
}

enum Timer {
  Start,
  Run,
  Kill,
}

export class Probe extends Launching implements ExecOwner {
  private readonly begun: i64 = engine.now.wall;
  private readonly runFor: i64;
  private timer: u64 = 0;
  private late: bool = false;
  /** Null when the result is no longer wanted. */
  private owner: ProbeOwner | null;

  constructor(
    container: Container,
    private readonly plan: HealthPlan,
    owner: ProbeOwner,
  ) {
    super(newExec(container, plan));
    this.owner = owner;
    this.runFor = lengthOfRun(container);
  }

  make(): void {
    const exec = this.exec;
    exec.owner = this;
    execStore.add(exec);
    emitExec(exec, `exec_create: ${exec.line}`);
    this.wake(Timer.Start, START_LIMIT);
    this.begin(false, CAPTURE);
  }

  /** The container is paused or has ended: the check leaves no result. */
  giveUp(): void {
    this.owner = null;
    this.callOff();
    if (this.exec.stage == Stage.Running) this.kill();
  }

  launched(): void {
    if (this.reaped) return finish(this.exec, KILLED_CODE);
    if (this.owner === null) return this.kill();
    this.wake(Timer.Run, <u64>this.plan.timeout);
  }

  refused(refusal: Refusal): void {
    execStore.remove(this.exec);
    this.report(-1, refusal.message);
  }

  execEnded(exec: Exec): void {
    execStore.remove(exec);
    if (!this.late) return this.report(exec.exitCode, exec.output);
    const output = exec.output.length > 0 ? `: ${exec.output}` : "";
    this.report(-1, `Health check exceeded timeout (${formatDuration(this.plan.timeout)})${output}`);
  }

  elapsed(step: i32): void {
    this.timer = 0;
    const exec = this.exec;
    if (step == Timer.Run) {
      this.late = true;
      this.kill();
      return this.wake(Timer.Kill, KILL_LIMIT);
    }
    reapExec(exec.id);
    if (step == Timer.Kill) return finish(exec, KILLED_CODE);
    this.reaped = true;
    this.report(-1, `timed out starting health check for container ${exec.container.id}`);
  }

  private report(code: i32, output: string): void {
    this.callOff();
    const owner = this.owner;
    this.owner = null;
    // A check that ends with the run leaves no result.
    if (this.exec.container.status != Status.Running) return;
    if (owner !== null) owner.probed(new HealthResult(this.begun, engine.now.wall, code, output), this.runFor);
  }

  private kill(): void {
    askProcesses(new Ignored(), 0, new ProcessCommandSignalExec(new ExecSignal(this.exec.id, SIGKILL)));
  }

  /** There is one timer at a time. */
  private wake(step: i32, delay: u64): void {
    this.callOff();
    this.timer = wakeAfter(this, step, delay);
  }

  private callOff(): void {
    if (this.timer != 0) cancelTimer(this.timer);
    this.timer = 0;
  }
}

function newExec(container: Container, plan: HealthPlan): Exec {
  const exec = new Exec(engine.ids.next(), container, container.run);
  exec.path = plan.command[0];
  exec.args = plan.command.slice(1);
  exec.openStdout = true;
  exec.openStderr = true;
  exec.user = documentOf(container.config).stringOf("User");
  return exec;
}
