// What becomes of a step's container once its log is told: it is removed, which the stream may tell, or stays.

import { Failure, Outcome } from "../../../../../build/bindings/types";
import { wakeAfter } from "../../../ask";
import { Container } from "../../../container/container";
import { Status } from "../../../container/lifecycle";
import { removeLeftOver, removeOfBuild } from "../../../container/remove/left-over";
import { RemovalClient } from "../../../container/remove/removal-client";
import { containerStore } from "../../../container/store";
import { Task } from "../../../task";

/** Nanoseconds after which a container that a client has started meanwhile is looked at again. */
const SECOND: u64 = 1_000_000_000;

/** Waits for a removal. */
export interface RemovalReader {
  /** Whether it still wants to know. */
  tellsRemovals(): bool;
  left(container: Container, isRemoved: bool): void;
}

class Leaving extends RemovalClient {
  constructor(
    private readonly container: Container,
    private readonly output: RemovalReader,
  ) {
    super();
  }

  /** A client may have started it meanwhile: then it is killed first. */
  begin(): void {
    removeOfBuild(this.container, this);
  }

  removed(): void {
    this.output.left(this.container, true);
  }

  /** It stays, from now on as an ordinary container. */
  failed(_why: string): void {
    keepStepContainer(this.container);
    this.output.left(this.container, false);
  }
}

/** Makes the container of a step an ordinary one. */
export function keepStepContainer(container: Container): void {
  if (containerStore.find(container.id) === null) return;
  container.forBuild = false;
  container.touch();
}

/** Removes the container of a step, and tells nobody. */
export function removeStepContainer(container: Container): void {
  new LaterRemoval(container, null).begin();
}

/** The same, and tells `output`. `later`: its log is about to be opened. */
export function tellRemoval(container: Container, output: RemovalReader, later: bool): void {
  if (later || container.status == Status.Starting) new LaterRemoval(container, output).begin();
  else new Leaving(container, output).begin();
}

/**
 * The removal waits for another input: the host opens a log that is told now before it carries out what comes then. It
 * also waits while a client starts the container, since only a run can be killed.
 */
class LaterRemoval extends Task {
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
    } else if (container.status == Status.Starting) wakeAfter(this, 0, SECOND);
    else if (output !== null && output.tellsRemovals()) new Leaving(container, output).begin();
    else removeLeftOver(container);
  }
}
