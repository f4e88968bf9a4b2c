// A container's own volumes are made before anyone accesses its files, and filled from them once.

import {
  Populate,
  VolumeCommand,
  VolumeCommandMake,
  VolumeCommandMount,
  VolumeCommandPopulate,
  VolumeMount,
} from "../../../../build/bindings/types";
import { askVolumes } from "../../ask";
import { Task } from "../../task";
import { volumeStore } from "../../volume/store";
import { Container } from "../container";

/** Asks the host to make all volumes; returns their number. */
export function makeVolumes(container: Container, task: Task, step: i32): i32 {
  const volumes = container.volumes;
  for (let i = 0; i < volumes.length; i++) askVolumes(task, step, making(volumes[i].name));
  return volumes.length;
}

function making(name: string): VolumeCommand {
  const mount = mountOf(name);
  return mount === null ? new VolumeCommandMake(name) : new VolumeCommandMount(mount);
}

/** What will be mounted on the volume for its users; null if nothing. */
function mountOf(name: string): VolumeMount | null {
  const volume = volumeStore.find(name);
  if (volume === null) return null;
  const mount = volume.mount;
  if (mount !== null) volume.mounted = true;
  return mount;
}

/**
 * Call this when the volumes are made and the container's file system is mounted.
 * Returns how many volumes are being filled. Each is filled only once, so that
 * files deleted from it stay deleted. All are counted again, even if filling fails.
 */
export function fillVolumes(container: Container, task: Task, step: i32): i32 {
  let asked = 0;
  for (let i = 0; i < container.volumes.length; i++) {
    const volume = container.volumes[i];
    if (volume.populated) continue;
    asked += 1;
    volumeStore.outdate(volume.name);
    const filling = new Populate(volume.name, container.id, volume.destination, mountOf(volume.name), null);
    askVolumes(task, step, new VolumeCommandPopulate(filling));
  }
  return asked;
}

/** All volumes are filled. The record says so together with what follows, before any client is told. */
export function volumesFilled(container: Container): void {
  if (!container.hasUnfilledVolumes) return;
  for (let i = 0; i < container.volumes.length; i++) container.volumes[i].populated = true;
  container.touch();
}
