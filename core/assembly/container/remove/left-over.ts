// Removes a container that runs a step of a build: when the build is cancelled, or ended with an earlier engine.

import { Failure, Outcome } from "../../../../build/bindings/types";
import { Container } from "../container";
import { Cause } from "../lifecycle";
import { disarm } from "../restart/restart-policy";
import { Killing } from "../stop/kill-timeout";
import { removeNow } from "./remove";
import { RemovalClient } from "./removal-client";

/** Removes it as soon as it can be removed; a run is killed first. Nobody is told. */
export function removeLeftOver(container: Container): void {
  removeOfBuild(container, new Nobody());
}

/** The same, and tells `client`. */
export function removeOfBuild(container: Container, client: RemovalClient): void {
  container.removeVolumes = true;
  container.removals.push(client);
  if (!container.running && container.can(Cause.Remove)) return removeNow(container);
  container.touch();
  if (container.running) new LeftOverEnd(container, client).begin();
}

class Nobody extends RemovalClient {
  removed(): void {}

  /** It stays, as any container that cannot be removed. */
  failed(_why: string): void {}
}

/** The removal follows the end of the run. */
class LeftOverEnd extends Killing {
  constructor(
    container: Container,
    private readonly client: RemovalClient,
  ) {
    super(container);
  }

  begin(): void {
    disarm(this.container);
    this.container.runEnds.push(this);
    this.kill();
  }

  ended(_step: i32, _outcome: Outcome | null, _failure: Failure | null): void {}

  ranOut(): void {}

  /** It stays, and clients can remove it as any other. */
  failed(message: string): void {
    const container = this.container;
    const place = container.removals.indexOf(this.client);
    if (place >= 0) container.removals.splice(place, 1);
    container.forBuild = false;
    container.touch();
    this.client.failed(message);
  }
}
