import { containerEvent } from "../event/emit";
import { engine } from "../state";
import { Exec } from "./exec";

/** An event of the exec's container that names the exec. */
export function emitExec(exec: Exec, action: string): void {
  engine.events.emit(containerEvent(exec.container, action).with("execID", exec.id));
}
