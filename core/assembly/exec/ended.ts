// An exec ends: by itself, or with its container's run.

import { ExecExited, ProcessCommandReapExec } from "../../../build/bindings/types";
import { askProcesses } from "../ask";
import { Container } from "../container/container";
import { containerEvent } from "../event/emit";
import { Ignored } from "../ignored";
import { endReply } from "../reply";
import { engine } from "../state";
import { Exec, Stage } from "./exec";
import { collectLater } from "./garbage";
import { reapExec } from "./launching";

/** What is left when the first process of a pid namespace has ended is killed (pid_namespaces(7)): 128 + SIGKILL. */
const KILLED_CODE: i32 = 137;

export function execExited(exited: ExecExited): void {
  const exec = engine.execs.find(exited.exec);
  if (exec === null) return adoptedExited(exited);
  finish(exec, <i32>exited.exit.code);
  reapExec(exec);
  collectLater();
}

/** Of an exec that an earlier instance started nobody asks any more; whoever reads events is told. */
function adoptedExited(exited: ExecExited): void {
  const adopted = engine.execs.adopted;
  if (!adopted.has(exited.exec)) return;
  emitDie(adopted.get(exited.exec), exited.exec, <i32>exited.exit.code);
  adopted.delete(exited.exec);
  askProcesses(new Ignored(), 0, new ProcessCommandReapExec(exited.exec));
}

/** The container's run has ended, and its execs with it: nothing of them can be asked for any more. */
export function endExecs(container: Container): void {
  const execs = engine.execs.of(container);
  for (let i = 0; i < execs.length; i++) {
    if (execs[i].stage == Stage.Running) finish(execs[i], KILLED_CODE);
    forget(execs[i]);
  }
  const adopted = engine.execs.adopted.keys();
  for (let i = 0; i < adopted.length; i++) {
    if (engine.execs.adopted.get(adopted[i]) === container) engine.execs.adopted.delete(adopted[i]);
  }
}

function finish(exec: Exec, code: i32): void {
  exec.stage = Stage.Ended;
  exec.exitCode = code;
  emitDie(exec.container, exec.id, code);
  const call = exec.attached;
  exec.attached = null;
  if (call !== null) endReply(call);
}

/** Of one that is being started the end is told by its start. */
function forget(exec: Exec): void {
  const starting = exec.stage == Stage.Starting;
  exec.stage = Stage.Ended;
  engine.execs.remove(exec);
  if (!starting) exec.tellWatches();
}

function emitDie(container: Container, id: string, code: i32): void {
  engine.events.emit(containerEvent(container, "exec_die").with("execID", id).with("exitCode", code.toString()));
}
