// POST /exec/{id}/resize. Clients send it together with the start, so it waits for the start (surface §2.9).

import { ExecResize, Failure, Outcome, ProcessCommandResizeExec } from "../../../build/bindings/types";
import { terminalSizeOf } from "../api/terminal-size";
import { askProcesses, cancelTimer, wakeAfter } from "../ask";
import { Call } from "../call";
import { failureText } from "../failure/text";
import { badParameter, internal, Refusal } from "../refusal";
import { sendEmpty, sendRefusal } from "../reply";
import { Task } from "../task";
import { Exec, Stage, StartWatch } from "./exec";
import { execStore } from "./store";

const PATIENCE: u64 = 10 * 1_000_000_000;

export function resizeExec(call: Call): Refusal | null {
  const wanted = terminalSizeOf(call.query);
  if (wanted.error.length > 0) return badParameter(wanted.error);
  const lookup = execStore.lookUpActive(call.name);
  const exec = lookup.exec;
  if (exec === null) return lookup.refusal;
  new Resizing(call, new ExecResize(exec.id, wanted.rows, wanted.columns)).begin(exec);
  return null;
}

class Resizing extends Task implements StartWatch {
  private timer: u64 = 0;
  private waits: bool = false;

  constructor(
    private readonly call: Call,
    private readonly size: ExecResize,
  ) {
    super();
  }

  begin(exec: Exec): void {
    if (exec.stage == Stage.Running || exec.stage == Stage.Ended) return this.resize(exec);
    this.waits = true;
    exec.watches.push(this);
    this.timer = wakeAfter(this, 0, PATIENCE);
  }

  decided(exec: Exec): void {
    if (!this.waits) return;
    this.waits = false;
    cancelTimer(this.timer);
    this.resize(exec);
  }

  elapsed(_step: i32): void {
    this.waits = false;
    sendRefusal(this.call, internal("timeout waiting for exec session ready"));
  }

  ended(_step: i32, _outcome: Outcome | null, failure: Failure | null): void {
    if (failure === null) sendEmpty(this.call, 200);
    else sendRefusal(this.call, internal(failureText(failure)));
  }

  private resize(exec: Exec): void {
    if (exec.failed) return sendRefusal(this.call, badParameter("exec process is not started"));
    if (exec.stage == Stage.Ended)
      return sendRefusal(this.call, internal("cannot resize a stopped container: unknown"));
    askProcesses(this, 0, new ProcessCommandResizeExec(this.size));
  }
}
