// Connects a container to one network, at its start or later: makes the network if the host has not made it yet, then
// the host joins the two.

import { Failure, FailurePort, FailureTag, Outcome } from "../../../../build/bindings/types";
import { askNetworks } from "../../ask";
import { Container } from "../../container/container";
import { isInUse } from "../../failure/port";
import { Task } from "../../task";
import { makeCommand } from "../make-command";
import { networkStore } from "../store";
import { Endpoint } from "./endpoint";
import { joinCommand } from "./join";
import { chooseOtherPorts } from "./publish";

/** Docker gives up on a random port after some tries; other programs should not hold that many ports in a row. */
const PORT_TRIES = 16;

/** Anyone who is told the result. */
export interface JoinClient {
  joined(endpoint: Endpoint): void;
  notJoined(endpoint: Endpoint, failure: Failure): void;
}

enum Step {
  Make,
  Join,
}

export class Joining extends Task {
  private portTries: i32 = 0;

  constructor(
    private readonly container: Container,
    private readonly endpoint: Endpoint,
    private readonly client: JoinClient,
  ) {
    super();
  }

  begin(): void {
    const network = networkStore.find(this.endpoint.networkId);
    // Its record is set aside. What the host has of it stays.
    if (network === null) return this.client.joined(this.endpoint);
    if (network.made) this.join();
    else askNetworks(this, Step.Make, makeCommand(network));
  }

  ended(step: i32, _outcome: Outcome | null, failure: Failure | null): void {
    if (failure !== null) this.failed(failure);
    else if (step == Step.Join) this.client.joined(this.endpoint);
    else this.join();
  }

  private join(): void {
    const network = networkStore.find(this.endpoint.networkId)!;
    network.made = true;
    askNetworks(this, Step.Join, joinCommand(this.container, this.endpoint, network));
  }

  private failed(failure: Failure): void {
    if (this.takesOther(failure)) this.join();
    else this.client.notJoined(this.endpoint, failure);
  }

  /** Another program may hold a port that the engine chose; the engine then tries another port. */
  private takesOther(failure: Failure): bool {
    if (failure.tag != FailureTag.Port) return false;
    const refused = (<FailurePort>failure).value;
    if (!isInUse(refused)) return false;
    this.portTries += 1;
    return chooseOtherPorts(this.container, this.endpoint, refused, this.portTries < PORT_TRIES);
  }
}
