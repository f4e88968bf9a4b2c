// Connects a running container to one more network. The container is marked meanwhile: after a crash nobody knows what
// of it was done, so all its endpoints are made again.

import {
  Failure,
  FailurePort,
  FailureTag,
  Leave,
  NetworkCommandJoin,
  NetworkCommandLeave,
  Outcome,
} from "../../../../build/bindings/types";
import { askNetworks } from "../../ask";
import { Call } from "../../call";
import { Container } from "../../container/container";
import { writeHosts, writeServers } from "../../container/links/links-of-run";
import { emitEndpoint } from "../../event/emit";
import { failureText } from "../../failure/text";
import { internal, Refusal } from "../../refusal";
import { sendEmpty, sendRefusal } from "../../reply";
import { Task } from "../../task";
import { hasNames, tellNamesOn, tellResolver } from "../names/tell-names";
import { Network } from "../network";
import { choosePlace, freePlace, removeEndpoint } from "./choose-place";
import { Endpoint } from "./endpoint";
import { networkOf } from "./endpoints-of-container";
import { gatewaysOf } from "./gateway-endpoints";
import { joinCommand } from "./join";
import { JoinClient, Joining } from "./joining";
import { choosePorts, freeUnreachablePorts, notConnected } from "./publish";
import { beginRewiring, endRewiring } from "./rewiring";

export class Connection extends Task implements JoinClient {
  /** Endpoints that led outside before, and do not any more, or in one family only. */
  private displaced: Endpoint[] = [];
  /** Number of commands in flight. */
  private open: i32 = 1;
  /** Why the connection failed; empty if it did not. */
  private why: string = "";
  /** Names were resolved in the container before. */
  private wasNamed: bool = false;
  /** All that the host's networks have to do is done. */
  private joinedAll: bool = false;
  private undone: bool = false;

  constructor(
    private readonly call: Call,
    private readonly container: Container,
    private readonly endpoint: Endpoint,
  ) {
    super();
  }

  /** Why the container cannot be connected; null if the work has begun. */
  begin(network: Network): Refusal | null {
    const container = this.container;
    const before = gatewaysOf(container);
    this.wasNamed = hasNames(container);
    const refusal = choosePlace(container, this.endpoint, network);
    if (refusal !== null) return refusal;
    container.endpoints.push(this.endpoint);
    const clash = choosePorts(container, before);
    if (clash !== null) {
      removeEndpoint(container, this.endpoint);
      this.giveBack();
      return internal(clash);
    }
    beginRewiring(container);
    this.displaced = before.changedFrom(gatewaysOf(container));
    // The ports move to the new network. So the old one gives them up first.
    this.askDisplaced();
    new Joining(container, this.endpoint, this).begin();
    return null;
  }

  /** Makes the former gateway endpoints as they shall be now. */
  private askDisplaced(): void {
    for (let i = 0; i < this.displaced.length; i++) {
      const endpoint = this.displaced[i];
      if (endpoint.place === null) continue;
      this.open += 1;
      askNetworks(this, 0, joinCommand(this.container, endpoint, networkOf(endpoint)!));
    }
  }

  /** Of other commands than the join. */
  ended(_step: i32, _outcome: Outcome | null, failure: Failure | null): void {
    this.done(failure);
  }

  joined(_endpoint: Endpoint): void {
    this.open += tellNamesOn(this.container, this.endpoint, this, 0);
    this.done(null);
  }

  notJoined(_endpoint: Endpoint, failure: Failure): void {
    this.done(failure);
  }

  private done(failure: Failure | null): void {
    if (failure !== null && this.why.length == 0 && !this.joinedAll) this.why = whyOf(this.container, failure);
    this.open -= 1;
    if (this.open > 0) return;
    if (this.why.length == 0) this.connected();
    else if (this.undone) this.refuse();
    else this.undo();
  }

  /** The client is told when the container's files are right, too. If the run has ended, nobody needs them. */
  private connected(): void {
    if (!this.joinedAll) return this.writeFiles();
    freeUnreachablePorts(this.container);
    // If the run has ended meanwhile, the connection counts for the next one.
    if (this.container.running) emitEndpoint(this.container, this.endpoint, "connect");
    sendEmpty(this.call, 200);
    endRewiring(this.container);
  }

  private writeFiles(): void {
    const container = this.container;
    this.joinedAll = true;
    this.open = 1 + writeHosts(container, this, 0);
    if (hasNames(container) && !this.wasNamed) this.open += writeServers(container, this, 0);
    this.done(null);
  }

  private undo(): void {
    const container = this.container;
    this.undone = true;
    this.open = 2;
    askNetworks(this, 0, new NetworkCommandLeave(new Leave(container.id, this.endpoint.networkId)));
    removeEndpoint(container, this.endpoint);
    this.askDisplaced();
    if (hasNames(container)) this.open += tellResolver(container, this, 0);
    this.done(null);
  }

  private refuse(): void {
    this.giveBack();
    sendRefusal(this.call, internal(this.why));
    endRewiring(this.container);
  }

  private giveBack(): void {
    freePlace(this.container, this.endpoint);
    freeUnreachablePorts(this.container);
  }
}

function whyOf(container: Container, failure: Failure): string {
  const text = failureText(failure);
  return failure.tag == FailureTag.Port ? notConnected(container, (<FailurePort>failure).value.address, text) : text;
}
