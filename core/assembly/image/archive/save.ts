// GET /images/{name}/get and GET /images/get (surface §2.22): images as an archive. Their layers are claimed until
// everything is sent. Anything missing is detected before the first byte is sent.

import {
  Closing,
  ContentCommandMeasureTar,
  Failure,
  MeasuredTar,
  Outcome,
  OutcomeSize,
  SourceSaved,
} from "../../../../build/bindings/types";
import { askContent } from "../../ask";
import { Call, Follower } from "../../call";
import { failureText } from "../../failure/text";
import { openCalls } from "../../open-calls";
import { internal, Refusal } from "../../refusal";
import { headersOf, openReply, sendRefusal, splice } from "../../reply";
import { Task } from "../../task";
import { emitImageEvent } from "../image-event";
import { Claims } from "../layers/claims";
import { damagedText, isDamage, LayerCheck } from "../layers/layer-damage";
import { layerStore } from "../layers/layer-store";
import { wantedPlatforms } from "../platform-parameter";
import { savedMembers } from "./saved-archive";
import { SavedImages } from "./saved-images";

export function saveImage(call: Call): Refusal | null {
  return save(call, [call.name]);
}

export function saveImages(call: Call): Refusal | null {
  return save(call, call.query.all("names"));
}

function save(call: Call, names: string[]): Refusal | null {
  const platforms = wantedPlatforms(call);
  if (platforms.refusal !== null) return platforms.refusal;
  const images = new SavedImages(platforms);
  for (let i = 0; i < names.length; i++) {
    const refusal = images.add(names[i]);
    if (refusal !== null) return refusal;
  }
  new Saving(call, images).begin();
  return null;
}

class Saving extends Task {
  /** DiffIDs of the layers to be measured; the index is the number of the step. */
  private readonly diffIds: string[] = [];
  private readonly sizes: Map<string, u64> = new Map<string, u64>();
  private readonly reader: Reader = new Reader();
  private refusal: Refusal | null = null;
  private open: i32 = 0;

  constructor(
    private readonly call: Call,
    private readonly images: SavedImages,
  ) {
    super();
  }

  begin(): void {
    this.call.follower = this.reader;
    openCalls.add(this.call);
    for (let i = 0; i < this.images.all.length; i++) {
      const image = this.images.all[i].image;
      this.reader.claims.claimStack(image.chain);
      for (let j = 0; j < image.layers.length; j++) this.measure(image.layers[j].diffId, image.layers[j].chain);
    }
    if (this.open == 0) this.send();
  }

  ended(step: i32, outcome: Outcome | null, failure: Failure | null): void {
    const chain = this.reader.chains[step];
    if (failure !== null) this.refusal = internal(isDamage(failure) ? damagedText(chain) : failureText(failure));
    else this.sizes.set(this.diffIds[step], (<OutcomeSize>outcome!).value);
    this.open -= 1;
    if (this.open > 0 || this.reader.gone) return;
    const refusal = this.refusal;
    if (refusal === null) return this.send();
    this.reader.claims.release();
    sendRefusal(this.call, refusal);
  }

  /** Several layers may have the same tar. */
  private measure(diffId: string, chain: string): void {
    if (this.diffIds.includes(diffId)) return;
    this.open += 1;
    const step = this.diffIds.push(diffId) - 1;
    this.reader.chains.push(chain);
    askContent(this, step, new ContentCommandMeasureTar(new MeasuredTar(chain, !layerStore.has(chain))));
  }

  private send(): void {
    openReply(this.call, 200, `${headersOf(this.call).all}\nContent-Type: application/x-tar`, this.reader);
    splice(this.call, new SourceSaved(savedMembers(this.images, this.sizes)));
    for (let i = 0; i < this.images.all.length; i++) {
      const image = this.images.all[i].image;
      emitImageEvent("save", image.id, image.id, image);
    }
  }
}

/** The client of an archive: the work ends when all is sent or the client has gone. */
class Reader extends Follower {
  readonly claims: Claims = new Claims();
  /** The layers that are read. */
  readonly chains: string[] = [];
  gone: bool = false;

  closed(_call: Call, why: Closing): void {
    this.gone = true;
    // The host tells that it could not read a source, but not which file of it.
    if (why == Closing.Failed) for (let i = 0; i < this.chains.length; i++) new LayerCheck(this.chains[i]).begin();
    this.claims.release();
  }
}
