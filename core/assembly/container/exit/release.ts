// Releases the resources of a run: processes, network and mount,
// in parallel. Then requests that arrived meanwhile resume.

import {
  ContentCommandUnmount,
  Failure,
  NetworkCommandLeaveAll,
  Outcome,
  ProcessCommandReap,
  Subject,
} from "../../../../build/bindings/types";
import { askContent, askNetworks, askProcesses } from "../../ask";
import { freeEndpoints } from "../../network/endpoint/join";
import { Refusal } from "../../refusal";
import { Task } from "../../task";
import { leaveVolumes } from "../../volume/unmounting";
import { AfterRewiring, Container } from "../container";
import { Cause } from "../lifecycle";
import { StartClient } from "../start/start-client";
import { answerWaiters } from "./wait";
import { Condition } from "./waiter";

/** The answer to a start that failed. It is sent when everything is undone. */
export class Refused {
  constructor(
    private readonly client: StartClient,
    private readonly refusal: Refusal,
  ) {}

  send(): void {
    this.client.refused(this.refusal);
  }
}

/** Containers whose run has been released in this step. What follows is settled at the end of the step. */
export const releasedContainers: Container[] = [];

/** Leads from Unwinding or Releasing to Created or Exited. */
export function release(container: Container, refused: Refused | null): void {
  new Release(container, refused).begin();
}

class Release extends Task implements AfterRewiring {
  private open: i32 = 0;
  private clean: bool = true;

  constructor(
    private readonly container: Container,
    private readonly refused: Refused | null,
  ) {
    super();
  }

  begin(): void {
    const container = this.container;
    if (container.sandbox !== null || container.rewiring) {
      this.open += 1;
      if (container.rewiring) container.afterRewiring = this;
      else this.rewired();
    }
    this.open += 1;
    askProcesses(this, 0, new ProcessCommandReap(new Subject(container.id, container.run)));
    // Operations on the container's files will unmount it.
    if (container.filesWorks > 0) return;
    this.open += 1;
    askContent(this, 0, new ContentCommandUnmount(container.id));
  }

  /** No other command follows that could connect the container again. */
  rewired(): void {
    askNetworks(this, 0, new NetworkCommandLeaveAll(this.container.id));
  }

  ended(_step: i32, _outcome: Outcome | null, failure: Failure | null): void {
    if (failure !== null) this.clean = false;
    this.open -= 1;
    if (this.open > 0) return;
    const container = this.container;
    if (this.clean) freeEndpoints(container);
    // Leftovers of an earlier run stay to be cleared away, even if this release succeeded.
    if (!this.clean) container.leaveUnclean();
    container.pid = 0;
    container.advance(container.everRan ? Cause.Released : Cause.Undone);
    leaveVolumes(container);
    const refused = this.refused;
    // A client that waits since the run ended waits for the next
    // exit (surface §2.10). After a failed start there is no exit.
    const what: Condition = refused === null ? Condition.NotRunning : Condition.NextExit;
    if (!container.restarting) answerWaiters(container, what);
    if (refused !== null) refused.send();
    releasedContainers.push(container);
  }
}
