// The end of an exec: by itself, or with its container's run.

import { ExecExited } from "../../../build/bindings/types";
import { Container } from "../container/container";
import { acting, EXITED_BY_ITSELF, HEALTH_CHECK } from "../origin";
import { decodeUtf8 } from "../text/utf8";
import { Exec, Stage } from "./exec";
import { emitDie, finish, KILLED_CODE, reapExec } from "./finish";
import { execStore } from "./store";

export function execExited(exited: ExecExited): void {
  const exec = execStore.find(exited.exec);
  if (exec === null) return adoptedExited(exited);
  // An exec that ended with its container's run has been handled already.
  if (exec.stage != Stage.Running) return;
  acting.alone(exec.owner === null ? EXITED_BY_ITSELF : HEALTH_CHECK);
  exec.output = decodeUtf8(exited.output) + (exited.truncated ? "..." : "");
  finish(exec, <i32>exited.exit.code);
  reapExec(exec.id);
}

/** The exec was started by an earlier instance, so no client can ask about it; but the event is emitted. */
function adoptedExited(exited: ExecExited): void {
  const adopted = execStore.adopted;
  if (!adopted.has(exited.exec)) return;
  acting.alone(EXITED_BY_ITSELF);
  emitDie(adopted.get(exited.exec), exited.exec, <i32>exited.exit.code);
  adopted.delete(exited.exec);
  reapExec(exited.exec);
}

/** The container's run has ended, and its execs with it. Clients can no longer use those that were never started. */
export function endExecs(container: Container): void {
  const execs = execStore.of(container);
  for (let i = 0; i < execs.length; i++) {
    if (execs[i].stage == Stage.Running) finish(execs[i], KILLED_CODE);
    else if (execs[i].stage == Stage.Created) forget(execs[i]);
  }
  const adopted = execStore.adopted.keys();
  for (let i = 0; i < adopted.length; i++) {
    if (execStore.adopted.get(adopted[i]) !== container) continue;
    execStore.adopted.delete(adopted[i]);
    emitDie(container, adopted[i], KILLED_CODE);
  }
}

function forget(exec: Exec): void {
  exec.stage = Stage.Ended;
  execStore.remove(exec);
  exec.tellWatches();
}
