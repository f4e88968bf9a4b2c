// File systems of volumes are mounted while somebody needs them. Who needs them follows from the state of the containers:
// there is no count that a crash could falsify.

import { Failure, Outcome, VolumeCommandUnmount } from "../../../build/bindings/types";
import { askVolumes } from "../ask";
import { Container } from "../container/container";
import { CONTAINER_RECORDS } from "../records/kinds";
import { setAside } from "../records/set-aside";
import { Task } from "../task";
import { volumeStore } from "./store";
import { isNeeded, volumeNames } from "./use";
import { Volume } from "./volume";

/** The container no longer needs its volumes: unmounts those that nobody else needs either. */
export function leaveVolumes(container: Container): void {
  const names = volumeNames(container.mounts);
  for (let i = 0; i < names.length; i++) {
    const volume = volumeStore.find(names[i]);
    if (volume !== null) unmountUnneeded(volume);
  }
}

/** Unmounts what an earlier engine has left mounted, unless a container of unknown volumes may need it. */
export function sweepVolumeMounts(): void {
  if (setAside.startingWith(CONTAINER_RECORDS).length > 0) return;
  const volumes = volumeStore.all();
  for (let i = 0; i < volumes.length; i++) if (!volumes[i].removing) unmountUnneeded(volumes[i]);
}

function unmountUnneeded(volume: Volume): void {
  if (volume.mounted && !isNeeded(volume.name)) new Unmounting(volume).begin();
}

/** If it fails, the next one who leaves the volume repeats it. */
class Unmounting extends Task {
  constructor(private readonly volume: Volume) {
    super();
  }

  begin(): void {
    this.volume.mounted = false;
    askVolumes(this, 0, new VolumeCommandUnmount(this.volume.name));
  }

  ended(_step: i32, _outcome: Outcome | null, failure: Failure | null): void {
    if (failure !== null) this.volume.mounted = true;
  }
}
