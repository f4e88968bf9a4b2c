// DELETE /volumes/{name} (surface §2.25): a volume that a container uses stays.

import { flagOf } from "../api/parameters";
import { Call } from "../call";
import { volumeEvent } from "../event/emit";
import { eventRing } from "../event/ring";
import { CONTAINER_RECORDS } from "../records/kinds";
import { setAside } from "../records/set-aside";
import { conflict, internal, notFound, Refusal } from "../refusal";
import { sendEmpty, sendRefusal } from "../reply";
import { beginVolumeRemoval, VolumeRemovalClient } from "./removal";
import { volumeStore } from "./store";
import { usersOf } from "./use";
import { Volume } from "./volume";

export function removeVolume(call: Call): Refusal | null {
  const name = call.name;
  const volume = volumeStore.find(name);
  if (volume === null) {
    if (!flagOf(call.query, "force")) return notFound(`get ${name}: no such volume`);
    sendEmpty(call, 204);
    return null;
  }
  if (volume.isChanging) {
    volume.queue.push(call);
    return null;
  }
  // It is unknown which volumes those containers use.
  const users = usersOf(name).concat(setAside.startingWith(CONTAINER_RECORDS));
  if (users.length > 0) return conflict(`remove ${name}: volume is in use - [${users.join(", ")}]`);
  beginVolumeRemoval(volume, new Remover(call));
  return null;
}

/** The client that asked for the removal. */
class Remover extends VolumeRemovalClient {
  constructor(private readonly call: Call) {
    super();
  }

  removed(volume: Volume): void {
    eventRing.emit(volumeEvent(volume.name, "destroy"));
    sendEmpty(this.call, 204);
  }

  failed(volume: Volume, why: string): void {
    sendRefusal(this.call, internal(`remove ${volume.name}: ${why}`));
  }
}
