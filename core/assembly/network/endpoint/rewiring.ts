// Marks a running container while one of its networks is connected or disconnected. After a crash nobody knows what of
// it was done. So all endpoints of a marked container are made again as its record has them.

import { Failure } from "../../../../build/bindings/types";
import { Container } from "../../container/container";
import { tellNetworks, writeHosts, writeServers } from "../../container/links/links-of-run";
import { Ignored } from "../../ignored";
import { tellMended } from "../../records/found";
import { resumeCalls } from "../../waiting-calls";
import { hasNames, tellNamesAgain } from "../names/tell-names";
import { Endpoint } from "./endpoint";
import { JoinClient, Joining } from "./joining";

export function beginRewiring(container: Container): void {
  container.rewiring = true;
  container.touch();
}

/** Containers with links to this one learn its address. A release of the run has waited until now. */
export function endRewiring(container: Container): void {
  container.rewiring = false;
  container.touch();
  tellNetworks(container.linkedBy);
  const waiting = container.afterRewiring;
  container.afterRewiring = null;
  if (waiting !== null) waiting.rewired();
  resumeCalls(container.queue);
}

/** Called at a restart of the engine for a container that was marked. */
export function mendRewiring(container: Container): void {
  if (container.running) new Rewiring(container).begin();
  else endRewiring(container);
}

class Rewiring implements JoinClient {
  private open: i32 = 1;

  constructor(private readonly container: Container) {}

  begin(): void {
    const container = this.container;
    tellMended(`container ${container.id}`, "its connections to networks are made again");
    const all = container.endpoints;
    for (let i = 0; i < all.length; i++) {
      if (all[i].place === null) continue;
      this.open += 1;
      new Joining(container, all[i], this).begin();
    }
    this.done();
  }

  joined(_endpoint: Endpoint): void {
    this.done();
  }

  /** The endpoint stays in the record, and the next start tries again. */
  notJoined(_endpoint: Endpoint, _failure: Failure): void {
    this.done();
  }

  private done(): void {
    this.open -= 1;
    if (this.open > 0) return;
    const container = this.container;
    tellNamesAgain(container);
    writeHosts(container, new Ignored(), 0);
    if (hasNames(container)) writeServers(container, new Ignored(), 0);
    endRewiring(container);
  }
}
