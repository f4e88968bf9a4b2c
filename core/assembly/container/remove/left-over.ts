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
  container.removeVolumes = true;
  container.removals.push(new Nobody());
  if (container.running) new LeftOverEnd(container).begin();
  else if (container.can(Cause.Remove)) removeNow(container);
}

class Nobody extends RemovalClient {
  removed(): void {}

  /** It stays, as any container that cannot be removed. */
  failed(_why: string): void {}
}

/** The removal follows the end of the run. */
class LeftOverEnd extends Killing {
  begin(): void {
    disarm(this.container);
    this.container.runEnds.push(this);
    this.kill();
  }

  ended(_step: i32, _outcome: Outcome | null, _failure: Failure | null): void {}

  ranOut(): void {}

  failed(_message: string): void {}
}
