// The removal of a step's container, which the stream tells.

import { Failure, Outcome } from "../../../../../build/bindings/types";
import { wakeAfter } from "../../../ask";
import { Container } from "../../../container/container";
import { Cause } from "../../../container/lifecycle";
import { removeLeftOver } from "../../../container/remove/left-over";
import { RemovalClient } from "../../../container/remove/removal-client";
import { removeNow } from "../../../container/remove/remove";
import { containerStore } from "../../../container/store";
import { Task } from "../../../task";

/** Waits for a removal. */
export interface RemovalReader {
  /** Whether it still wants to know. */
  tellsRemovals(): bool;
  left(container: Container, isRemoved: bool): void;
}

export class Leaving extends RemovalClient {
  constructor(
    private readonly container: Container,
    private readonly output: RemovalReader,
  ) {
    super();
  }

  begin(): void {
    const container = this.container;
    container.removeVolumes = true;
    container.removals.push(this);
    if (container.can(Cause.Remove)) removeNow(container);
  }

  removed(): void {
    this.output.left(this.container, true);
  }

  /** It stays, and is a container as any other from now on. */
  failed(_why: string): void {
    keepStepContainer(this.container);
    this.output.left(this.container, false);
  }
}

/** The container of a step becomes one as any other. */
export function keepStepContainer(container: Container): void {
  if (containerStore.find(container.id) === null) return;
  container.forBuild = false;
  container.touch();
}

/** Removes the container of a step, and tells nobody. */
export function removeStepContainer(container: Container): void {
  new LaterRemoval(container, null).begin();
}

/** The removal waits for another input: the host opens a log that is told now before it carries out what comes then. */
export class LaterRemoval extends Task {
  /** `output`: tells the removal, unless it is dropped meanwhile. */
  constructor(
    private readonly container: Container,
    private readonly output: RemovalReader | null,
  ) {
    super();
  }

  begin(): void {
    wakeAfter(this, 0, 0);
  }

  ended(_step: i32, _outcome: Outcome | null, _failure: Failure | null): void {}

  elapsed(_step: i32): void {
    const container = this.container;
    const output = this.output;
    if (containerStore.find(container.id) === null) {
      if (output !== null) output.left(container, false);
    } else if (output !== null && output.tellsRemovals()) new Leaving(container, output).begin();
    else removeLeftOver(container);
  }
}
