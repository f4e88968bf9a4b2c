// Which containers have a volume among their mounts, whether they run or not.

import { Container } from "../container/container";
import { Status } from "../container/lifecycle";
import { MountKind, MountPoint } from "../container/mounts/mount-point";
import { containerStore } from "../container/store";
import { Volume } from "./volume";

/** By another one than `container` that is to stay: not by one that goes as well, nor by one that is still being made. */
export function isUsedBeside(name: string, volume: Volume | null, container: Container): bool {
  const containers = containerStore.all();
  for (let i = 0; i < containers.length; i++) {
    const other = containers[i];
    if (other === container || other.status == Status.Removing) continue;
    if (has(other, name) && (volume === null || !volume.makings.includes(other))) return true;
  }
  return false;
}

/** A container that is being removed, and takes one of these volumes along; null if there is none. */
export function takerOf(names: string[]): Container | null {
  if (names.length == 0) return null;
  const containers = containerStore.all();
  for (let i = 0; i < containers.length; i++) {
    const container = containers[i];
    if (container.status != Status.Removing) continue;
    for (let j = 0; j < names.length; j++) if (takes(container, names[j])) return container;
  }
  return null;
}

function takes(container: Container, name: string): bool {
  for (let i = 0; i < container.mounts.length; i++) {
    if (container.mounts[i].name == name && takesAlong(container, container.mounts[i])) return true;
  }
  return false;
}

/** Removed, it takes such a volume along if nobody else has it: one that nobody has named only on demand. */
export function takesAlong(container: Container, mount: MountPoint): bool {
  return mount.added || (container.removeVolumes && mount.anonymous);
}

/** How many containers have each volume that is had, whether they run or not: for whoever asks of many volumes. */
export function usersByName(): Map<string, i32> {
  const users = new Map<string, i32>();
  const containers = containerStore.all();
  for (let i = 0; i < containers.length; i++) {
    const names = volumeNames(containers[i].mounts);
    for (let j = 0; j < names.length; j++) users.set(names[j], (users.has(names[j]) ? users.get(names[j]) : 0) + 1);
  }
  return users;
}

/** Each once; of one that is yet to be named there is none. */
export function volumeNames(mounts: MountPoint[]): string[] {
  const names: string[] = [];
  for (let i = 0; i < mounts.length; i++) {
    const mount = mounts[i];
    if (mount.kind == MountKind.Volume && mount.name.length > 0 && !names.includes(mount.name)) names.push(mount.name);
  }
  return names;
}

/** Ids of the containers that have it, whether they run or not. */
export function usersOf(name: string): string[] {
  const containers = containerStore.all();
  const users: string[] = [];
  for (let i = 0; i < containers.length; i++) if (has(containers[i], name)) users.push(containers[i].id);
  return users;
}

/** A container that runs has it. */
export function isInRun(name: string): bool {
  const containers = containerStore.all();
  for (let i = 0; i < containers.length; i++) if (containers[i].running && has(containers[i], name)) return true;
  return false;
}

/** A container that is created, or whose files are looked at, fills it; a run's end counts what its start has filled. */
export function isBeingFilled(name: string): bool {
  const containers = containerStore.all();
  for (let i = 0; i < containers.length; i++) {
    const container = containers[i];
    if ((container.creating || container.filesWorks > 0) && container.hasUnfilledVolumes && has(container, name))
      return true;
  }
  return false;
}

/** Whether those that have it have never named it. */
export function isAnonymous(name: string): bool {
  const containers = containerStore.all();
  for (let i = 0; i < containers.length; i++) {
    const mounts = containers[i].mounts;
    for (let j = 0; j < mounts.length; j++) {
      if (mounts[j].kind == MountKind.Volume && mounts[j].name == name && !mounts[j].anonymous) return false;
    }
  }
  return true;
}

function has(container: Container, name: string): bool {
  for (let i = 0; i < container.mounts.length; i++) {
    if (container.mounts[i].kind == MountKind.Volume && container.mounts[i].name == name) return true;
  }
  return false;
}
