import { containerEvent } from "../event/emit";
import { eventRing } from "../event/ring";
import { Exec } from "./exec";

/** An event of the exec's container that names the exec. */
export function emitExec(exec: Exec, action: string): void {
  eventRing.emit(containerEvent(exec.container, action).with("execID", exec.id));
}
