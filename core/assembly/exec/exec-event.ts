import { containerEvent } from "../event/emit";
import { eventRing } from "../event/ring";
import { Exec } from "./exec";

/** Emits an event of the container with the exec's id. */
export function emitExec(exec: Exec, action: string): void {
  eventRing.emit(containerEvent(exec.container, action).with("execID", exec.id));
}
