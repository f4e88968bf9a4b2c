// A volume that was added for a container goes with it if the container is never made, unless another client has been
// told of it by then: by the 201 of a container that has it, or of the volume itself. A list or an inspect that shows it
// does not keep it: they say what is there now, and promise nothing.

import { Container } from "../container/container";
import { MountKind, MountPoint } from "../container/mounts/mount-point";
import { volumeStore } from "./store";
import { isUsedBeside } from "./use";
import { Volume } from "./volume";

/** The container is being made with its volumes, those of other containers among them. */
export function beginMaking(container: Container): void {
  const mounts = container.volumes;
  for (let i = 0; i < mounts.length; i++) {
    const volume = volumeStore.find(mounts[i].name);
    if (volume !== null && !volume.makings.includes(container)) volume.makings.push(container);
  }
}

/** That is over. `made`: its client is told, and so of its volumes; else its removal asks for what it takes along. */
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

/** A client is told of it: it stays, whatever becomes of the container that it was added for. */
export function tellVolume(volume: Volume): void {
  const owner = volume.owner;
  if (owner === null) return;
  volume.owner = null;
  mark(owner, volume.name, false);
}

/** To a container that is being made with it, and takes it along if it is not made either. False if there is none. */
export function passOn(volume: Volume): bool {
  if (volume.makings.length == 0) return false;
  tellVolume(volume);
  volume.owner = volume.makings[0];
  mark(volume.makings[0], volume.name, true);
  return true;
}

/** What their records say. Those that are being made have begun that: see `beginMaking`. */
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
  // It is lost: another one of its name is not this container's. Or a container that has it was told, and an earlier
  // version left the mark.
  if (volume === null || isUsedBeside(mount.name, volume, container)) return mark(container, mount.name, false);
  volume.owner = container;
}

/** `added`: the first of its mounts of that volume is, and no other. */
function mark(container: Container, name: string, added: bool): void {
  const mounts = container.mounts;
  for (let i = 0; i < mounts.length; i++) {
    if (mounts[i].kind != MountKind.Volume || mounts[i].name != name) continue;
    mounts[i].added = added;
    added = false;
  }
  container.touch();
}
