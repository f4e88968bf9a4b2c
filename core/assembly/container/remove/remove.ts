// DELETE /containers/{id} (surface §2.19).

import {
  ContentCommandDropContainer,
  ContentCommandUnmount,
  Failure,
  NetworkCommandLeaveAll,
  Outcome,
  ProcessCommandReap,
  Subject,
  VolumeCommandDrop,
} from "../../../../build/bindings/types";
import { flagOf } from "../../api/parameters";
import { askContent, askNetworks, askProcesses, askVolumes } from "../../ask";
import { Call } from "../../call";
import { emitContainer, volumeEvent } from "../../event/emit";
import { eventRing } from "../../event/ring";
import { failureText } from "../../failure/text";
import { layerStore } from "../../image/layers/layer-store";
import { freeEndpoints } from "../../network/endpoint/join";
import { CONTAINER_RECORDS, HELD_RECORDS } from "../../records/kinds";
import { setAside } from "../../records/set-aside";
import { conflict, internal, Refusal } from "../../refusal";
import { sendEmpty, sendRefusal } from "../../reply";
import { Task } from "../../task";
import { volumeStore } from "../../volume/store";
import { passOn } from "../../volume/untold";
import { isUsedBeside, takesAlong } from "../../volume/use";
import { resumeCalls } from "../../waiting-calls";
import { Container } from "../container";
import { endAttached } from "../exit/end-attached";
import { answerRemovalFailed, answerWaiters } from "../exit/wait";
import { Condition } from "../exit/waiter";
import { abandonExtracts } from "../files/extract";
import { Cause, Status } from "../lifecycle";
import { parentOf, removeLink, untieLinks } from "../links/links";
import { tellNetworks } from "../links/links-of-run";
import { MountPoint } from "../mounts/mount-point";
import { cancelRestart } from "../restart/backoff";
import { disarm } from "../restart/restart-policy";
import { Killing } from "../stop/kill-timeout";
import { isRefused } from "../stop/refused-signal";
import { containerStore } from "../store";
import { containerSizes } from "../usage/sizes";
import { endStats } from "../usage/stats";
import { removeRemains } from "./remains";
import { RemovalCall } from "./removal-call";
import { RemovalClient } from "./removal-client";

export function removeContainer(call: Call): Refusal | null {
  const lookup = containerStore.lookUp(call.name);
  const container = lookup.container;
  if (container === null) return removeRemains(call, lookup.refusal!);
  if (container.status == Status.Removing) return inProgress(call);
  if (flagOf(call.query, "link")) return unlink(call);
  const restarting = container.restarting && container.status != Status.Starting;
  if (container.between && !restarting) {
    container.queue.push(call);
    return null;
  }
  const force = flagOf(call.query, "force");
  if ((container.running || restarting) && !force) return conflict(stillRunning(container, call.name));
  if (container.removals.length > 0) return inProgress(call);

  // The request is accepted from here on.
  container.removeVolumes = flagOf(call.query, "v");
  const client = new RemovalCall(container, call);
  container.removals.push(client);
  if (restarting) cancelRestart(container);
  if (container.running) new ForcedEnd(container, call, client).begin();
  else if (container.can(Cause.Remove)) removeNow(container);
  return null;
}

/** Removes only a link's name of the container, not the container itself. */
function unlink(call: Call): Refusal | null {
  const parent = parentOf(call.name);
  if (parent === null) return conflict("Conflict, cannot remove the default link name of the container");
  removeLink(parent, call.name);
  tellNetworks([parent]);
  sendEmpty(call, 204);
  return null;
}

/** Removes a container whose run is over, as soon as the run's resources are released. Its volumes stay. */
export function removeIdle(container: Container, client: RemovalClient): void {
  container.removeVolumes = false;
  container.removals.push(client);
  if (container.can(Cause.Remove)) removeNow(container);
}

/** Removes a container that is not running, and answers its `removals`. */
export function removeNow(container: Container): void {
  new Removal(container).begin();
}

function inProgress(call: Call): Refusal {
  return conflict(`removal of container ${call.name} is already in progress`);
}

function stillRunning(container: Container, name: string): string {
  return container.status == Status.Paused
    ? `cannot remove container "${name}": container is paused and must be unpaused first`
    : `cannot remove container "${name}": container is ${container.word}: stop the container before removing or force remove`;
}

/** The SIGKILL of a forced removal. The removal follows the end of the run, unless SIGKILL fails. */
class ForcedEnd extends Killing {
  constructor(
    container: Container,
    private readonly call: Call,
    private readonly client: RemovalClient,
  ) {
    super(container);
  }

  begin(): void {
    disarm(this.container);
    this.container.runEnds.push(this);
    this.kill();
  }

  ended(_step: i32, _outcome: Outcome | null, failure: Failure | null): void {
    if (isRefused(failure)) this.giveUp(failureText(failure!));
  }

  ranOut(): void {}

  failed(message: string): void {
    const removals = this.container.removals;
    removals.splice(removals.indexOf(this.client), 1);
    const text = `cannot remove container "${this.container.name}": could not kill: ${message}`;
    sendRefusal(this.call, internal(text));
  }
}

enum Step {
  Other,
  /** The first mount, if it is a volume; the others follow by index. */
  Volume,
}

class Removal extends Task {
  private open: i32 = 0;
  private failure: string = "";
  private dropping: bool = false;

  constructor(private readonly container: Container) {
    super();
  }

  /** Repeats what an earlier release could not do; then removes the files. */
  begin(): void {
    this.container.advance(Cause.Remove);
    this.resume();
  }

  resume(): void {
    const container = this.container;
    if (!container.unclean) return this.drop();
    this.open = 2;
    askProcesses(this, Step.Other, new ProcessCommandReap(new Subject(container.id, container.uncleanRun)));
    askContent(this, Step.Other, new ContentCommandUnmount(container.id));
    if (container.sandbox === null) return;
    this.open += 1;
    askNetworks(this, Step.Other, new NetworkCommandLeaveAll(container.id));
  }

  ended(step: i32, _outcome: Outcome | null, failure: Failure | null): void {
    if (failure !== null) this.failure = failureText(failure);
    else if (step >= Step.Volume) this.forgetVolume(this.container.mounts[step - Step.Volume]);
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
    if (container.filesWorks > 0) this.takeFilesAway();
    askContent(this, Step.Other, new ContentCommandDropContainer(container.id));
    this.dropVolumes();
  }

  private dropVolumes(): void {
    const mounts = this.container.mounts;
    for (let i = 0; i < mounts.length; i++) {
      if (!isTaken(this.container, mounts[i])) continue;
      this.open += 1;
      askVolumes(this, Step.Volume + i, new VolumeCommandDrop(mounts[i].name));
    }
  }

  /** Clients that still read or write the files do not delay the removal. */
  private takeFilesAway(): void {
    abandonExtracts(this.container);
    this.open += 1;
    askContent(this, Step.Other, new ContentCommandUnmount(this.container.id));
  }

  private removed(): void {
    const container = this.container;
    freeEndpoints(container);
    untieLinks(container);
    container.advance(Cause.RemoveDone);
    containerStore.remove(container);
    setAside.forget(HELD_RECORDS + container.id);
    layerStore.dropUnclaimedStack(container.chain);
    emitContainer(container, "destroy");
    endAttached(container);
    endStats(container);
    containerSizes.removed(container);
    answerWaiters(container, Condition.Removed);
    const clients = container.removals.splice(0);
    for (let i = 0; i < clients.length; i++) clients[i].removed();
    resumeCalls(container.queue);
  }

  private failed(): void {
    const container = this.container;
    container.advance(Cause.RemoveFailed);
    container.error = this.failure;
    const clients = container.removals.splice(0);
    for (let i = 0; i < clients.length; i++) clients[i].failed(this.failure);
    answerRemovalFailed(container, `cannot remove container "${container.name}": ${this.failure}`);
    resumeCalls(container.queue);
  }

  /** The volume is removed, even if the removal of the container fails. */
  private forgetVolume(mount: MountPoint): void {
    // A later volume of the same name would not be this container's.
    if (mount.added) this.container.touch();
    mount.added = false;
    if (volumeStore.remove(mount.name)) eventRing.emit(volumeEvent(mount.name, "destroy"));
  }
}

/**
 * Whether the volume is removed with the container. A container that is being created with it takes the volume over.
 */
function isTaken(container: Container, mount: MountPoint): bool {
  if (!takesAlong(container, mount)) return false;
  // Nobody else knows of a volume that was added for this container. Of any other, a container whose record was set aside
  // may know.
  if (!mount.added && setAside.startingWith(CONTAINER_RECORDS).length > 0) return false;
  if (!mount.added && isUsedBeside(mount.name, volumeStore.find(mount.name), container)) return false;
  const volume = volumeStore.find(mount.name);
  return volume === null || !passOn(volume);
}

/** Continues a removal that was interrupted. */
export function resumeRemoval(container: Container): void {
  new Removal(container).resume();
}
