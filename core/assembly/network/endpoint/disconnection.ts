// Disconnects a running container from one of its networks. If that was the one that led outside, another one takes over
// the default gateway and the published ports.

import { Failure, FailureTag, Leave, NetworkCommandLeave, Outcome } from "../../../../build/bindings/types";
import { askNetworks } from "../../ask";
import { Call } from "../../call";
import { Container } from "../../container/container";
import { writeHosts } from "../../container/links/links-of-run";
import { emitEndpoint } from "../../event/emit";
import { failureText } from "../../failure/text";
import { internal } from "../../refusal";
import { sendEmpty, sendRefusal } from "../../reply";
import { Task } from "../../task";
import { hasNames, tellResolver } from "../names/tell-names";
import { freePlace, removeEndpoint } from "./choose-place";
import { Endpoint } from "./endpoint";
import { networkNameOf } from "./endpoints-of-container";
import { Gateways, gatewaysOf } from "./gateway-endpoints";
import { JoinClient, Joining } from "./joining";
import { choosePorts, freePortsTo, freeUnreachablePorts } from "./publish";
import { beginRewiring, endRewiring } from "./rewiring";

enum Step {
  Leave,
  Resolve,
  Write,
}

export class Disconnection extends Task implements JoinClient {
  /** Number of commands in flight. */
  private open: i32 = 1;
  /** Why no other network took over after the container had left; empty if that worked. */
  private why: string = "";

  constructor(
    private readonly call: Call,
    private readonly container: Container,
    private readonly endpoint: Endpoint,
  ) {
    super();
  }

  begin(): void {
    beginRewiring(this.container);
    askNetworks(this, Step.Leave, new NetworkCommandLeave(new Leave(this.container.id, this.endpoint.networkId)));
  }

  ended(step: i32, _outcome: Outcome | null, failure: Failure | null): void {
    if (step == Step.Write) this.done(null);
    else if (step == Step.Resolve) this.done(failure);
    else if (failure === null) this.left();
    else this.refuse(`failed to leave network ${networkNameOf(this.endpoint)}: ${failureText(failure)}`);
  }

  private left(): void {
    const container = this.container;
    const before = gatewaysOf(container);
    const wasNamed = hasNames(container);
    removeEndpoint(container, this.endpoint);
    freePlace(container, this.endpoint);
    freeUnreachablePorts(container);
    this.takePorts(before);
    const next = gatewaysOf(container).changedFrom(before);
    for (let i = 0; i < next.length; i++) {
      this.open += 1;
      new Joining(container, next[i], this).begin();
    }
    if (wasNamed) this.open += tellResolver(container, this, Step.Resolve);
    this.open += writeHosts(container, this, Step.Write);
    this.done(null);
  }

  /** Ports at addresses at which the container was not reached before, as when the network that led was no bridge. */
  private takePorts(before: Gateways): void {
    const clash: string | null = choosePorts(this.container, before);
    if (clash !== null) this.why = clash;
  }

  joined(_endpoint: Endpoint): void {
    this.done(null);
  }

  /** It gets at least the default route, if its ports are not to be had. */
  notJoined(endpoint: Endpoint, failure: Failure): void {
    if (failure.tag == FailureTag.Port) {
      freePortsTo(this.container, endpoint);
      this.container.touch();
      this.open += 1;
      new Joining(this.container, endpoint, this).begin();
    }
    this.done(failure);
  }

  private done(failure: Failure | null): void {
    if (failure !== null && this.why.length == 0) this.why = failureText(failure);
    this.open -= 1;
    if (this.open > 0) return;
    // The end of the run has told of all networks.
    if (this.container.running) emitEndpoint(this.container, this.endpoint, "disconnect");
    if (this.why.length > 0) return this.refuse(`left network ${networkNameOf(this.endpoint)}, but: ${this.why}`);
    sendEmpty(this.call, 200);
    endRewiring(this.container);
  }

  private refuse(what: string): void {
    sendRefusal(this.call, internal(`container ${this.container.id} ${what}`));
    endRewiring(this.container);
  }
}
