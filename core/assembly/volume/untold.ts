// Volumes that no client has been told about. A volume that was added for a container is removed if the creation fails,
// unless another client has been told about the volume: by a 201 for a container that uses it, or for the volume
// itself. Listing or inspecting it does not count, since these answers promise nothing.

import { Container } from "../container/container";
import { MountKind, MountPoint } from "../container/mounts/mount-point";
import { volumeStore } from "./store";
import { isUsedBeside } from "./use";
import { Volume } from "./volume";

/** The creation of a container begins, with its volumes and those it shares with other containers. */
export function beginMaking(container: Container): void {
  const mounts = container.volumes;
  for (let i = 0; i < mounts.length; i++) {
    const volume = volumeStore.find(mounts[i].name);
    if (volume !== null && !volume.makings.includes(container)) volume.makings.push(container);
  }
}

/**
 * The creation is over. `made`: it has succeeded, so its client is told and knows its volumes. If it has failed, the
 * container's removal decides which volumes are removed with it.
 */
export function endMaking(container: Container, made: bool): void {
  const mounts = container.volumes;
  for (let i = 0; i < mounts.length; i++) {
    const volume = volumeStore.find(mounts[i].name);
    if (volume === null) continue;
    const index = volume.makings.indexOf(container);
    if (index >= 0) volume.makings.splice(index, 1);
    if (made) tellVolume(volume);
  }
}

/** A client is told about the volume: it stays, even if the container that it was added for is never made. */
export function tellVolume(volume: Volume): void {
  volume.untold = false;
  const owner = volume.owner;
  if (owner === null) return;
  volume.owner = null;
  mark(owner, volume.name, false);
}

/**
 * Passes the volume on to a pending request to create it, or else to another container that is being created with it.
 * If that fails, too, the volume is removed, unless it can be passed on again. Returns false if there is neither.
 */
export function passOn(volume: Volume): bool {
  const isMade = volume.making > 0;
  if (!isMade && volume.makings.length == 0) return false;
  tellVolume(volume);
  volume.untold = isMade;
  if (isMade) return true;
  volume.owner = volume.makings[0];
  mark(volume.makings[0], volume.name, true);
  return true;
}

/** Restores owners from the containers' records. For interrupted creations, `beginMaking` has been called already. */
export function restoreOwners(containers: Container[]): void {
  for (let i = 0; i < containers.length; i++) {
    const mounts = containers[i].volumes;
    for (let j = 0; j < mounts.length; j++) {
      if (mounts[j].added) restoreOwner(containers[i], mounts[j]);
    }
  }
}

function restoreOwner(container: Container, mount: MountPoint): void {
  const volume = volumeStore.find(mount.name);
  // Either the volume is lost, and a new one of its name would not be this container's; or a client was told about a
  // container that uses it, and an earlier version of the engine left the mark.
  if (volume === null || isUsedBeside(mount.name, volume, container)) return mark(container, mount.name, false);
  volume.owner = container;
}

/** Sets the mark on the first mount of the volume, and clears it on the others. */
function mark(container: Container, name: string, added: bool): void {
  const mounts = container.mounts;
  for (let i = 0; i < mounts.length; i++) {
    if (mounts[i].kind != MountKind.Volume || mounts[i].name != name) continue;
    mounts[i].added = added;
    added = false;
  }
  container.touch();
}
