// Removes resources that the host found but that no record mentions. Those of
// a record that was set aside stay: they may be all that its user has left.

import {
  ContentCommandDropContainer,
  ContentCommandUnmount,
  Failure,
  FoundJoin,
  FoundProcess,
  Inventory,
  Leave,
  NetworkCommandLeave,
  NetworkCommandLeaveAll,
  Outcome,
  ProcessCommandReap,
  Subject,
  VolumeCommandDrop,
  VolumeCommandMake,
} from "../../build/bindings/types";
import { askContent, askNetworks, askProcesses, askVolumes } from "./ask";
import { history } from "./build/buildkit/history/history";
import { cacheStore } from "./build/caches/cache-store";
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
  for (let i = 0; i < inventory.sandboxes.length; i++) sweepSandbox(inventory.sandboxes[i]);
  for (let i = 0; i < inventory.mounts.length; i++) sweepMount(inventory.mounts[i]);
  const logs = history.logs();
  for (let i = 0; i < inventory.containers.length; i++) {
    if (!logs.has(inventory.containers[i])) sweepFiles(inventory.containers[i]);
  }
  const users = usersByName();
  for (let i = 0; i < inventory.volumes.length; i++) sweepVolume(inventory.volumes[i], users.has(inventory.volumes[i]));
  const there = new Set<string>();
  for (let i = 0; i < inventory.volumes.length; i++) there.add(inventory.volumes[i]);
  makeMissingVolumes(there);
  forgetMissingCaches(there);
}

/** Finds networks whose records may be lost, so that such a network gets its id again. */
export function findLostNetworks(found: string[]): void {
  for (let i = 0; i < found.length; i++) {
    if (networkStore.find(found[i]) === null) setAside.hasOrLost(NETWORK_RECORDS + found[i]);
  }
}

/** Networks without a record. That of a record which was set aside stays: containers may be on it. */
export function strayNetworks(found: string[]): string[] {
  const strays: string[] = [];
  for (let i = 0; i < found.length; i++) {
    if (networkStore.find(found[i]) !== null || setAside.hasOrLost(NETWORK_RECORDS + found[i])) continue;
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

/** Containers that may be on no network at all are swept as a whole: see `sweepSandbox`. */
function sweepJoin(found: FoundJoin): void {
  const container = containerStore.find(found.container);
  if (isLost(found.container)) {
    setAside.remainsOf(found.container).joins.push(found);
    networkStore.keepAddress(found.network, found.address, found.container);
    networkStore.keepAddress(found.network, found.ipv6Address, found.container);
    return;
  }
  if (container === null || !mayUse(found.container) || container.isOn(found.network)) return;
  tellSwept(`container ${found.container} on network ${found.network}`, "its record says nothing of it");
  askNetworks(new Ignored(), 0, new NetworkCommandLeave(new Leave(found.container, found.network)));
}

function sweepSandbox(id: string): void {
  if (mayUse(id) || isLost(id)) return;
  tellSwept(`networks of container ${id}`, whyNot(id));
  askNetworks(new Ignored(), 0, new NetworkCommandLeaveAll(id));
}

function sweepMount(id: string): void {
  if (mayUse(id) || isLost(id)) return;
  tellSwept(`mount of container ${id}`, whyNot(id));
  askContent(new Unmounting(id), 0, new ContentCommandUnmount(id));
}

/** If unmounting fails, the container's next start or its removal repeats it. */
class Unmounting extends Task {
  constructor(private readonly id: string) {
    super();
  }

  ended(_step: i32, _outcome: Outcome | null, failure: Failure | null): void {
    const container = containerStore.find(this.id);
    if (failure === null || container === null) return;
    // An interrupted creation continues on its own. It may finish
    // with the container's files before this ends, or without them.
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

/** A volume with a damaged record, or one that a container uses, is kept: its files may be needed. */
function sweepVolume(name: string, isUsed: bool): void {
  if (volumeStore.find(name) !== null || cacheStore.find(name) !== null) return;
  const isDamaged = setAside.has(VOLUME_RECORDS + name);
  if (isDamaged || isUsed || setAside.doubts) {
    volumeStore.adopt(name);
    const why = isDamaged
      ? "its record is damaged"
      : isUsed
        ? "a container uses it, but there is no record of it"
        : "there is no record of it, and records are lost";
    return tellAdopted(`volume ${name}`, why);
  }
  tellSwept(`volume ${name}`, "there is no record of it");
  askVolumes(new Ignored(), 0, new VolumeCommandDrop(name));
}

/** A volume may be missing, since its record is written before the volume is made. */
function makeMissingVolumes(there: Set<string>): void {
  const volumes = volumeStore.all();
  for (let i = 0; i < volumes.length; i++) {
    const name = volumes[i].name;
    if (there.has(name) || volumes[i].removing) continue;
    tellMended(`volume ${name}`, "only its record existed");
    // The files that were counted are gone.
    volumeStore.outdate(name);
    askVolumes(new Ignored(), 0, new VolumeCommandMake(name));
  }
}

/** The next build makes such a cache anew, with its owner and from its source. */
function forgetMissingCaches(there: Set<string>): void {
  const caches = cacheStore.all();
  for (let i = 0; i < caches.length; i++) {
    if (there.has(caches[i].id)) continue;
    tellMended(`cache of builds ${caches[i].id}`, "only its record existed");
    cacheStore.forget(caches[i]);
  }
}

/**
 * Whether the container's status allows it a mount, a network and a process. A
 * container that is being removed is not allowed any: its removal releases what
 * the record names, and its files may only have been mounted for a client to read.
 */
function mayUse(id: string): bool {
  const container = containerStore.find(id);
  return container !== null && (container.running || container.between);
}

/** A record that was set aside or may be lost is all that is known of the container. */
function isLost(id: string): bool {
  return containerStore.find(id) === null && setAside.hasOrLost(CONTAINER_RECORDS + id);
}

/** Why the container may not have such a resource. */
function whyNot(id: string): string {
  const container = containerStore.find(id);
  return container === null ? "there is no record of it" : `the container is ${container.word}`;
}
