// Which containers use a volume, whether they are running or not.

import { Container } from "../container/container";
import { Status } from "../container/lifecycle";
import { MountKind, MountPoint } from "../container/mounts/mount-point";
import { containerStore } from "../container/store";
import { Volume } from "./volume";

/** Whether another container that stays uses the volume: one that is neither being removed nor still being created. */
export function isUsedBeside(name: string, volume: Volume | null, container: Container): bool {
  const containers = containerStore.all();
  for (let i = 0; i < containers.length; i++) {
    const other = containers[i];
    if (other === container || other.status == Status.Removing) continue;
    if (has(other, name) && (volume === null || !volume.makings.includes(other))) return true;
  }
  return false;
}

/** A container whose removal in progress includes one of these volumes; null if there is none. */
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

/**
 * Whether the container's removal includes the volume, if no
 * other container uses it: anonymous volumes only on request.
 */
export function takesAlong(container: Container, mount: MountPoint): bool {
  return mount.added || (container.removeVolumes && mount.anonymous);
}

/** Number of containers that use each volume, for callers that ask about many volumes. */
export function usersByName(): Map<string, i32> {
  const users = new Map<string, i32>();
  const containers = containerStore.all();
  for (let i = 0; i < containers.length; i++) {
    const names = volumeNames(containers[i].mounts);
    for (let j = 0; j < names.length; j++) users.set(names[j], (users.has(names[j]) ? users.get(names[j]) : 0) + 1);
  }
  return users;
}

/** Each name once; volumes that have no name yet are left out. */
export function volumeNames(mounts: MountPoint[]): string[] {
  const names: string[] = [];
  for (let i = 0; i < mounts.length; i++) {
    const mount = mounts[i];
    if (mount.kind == MountKind.Volume && mount.name.length > 0 && !names.includes(mount.name)) names.push(mount.name);
  }
  return names;
}

export function isUsed(name: string): bool {
  const containers = containerStore.all();
  for (let i = 0; i < containers.length; i++) if (has(containers[i], name)) return true;
  return false;
}

/** Ids of all containers that use the volume. */
export function usersOf(name: string): string[] {
  const containers = containerStore.all();
  const users: string[] = [];
  for (let i = 0; i < containers.length; i++) if (has(containers[i], name)) users.push(containers[i].id);
  return users;
}

/**
 * Whether a container needs the volume's files now: it runs, starts or is being released, or is being created, or its
 * files are accessed.
 */
export function isNeeded(name: string): bool {
  const containers = containerStore.all();
  for (let i = 0; i < containers.length; i++) {
    const container = containers[i];
    if ((container.running || container.between || container.filesWorks > 0) && has(container, name)) return true;
  }
  return false;
}

/** Whether a running container uses the volume. */
export function isInRun(name: string): bool {
  const containers = containerStore.all();
  for (let i = 0; i < containers.length; i++) if (containers[i].running && has(containers[i], name)) return true;
  return false;
}

/**
 * Whether a container that is being created, or whose files are accessed, is
 * filling the volume. A volume that a start fills is counted after the run.
 */
export function isBeingFilled(name: string): bool {
  const containers = containerStore.all();
  for (let i = 0; i < containers.length; i++) {
    const container = containers[i];
    if ((container.creating || container.filesWorks > 0) && container.hasUnfilledVolumes && has(container, name))
      return true;
  }
  return false;
}

/** Whether the volume is anonymous for every container that uses it. */
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
