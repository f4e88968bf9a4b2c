// POST /containers/{id}/resize.

import { Failure, Outcome, ProcessCommandResize, Resize, Subject } from "../../../../build/bindings/types";
import { terminalSizeOf } from "../../api/terminal-size";
import { askProcesses } from "../../ask";
import { Call } from "../../call";
import { containerEvent } from "../../event/emit";
import { eventRing } from "../../event/ring";
import { failureText } from "../../failure/text";
import { badParameter, conflict, internal, Refusal } from "../../refusal";
import { sendEmpty, sendRefusal } from "../../reply";
import { Task } from "../../task";
import { Container } from "../container";
import { Status } from "../lifecycle";
import { containerStore } from "../store";

export function resizeContainer(call: Call): Refusal | null {
  const wanted = terminalSizeOf(call.query);
  if (wanted.error.length > 0) return badParameter(wanted.error);
  const lookup = containerStore.lookUp(call.name);
  const container = lookup.container;
  if (container === null) return lookup.refusal;
  if (container.status == Status.Starting) {
    container.queue.push(call);
    return null;
  }
  if (container.restarting) {
    sendEmpty(call, 200); // there is no terminal to resize
    return null;
  }
  if (!container.running) return conflict(`container ${container.id} is not running`);
  const subject = new Subject(container.id, container.run);
  const size = new Resize(subject, wanted.rows, wanted.columns);
  askProcesses(new Resizing(container, call, size), 0, new ProcessCommandResize(size));
  return null;
}

class Resizing extends Task {
  constructor(
    private readonly container: Container,
    private readonly call: Call,
    private readonly size: Resize,
  ) {
    super();
  }

  ended(_step: i32, _outcome: Outcome | null, failure: Failure | null): void {
    if (failure !== null) return sendRefusal(this.call, internal(failureText(failure)));
    eventRing.emit(
      containerEvent(this.container, "resize")
        .with("height", this.size.rows.toString())
        .with("width", this.size.columns.toString()),
    );
    sendEmpty(this.call, 200);
  }
}
