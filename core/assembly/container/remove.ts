// DELETE /containers/{id} (surface §2.19).

import {
  ContentCommandDropContainer,
  ContentCommandUnmount,
  Failure,
  Leave,
  NetworkCommandLeave,
  Outcome,
  ProcessCommandReap,
  Subject,
  VolumeCommandDrop,
} from "../../../build/bindings/types";
import { flagOf } from "../api/parameters";
import { askContent, askNetworks, askProcesses, askVolumes } from "../ask";
import { Call } from "../call";
import { emitContainer, emitVolume } from "../event/emit";
import { freeEndpoint } from "../network/connect";
import { conflict, internal, Refusal } from "../refusal";
import { sendEmpty, sendRefusal } from "../reply";
import { engine } from "../state";
import { Task } from "../task";
import { Container } from "./container";
import { endAttached } from "./exit";
import { Cause, Status } from "./lifecycle";
import { Ignored } from "./ignored";
import { takeUpQueue } from "./queue";
import { SIGKILL } from "./signals";
import { sendSignal } from "./stop";
import { answerWaiters } from "./wait";
import { Condition } from "./waiter";

export function removeContainer(call: Call): Refusal | null {
  const lookup = engine.containers.lookUp(call.name);
  const container = lookup.container;
  if (container === null) return lookup.refusal;
  if (container.status == Status.Removing) return conflict(`removal of container ${call.name} is already in progress`);
  if (container.between) {
    container.queue.push(call);
    return null;
  }
  const force = flagOf(call.query, "force");
  if (container.running && !force) return conflict(stillRunning(container, call.name));
  if (flagOf(call.query, "link")) {
    return conflict("Conflict, cannot remove the default link name of the container");
  }

  // Accepted from here.
  if (flagOf(call.query, "v")) container.removeVolumes = true;
  if (container.running) {
    container.touch();
    sendSignal(new Ignored(), 0, container, SIGKILL);
    container.queue.push(call);
    return null;
  }
  removeNow(container, call);
  return null;
}

/** Removes a container that does not run. */
export function removeNow(container: Container, call: Call | null): void {
  new Removal(container, call).begin();
}

function stillRunning(container: Container, name: string): string {
  return container.status == Status.Paused
    ? `cannot remove container "${name}": container is paused and must be unpaused first`
    : `cannot remove container "${name}": container is running: stop the container before removing or force remove`;
}

class Removal extends Task {
  private open: i32 = 0;
  private failure: string = "";
  private dropping: bool = false;

  constructor(
    private readonly container: Container,
    private readonly call: Call | null,
  ) {
    super();
  }

  /** What an earlier release could not give back is tried again; then the files go. */
  begin(): void {
    this.container.advance(Cause.Remove);
    this.resume();
  }

  resume(): void {
    const container = this.container;
    if (!container.unclean) return this.drop();
    this.open = 2;
    askProcesses(this, 0, new ProcessCommandReap(new Subject(container.id, container.run)));
    askContent(this, 0, new ContentCommandUnmount(container.id));
    const endpoint = container.endpoint;
    if (endpoint === null) return;
    this.open += 1;
    askNetworks(this, 0, new NetworkCommandLeave(new Leave(container.id, endpoint.networkId)));
  }

  ended(_step: i32, _outcome: Outcome | null, failure: Failure | null): void {
    if (failure !== null) this.failure = failure.message;
    this.open -= 1;
    if (this.open > 0) return;
    if (this.failure.length > 0) this.failed();
    else if (this.dropping) this.removed();
    else this.drop();
  }

  private drop(): void {
    const container = this.container;
    this.dropping = true;
    this.open = 1;
    askContent(this, 0, new ContentCommandDropContainer(container.id));
    if (!container.removeVolumes) return;
    for (let i = 0; i < container.volumes.length; i++) {
      this.open += 1;
      askVolumes(this, 0, new VolumeCommandDrop(container.volumes[i].name));
    }
  }

  private removed(): void {
    const container = this.container;
    freeEndpoint(container);
    container.advance(Cause.RemoveDone);
    engine.containers.remove(container);
    engine.images.layers.dropUnclaimedStack(container.chain);
    if (container.removeVolumes) this.forgetVolumes();
    emitContainer(container, "destroy");
    endAttached(container);
    answerWaiters(container, Condition.Removed);
    const call = this.call;
    if (call !== null) sendEmpty(call, 204);
    takeUpQueue(this.container);
  }

  private failed(): void {
    const container = this.container;
    container.advance(Cause.RemoveFailed);
    container.error = this.failure;
    const call = this.call;
    const message = `cannot remove container "${container.name}": ${this.failure}`;
    if (call !== null) sendRefusal(call, internal(message));
    takeUpQueue(this.container);
  }

  private forgetVolumes(): void {
    const volumes = this.container.volumes;
    for (let i = 0; i < volumes.length; i++) {
      engine.volumes.remove(volumes[i].name);
      engine.events.emit(emitVolume(volumes[i].name, "destroy"));
    }
  }
}

/** A removal that was cut short goes on. */
export function resumeRemoval(container: Container): void {
  new Removal(container, null).resume();
}
