// What the host found and no record speaks of is cleared away. What belongs to a record that was set aside stays: it may
// be all that its user has left.

import {
  ContentCommandDropContainer,
  ContentCommandUnmount,
  Failure,
  FoundJoin,
  FoundProcess,
  Inventory,
  Leave,
  NetworkCommandLeave,
  Outcome,
  ProcessCommandReap,
  Subject,
  VolumeCommandDrop,
  VolumeCommandMake,
} from "../../build/bindings/types";
import { askContent, askNetworks, askProcesses, askVolumes } from "./ask";
import { containerStore } from "./container/store";
import { Ignored } from "./ignored";
import { networkStore } from "./network/store";
import { tellAdopted, tellMended, tellSwept } from "./records/found";
import { CONTAINER_RECORDS, NETWORK_RECORDS, VOLUME_RECORDS } from "./records/kinds";
import { setAside } from "./records/set-aside";
import { Task } from "./task";
import { volumeStore } from "./volume/store";
import { usersByName } from "./volume/use";

export function sweep(inventory: Inventory): void {
  for (let i = 0; i < inventory.processes.length; i++) sweepProcess(inventory.processes[i]);
  for (let i = 0; i < inventory.joins.length; i++) sweepJoin(inventory.joins[i]);
  for (let i = 0; i < inventory.mounts.length; i++) sweepMount(inventory.mounts[i]);
  for (let i = 0; i < inventory.containers.length; i++) sweepFiles(inventory.containers[i]);
  const users = usersByName();
  for (let i = 0; i < inventory.volumes.length; i++) sweepVolume(inventory.volumes[i], users.has(inventory.volumes[i]));
  makeMissingVolumes(inventory.volumes);
}

/** Those that may be of networks whose records are lost: such a network gets its id again. */
export function findLostNetworks(found: string[]): void {
  for (let i = 0; i < found.length; i++) {
    if (networkStore.find(found[i]) === null) setAside.hasOrLost(NETWORK_RECORDS + found[i]);
  }
}

/** Networks that no record speaks of. */
export function strayNetworks(found: string[]): string[] {
  const strays: string[] = [];
  for (let i = 0; i < found.length; i++) {
    if (networkStore.find(found[i]) !== null) continue;
    tellSwept(`network ${found[i]}`, "there is no record of it");
    strays.push(found[i]);
  }
  return strays;
}

function sweepProcess(found: FoundProcess): void {
  const container = containerStore.find(found.container);
  if (container !== null && container.run == found.run && mayUse(found.container)) return;
  if (isLost(found.container)) {
    setAside.remainsOf(found.container).runs.push(found.run);
    return;
  }
  const isOld = container !== null && container.run != found.run;
  const why = isOld ? "it is not the last run of the container" : whyNot(found.container);
  tellSwept(`run ${found.run.toString()} of container ${found.container}`, why);
  askProcesses(new Ignored(), 0, new ProcessCommandReap(new Subject(found.container, found.run)));
}

function sweepJoin(found: FoundJoin): void {
  if (mayUse(found.container)) return;
  if (isLost(found.container)) {
    setAside.remainsOf(found.container).joins.push(found);
    networkStore.keepAddress(found.network, found.address, found.container);
    return;
  }
  tellSwept(`container ${found.container} on network ${found.network}`, whyNot(found.container));
  askNetworks(new Ignored(), 0, new NetworkCommandLeave(new Leave(found.container, found.network)));
}

function sweepMount(id: string): void {
  if (mayUse(id) || isLost(id)) return;
  tellSwept(`mount of container ${id}`, whyNot(id));
  askContent(new Unmounting(id), 0, new ContentCommandUnmount(id));
}

/** What a container cannot be rid of is tried again when it is started or removed. */
class Unmounting extends Task {
  constructor(private readonly id: string) {
    super();
  }

  ended(_step: i32, _outcome: Outcome | null, failure: Failure | null): void {
    const container = containerStore.find(this.id);
    if (failure === null || container === null) return;
    // Its making goes on by itself, and may be done with its files before, or without them.
    if (mayUse(this.id) && !container.creating) return;
    container.leaveUnclean();
    container.touch();
  }
}

function sweepFiles(id: string): void {
  if (containerStore.find(id) !== null || isLost(id)) return;
  tellSwept(`files of container ${id}`, whyNot(id));
  askContent(new Ignored(), 0, new ContentCommandDropContainer(id));
}

/** A damaged record, or a container, says more of a volume than that there is no record: its files may be wanted. */
function sweepVolume(name: string, isUsed: bool): void {
  if (volumeStore.find(name) !== null) return;
  const isDamaged = setAside.has(VOLUME_RECORDS + name);
  if (isDamaged || isUsed || setAside.doubts) {
    volumeStore.adopt(name);
    const why = isDamaged
      ? "its record is damaged"
      : isUsed
        ? "a container has it, though there is no record of it"
        : "there is no record of it, and records are lost";
    return tellAdopted(`volume ${name}`, why);
  }
  tellSwept(`volume ${name}`, "there is no record of it");
  askVolumes(new Ignored(), 0, new VolumeCommandDrop(name));
}

/** A volume's record is older than the volume. */
function makeMissingVolumes(found: string[]): void {
  const there = new Set<string>();
  for (let i = 0; i < found.length; i++) there.add(found[i]);
  const volumes = volumeStore.all();
  for (let i = 0; i < volumes.length; i++) {
    const name = volumes[i].name;
    if (there.has(name)) continue;
    tellMended(`volume ${name}`, "there was nothing but its record");
    // What it held is gone with its files.
    volumeStore.outdate(name);
    askVolumes(new Ignored(), 0, new VolumeCommandMake(name));
  }
}

/**
 * Whether the container's status lets it have a mount, a network, a process. One that is being removed may not: its
 * removal takes away what it knows of, and clients may have been reading its files, which were mounted for that.
 */
function mayUse(id: string): bool {
  const container = containerStore.find(id);
  return container !== null && (container.running || container.between);
}

/** A record that was set aside, or that may be lost, is all that there is of the container. */
function isLost(id: string): bool {
  return containerStore.find(id) === null && setAside.hasOrLost(CONTAINER_RECORDS + id);
}

/** Why it may not. */
function whyNot(id: string): string {
  const container = containerStore.find(id);
  return container === null ? "there is no record of it" : `the container is ${container.word}`;
}
