// Makes a volume for a client of POST /volumes/create (surface §2.25). Creating one that exists changes nothing and
// succeeds, so clients can repeat it.

import { Failure, Outcome, VolumeCommandMake } from "../../../build/bindings/types";
import { askVolumes } from "../ask";
import { Call } from "../call";
import { containerSizes } from "../container/usage/sizes";
import { volumeEvent } from "../event/emit";
import { eventRing } from "../event/ring";
import { failureText } from "../failure/text";
import { JsonWriter } from "../json/writer";
import { internal, Refusal } from "../refusal";
import { line, sendJson, sendRefusal } from "../reply";
import { Task } from "../task";
import { resumeCalls } from "../waiting-calls";
import { writeVolume } from "./inspect";
import { beginVolumeRemoval, VolumeRemovalClient } from "./removal";
import { passOn, tellVolume } from "./untold";
import { isUsed } from "./use";
import { Volume } from "./volume";

export class VolumeMaking extends Task {
  constructor(
    private readonly call: Call,
    private readonly volume: Volume,
  ) {
    super();
  }

  begin(): void {
    if (!this.volume.isBeingMade) return this.made();
    this.volume.making += 1;
    askVolumes(this, 0, new VolumeCommandMake(this.volume.name));
  }

  ended(_step: i32, _outcome: Outcome | null, failure: Failure | null): void {
    const volume = this.volume;
    volume.making -= 1;
    if (failure === null) this.made();
    else this.missed(internal(`create ${volume.name}: ${failureText(failure)}`));
    if (!volume.isChanging) resumeCalls(volume.queue);
  }

  private made(): void {
    const volume = this.volume;
    tellVolume(volume);
    // The event is also sent for a volume that existed before.
    eventRing.emit(volumeEvent(volume.name, "create"));
    const json = new JsonWriter();
    writeVolume(json, volume);
    sendJson(this.call, 201, line(json));
    containerSizes.volumeMade(volume);
  }

  /** A volume that nobody was told about, and that nobody uses, is removed before the client gets its answer. */
  private missed(refusal: Refusal): void {
    const volume = this.volume;
    const isKept = !volume.untold || volume.making > 0 || passOn(volume) || isUsed(volume.name);
    if (isKept) sendRefusal(this.call, refusal);
    else beginVolumeRemoval(volume, new Undone(this.call, refusal));
  }
}

class Undone extends VolumeRemovalClient {
  constructor(
    private readonly call: Call,
    private readonly refusal: Refusal,
  ) {
    super();
  }

  removed(_volume: Volume): void {
    sendRefusal(this.call, this.refusal);
  }

  failed(volume: Volume, _why: string): void {
    this.removed(volume);
  }
}
