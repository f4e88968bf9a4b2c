// Containers that start with the engine (surface §2.15), a few at a time and the oldest first. So linked containers
// start before those that link to them, which wait until the linked ones are running.

import { Failure, Outcome } from "../../../../build/bindings/types";
import { wakeAfter } from "../../ask";
import { Refusal } from "../../refusal";
import { Task } from "../../task";
import { Container } from "../container";
import { Cause, Status } from "../lifecycle";
import { awaitsLinked, PATIENCE } from "../links/links-of-run";
import { startsWithEngine } from "../restart/restart-policy";
import { startNow } from "./start";
import { StartClient } from "./start-client";

/** Number of starts in parallel. */
const LANES = 8;

/** Containers whose run is still being released are started after that. */
export function startWithEngine(containers: Container[]): void {
  const ready: Container[] = [];
  for (let i = 0; i < containers.length; i++) {
    const container = containers[i];
    if (container.startsAgain || !startsWithEngine(container)) continue;
    if (container.status == Status.Exited) ready.push(container);
    else if (container.status == Status.Releasing || container.status == Status.Unwinding) {
      container.startsAgain = true;
      container.touch();
    }
  }
  ready.sort((a: Container, b: Container) => (a.sequence < b.sequence ? -1 : 1));
  const line = new Line(ready);
  for (let lane = 0; lane < LANES; lane++) line.next();
}

class Line extends Task {
  constructor(private readonly containers: Container[]) {
    super();
  }

  ended(_step: i32, _outcome: Outcome | null, _failure: Failure | null): void {}

  elapsed(_step: i32): void {
    this.next();
  }

  /** A container may already have been started or removed by a client. */
  next(): void {
    while (this.containers.length > 0) {
      const at = this.containers.findIndex((container: Container) => !awaitsLinked(container));
      if (at < 0) {
        wakeAfter(this, 0, PATIENCE);
        return;
      }
      const container = this.containers.splice(at, 1)[0];
      if (container.between || !container.can(Cause.Start)) continue;
      return startNow(container, new InLine(this));
    }
  }
}

class InLine extends StartClient {
  constructor(private readonly line: Line) {
    super();
  }

  started(): void {
    this.line.next();
  }

  refused(_refusal: Refusal): void {
    this.line.next();
  }
}
