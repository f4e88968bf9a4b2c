// Applies new limits to a run. The container is marked meanwhile: after a crash nobody knows whether they were applied,
// so the old limits in the record are applied again.

import { Failure, Limit, Outcome, ProcessCommandLimit, Subject } from "../../../../build/bindings/types";
import { askProcesses } from "../../ask";
import { hasEnded } from "../../failure/missing";
import { failureText } from "../../failure/text";
import { Json } from "../../json/json";
import { internal } from "../../refusal";
import { sendRefusal } from "../../reply";
import { Task } from "../../task";
import { resumeCalls } from "../../waiting-calls";
import { Container } from "../container";
import { ratesOf } from "../spec/devices";
import { documentOf } from "../spec/launch";
import { limitsOf } from "../spec/spec-resources";
import { Updated } from "./update-end";

/** `hostConfig`: with the new limits. */
export function limitRun(container: Container, hostConfig: Json, updated: Updated): void {
  new Limiting(container, updated).begin(hostConfig);
}

/** Called at a restart of the engine for a container that was marked. */
export function mendLimits(container: Container): void {
  if (container.running) new Limiting(container, null).begin(documentOf(container.hostConfig));
  else unmark(container);
}

class Limiting extends Task {
  constructor(
    private readonly container: Container,
    private readonly updated: Updated | null,
  ) {
    super();
  }

  begin(hostConfig: Json): void {
    const container = this.container;
    if (!container.limiting) container.touch();
    container.limiting = true;
    const subject = new Subject(container.id, container.run);
    askProcesses(this, 0, new ProcessCommandLimit(new Limit(subject, limitsOf(hostConfig), ratesOf(hostConfig))));
  }

  ended(_step: i32, _outcome: Outcome | null, failure: Failure | null): void {
    const container = this.container;
    unmark(container);
    const updated = this.updated;
    // If the run has ended meanwhile, the limits apply to the next one.
    const over = failure !== null && hasEnded(failure);
    if (updated !== null) {
      if (failure === null || over) updated.take();
      else sendRefusal(updated.call, internal(`Cannot update container ${container.id}: ${failureText(failure)}`));
    }
    resumeCalls(container.queue);
  }
}

function unmark(container: Container): void {
  container.limiting = false;
  container.touch();
}
