// A container's own volumes are made before anybody looks into its files, and filled from them once.

import { Populate, VolumeCommandMake, VolumeCommandPopulate } from "../../../../build/bindings/types";
import { askVolumes } from "../../ask";
import { Task } from "../../task";
import { volumeStore } from "../../volume/store";
import { Container } from "../container";

/** Asks for all of them; how many these are. */
export function makeVolumes(container: Container, task: Task, step: i32): i32 {
  const volumes = container.volumes;
  for (let i = 0; i < volumes.length; i++) askVolumes(task, step, new VolumeCommandMake(volumes[i].name));
  return volumes.length;
}

/**
 * Once they are made and the container's file system is mounted. How many are to be filled: what somebody has deleted
 * from one that was filled stays deleted. They are to be counted anew, however that ends.
 */
export function fillVolumes(container: Container, task: Task, step: i32): i32 {
  let asked = 0;
  for (let i = 0; i < container.volumes.length; i++) {
    const volume = container.volumes[i];
    if (volume.populated) continue;
    asked += 1;
    volumeStore.outdate(volume.name);
    askVolumes(task, step, new VolumeCommandPopulate(new Populate(volume.name, container.id, volume.destination)));
  }
  return asked;
}

/** All that were to be filled are: said once with what follows from it, before which nobody is told. */
export function volumesFilled(container: Container): void {
  if (!container.hasUnfilledVolumes) return;
  for (let i = 0; i < container.volumes.length; i++) container.volumes[i].populated = true;
  container.touch();
}
