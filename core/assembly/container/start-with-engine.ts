// Containers that start with the engine (surface §2.15), a few at a time.

import { Refusal } from "../refusal";
import { Container } from "./container";
import { Cause, Status } from "./lifecycle";
import { startsWithEngine } from "./restart-policy";
import { startNow } from "./start";
import { StartClient } from "./start-client";

/** Starts under way at a time. */
const LANES = 8;

/** Those whose run is still being given back follow when that is done. */
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
  const line = new Line(ready);
  for (let lane = 0; lane < LANES; lane++) line.next();
}

class Line {
  private at: i32 = 0;

  constructor(private readonly containers: Container[]) {}

  /** Somebody may have been faster with one of them. */
  next(): void {
    while (this.at < this.containers.length) {
      const container = this.containers[this.at];
      this.at += 1;
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
