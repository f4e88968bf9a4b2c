// What follows the end of an exec, whatever ended it.

import { ProcessCommandReapExec } from "../../../build/bindings/types";
import { askProcesses } from "../ask";
import { Container } from "../container/container";
import { containerEvent } from "../event/emit";
import { eventRing } from "../event/ring";
import { Ignored } from "../ignored";
import { endReply } from "../reply";
import { Exec, Stage } from "./exec";
import { collectLater } from "./garbage";
import { deleteExec } from "./record";

/** When the first process of a pid namespace ends, the kernel kills the others (pid_namespaces(7)): 128 + SIGKILL. */
export const KILLED_CODE: i32 = 137;

/** The exec was running and has ended. */
export function finish(exec: Exec, code: i32): void {
  exec.stage = Stage.Ended;
  exec.exitCode = code;
  emitDie(exec.container, exec.id, code);
  const call = exec.attached;
  exec.attached = null;
  if (call !== null) endReply(call);
  const owner = exec.owner;
  if (owner !== null) owner.execEnded(exec);
  else collectLater();
}

/** Emits the event of its end, and deletes its record so that this happens only once. */
export function emitDie(container: Container, id: string, code: i32): void {
  deleteExec(id);
  eventRing.emit(containerEvent(container, "exec_die").with("execID", id).with("exitCode", code.toString()));
}

/** Frees what the host keeps of the exec. */
export function reapExec(id: string): void {
  askProcesses(new Ignored(), 0, new ProcessCommandReapExec(id));
}
