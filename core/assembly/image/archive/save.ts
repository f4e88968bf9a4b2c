// GET /images/{name}/get and GET /images/get (surface §2.22): images as an archive. Their layers are claimed until
// everything is sent. Anything missing is detected before the first byte is sent.

import { Closing, SourceSaved } from "../../../../build/bindings/types";
import { Call, Follower } from "../../call";
import { openCalls } from "../../open-calls";
import { internal, Refusal } from "../../refusal";
import { headersOf, openReply, sendRefusal, splice } from "../../reply";
import { Image } from "../image";
import { emitImageEvent } from "../image-event";
import { Claims } from "../layers/claims";
import { LayerCheck } from "../layers/layer-damage";
import { wantedPlatforms } from "../platform-parameter";
import { LayerSizes, SizesClient } from "./layer-sizes";
import { savedMembers } from "./saved-archive";
import { SavedImage, SavedImages } from "./saved-images";

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

class Saving implements SizesClient {
  private readonly sizes: LayerSizes;
  private readonly reader: Reader;

  constructor(
    private readonly call: Call,
    private readonly images: SavedImages,
  ) {
    const chains: string[] = [];
    this.reader = new Reader(chains);
    this.sizes = new LayerSizes(chains);
  }

  begin(): void {
    this.call.follower = this.reader;
    openCalls.add(this.call);
    const images = this.images.all.map<Image>((saved: SavedImage) => saved.image);
    for (let i = 0; i < images.length; i++) this.reader.claims.claimStack(images[i].chain);
    this.sizes.begin(images, this);
  }

  sizesKnown(): void {
    if (!this.reader.gone) this.send();
  }

  sizesUnknown(why: string): void {
    if (this.reader.gone) return;
    this.reader.claims.release();
    sendRefusal(this.call, internal(why));
  }

  private send(): void {
    openReply(this.call, 200, `${headersOf(this.call).all}\nContent-Type: application/x-tar`, this.reader);
    splice(this.call, new SourceSaved(savedMembers(this.images, this.sizes.all)));
    for (let i = 0; i < this.images.all.length; i++) {
      const image = this.images.all[i].image;
      emitImageEvent("save", image.id, image.id, image);
    }
  }
}

/** The client of an archive: the work ends when all is sent or the client has gone. */
class Reader extends Follower {
  readonly claims: Claims = new Claims();
  gone: bool = false;

  constructor(
    /** The layers that are read. */
    private readonly chains: string[],
  ) {
    super();
  }

  closed(_call: Call, why: Closing): void {
    this.gone = true;
    // The host tells that it could not read a source, but not which file of it.
    if (why == Closing.Failed) for (let i = 0; i < this.chains.length; i++) new LayerCheck(this.chains[i]).begin();
    this.claims.release();
  }
}
