// An exec ends: by itself, or with its container's run.

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
  // Of one that has ended with its run this is no news.
  if (exec.stage != Stage.Running) return;
  acting.alone(exec.owner === null ? EXITED_BY_ITSELF : HEALTH_CHECK);
  exec.output = decodeUtf8(exited.output) + (exited.truncated ? "..." : "");
  finish(exec, <i32>exited.exit.code);
  reapExec(exec.id);
}

/** Of an exec that an earlier instance started nobody asks any more; whoever reads events is told. */
function adoptedExited(exited: ExecExited): void {
  const adopted = execStore.adopted;
  if (!adopted.has(exited.exec)) return;
  acting.alone(EXITED_BY_ITSELF);
  emitDie(adopted.get(exited.exec), exited.exec, <i32>exited.exit.code);
  adopted.delete(exited.exec);
  reapExec(exited.exec);
}

/** The container's run has ended, and its execs with it. Those that were never started can be asked for no more. */
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
