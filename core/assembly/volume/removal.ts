// The removal of a volume: first its record says so, then its files go, then the record. So a removal that a crash
// interrupts is completed, and its files never come back in part.

import { Failure, Outcome, VolumeCommandDrop } from "../../../build/bindings/types";
import { askVolumes } from "../ask";
import { failureText } from "../failure/text";
import { acting, ENGINE_START } from "../origin";
import { tellMended } from "../records/found";
import { Task } from "../task";
import { resumeCalls } from "../waiting-calls";
import { volumeStore } from "./store";
import { Volume } from "./volume";

/** Anyone who is told the result of a volume's removal. */
export abstract class VolumeRemovalClient {
  abstract removed(volume: Volume): void;

  /** `why`: the host's error. The volume stays. */
  abstract failed(volume: Volume, why: string): void;
}

/** Nobody waits for the removal. */
class NoClient extends VolumeRemovalClient {
  removed(_volume: Volume): void {}

  failed(_volume: Volume, _why: string): void {}
}

class VolumeRemoval extends Task {
  constructor(
    private readonly volume: Volume,
    private readonly client: VolumeRemovalClient,
  ) {
    super();
  }

  begin(): void {
    askVolumes(this, 0, new VolumeCommandDrop(this.volume.name));
  }

  ended(_step: i32, _outcome: Outcome | null, failure: Failure | null): void {
    const volume = this.volume;
    if (failure === null) {
      volumeStore.remove(volume.name);
      this.client.removed(volume);
    } else {
      volumeStore.mark(volume, false);
      this.client.failed(volume, failureText(failure));
    }
    resumeCalls(volume.queue);
  }
}

/** Removes a volume that nothing uses. */
export function beginVolumeRemoval(volume: Volume, client: VolumeRemovalClient): void {
  volumeStore.mark(volume, true);
  new VolumeRemoval(volume, client).begin();
}

/** Continues the removals that the end of the engine interrupted. */
export function resumeVolumeRemovals(): void {
  acting.alone(ENGINE_START);
  const volumes = volumeStore.all();
  for (let i = 0; i < volumes.length; i++) {
    if (!volumes[i].removing) continue;
    tellMended(`volume ${volumes[i].name}`, "its removal continues");
    new VolumeRemoval(volumes[i], new NoClient()).begin();
  }
}
