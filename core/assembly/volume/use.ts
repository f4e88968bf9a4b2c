// Which containers have a volume among their mounts, whether they run or not.

import { Container } from "../container/container";
import { Status } from "../container/lifecycle";
import { MountKind, MountPoint } from "../container/mount-point";
import { hasUnfilled } from "../container/own-volumes";
import { engine } from "../state";

/** By another one than `container` that is to stay: of several that go at once, the last takes it along. */
export function isUsedBeside(name: string, container: Container): bool {
  const containers = engine.containers.all();
  for (let i = 0; i < containers.length; i++) {
    const other = containers[i];
    if (other === container || other.status == Status.Removing) continue;
    if (has(other, name)) return true;
  }
  return false;
}

/** A container that is being removed, and takes one of these volumes along; null if there is none. */
export function takerOf(mounts: MountPoint[]): Container | null {
  const named = mounts.filter((mount: MountPoint) => mount.kind == MountKind.Volume && mount.name.length > 0);
  if (named.length == 0) return null;
  const containers = engine.containers.all();
  for (let i = 0; i < containers.length; i++) {
    const container = containers[i];
    if (container.status != Status.Removing || !container.removeVolumes) continue;
    for (let j = 0; j < named.length; j++) if (takes(container, named[j].name)) return container;
  }
  return null;
}

function takes(container: Container, name: string): bool {
  for (let i = 0; i < container.mounts.length; i++) {
    if (container.mounts[i].anonymous && container.mounts[i].name == name) return true;
  }
  return false;
}

/** How many containers have each volume that is had, whether they run or not: for whoever asks of many volumes. */
export function usersByName(): Map<string, i32> {
  const users = new Map<string, i32>();
  const containers = engine.containers.all();
  for (let i = 0; i < containers.length; i++) {
    const names = namesIn(containers[i]);
    for (let j = 0; j < names.length; j++) users.set(names[j], (users.has(names[j]) ? users.get(names[j]) : 0) + 1);
  }
  return users;
}

/** Each once. */
function namesIn(container: Container): string[] {
  const names: string[] = [];
  for (let i = 0; i < container.mounts.length; i++) {
    const mount = container.mounts[i];
    if (mount.kind == MountKind.Volume && !names.includes(mount.name)) names.push(mount.name);
  }
  return names;
}

/** Ids of the containers that have it, whether they run or not. */
export function usersOf(name: string): string[] {
  const containers = engine.containers.all();
  const users: string[] = [];
  for (let i = 0; i < containers.length; i++) if (has(containers[i], name)) users.push(containers[i].id);
  return users;
}

/** A container that runs has it. */
export function isInRun(name: string): bool {
  const containers = engine.containers.all();
  for (let i = 0; i < containers.length; i++) if (containers[i].running && has(containers[i], name)) return true;
  return false;
}

/** A container that is created, or whose files are looked at, fills it; a run's end counts what its start has filled. */
export function isBeingFilled(name: string): bool {
  const containers = engine.containers.all();
  for (let i = 0; i < containers.length; i++) {
    const container = containers[i];
    if ((container.creating || container.filesWorks > 0) && hasUnfilled(container) && has(container, name)) return true;
  }
  return false;
}

/** Whether those that have it have never named it. */
export function isAnonymous(name: string): bool {
  const containers = engine.containers.all();
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
