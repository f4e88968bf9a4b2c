// POST /images/load (surface §2.22, §6.3): receives the whole archive, then makes its images one after the other.

import {
  BodyTag,
  ContentCommandDropArchive,
  ContentCommandRead,
  Failure,
  FailureMismatch,
  FailureTag,
  Member,
  Outcome,
  OutcomeBytes,
  ReadMember,
} from "../../../../build/bindings/types";
import { flagOf } from "../../api/parameters";
import { askContent } from "../../ask";
import { Call } from "../../call";
import { kindOf } from "../../failure/kind";
import { failureText } from "../../failure/text";
import { Ignored } from "../../ignored";
import { Refusal } from "../../refusal";
import { engine } from "../../state";
import { Task } from "../../task";
import { hostPlatform } from "../host-platform";
import { hasDigest } from "../digest";
import { admitImage, Image } from "../image";
import { emitImageEvent } from "../image-event";
import { documentLimit } from "../limits";
import { WantedPlatforms, wantedPlatforms } from "../platform-parameter";
import { ProgressStream, StreamWriter } from "../progress-stream";
import { parseReference, referenceError } from "../reference";
import { imageStore } from "../store";
import { ArchivedImage, readTag } from "./archive";
import { ArchiveOwner, ArchiveReader, brokenTar, isOfTar, otherDigest, unreadText } from "./archive-reader";
import { LayerMember, LoadedLayers, LoadedLayersOwner } from "./loaded-layers";

export function loadImages(call: Call): Refusal | null {
  const platforms = wantedPlatforms(call);
  if (platforms.refusal !== null) return platforms.refusal;

  // Accepted from here on: once the archive has arrived, the load continues even if the client disconnects.
  new Load(call, flagOf(call.query, "quiet", true), platforms).begin();
  return null;
}

/** Steps. */
const CONFIG: i32 = 0;
const ARCHIVE_DROPPED: i32 = 1;

class Load extends Task implements StreamWriter, ArchiveOwner, LoadedLayersOwner {
  private readonly stream: ProgressStream;
  private readonly archive: string = engine.ids.next();
  private reader: ArchiveReader | null = null;
  private images: ArchivedImage[] = [];
  /** The images made so far. */
  private readonly loaded: Image[] = [];
  private next: i32 = 0;
  private image: Image | null = null;
  /** Null while none are being unpacked. */
  private layers: LoadedLayers | null = null;
  private ids: string = "";
  private isArchiveDropped: bool = false;

  constructor(
    private readonly call: Call,
    private readonly quiet: bool,
    private readonly platforms: WantedPlatforms,
  ) {
    super();
    this.stream = new ProgressStream(call);
  }

  begin(): void {
    this.stream.begin(this);
    if (this.call.request.body.tag == BodyTag.None) return this.archiveFailed(brokenTar("unexpected EOF"));
    const reader = new ArchiveReader(this, this.archive);
    this.reader = reader;
    reader.begin(this.call.id);
  }

  archiveRead(images: ArchivedImage[]): void {
    this.images = images;
    this.loadNext();
  }

  archiveFailed(message: string): void {
    this.fail(message);
  }

  ended(step: i32, outcome: Outcome | null, failure: Failure | null): void {
    if (step == ARCHIVE_DROPPED) return this.flush();
    if (failure !== null) return this.fail(unreadText(failure));
    this.takeConfig((<OutcomeBytes>outcome!).value);
  }

  clientGone(): void {}

  layerTold(at: i32, current: u64): void {
    if (this.quiet) return;
    const id = this.image!.layers[at].diffId.slice(7, 19);
    // The first line of a layer has a key of its own, so that later ones do not replace it.
    const key = `${this.next.toString()}/${at.toString()}/${current == 0 ? "begin" : "go on"}`;
    this.stream.amount("Loading layer", id, key, current, this.layerSize(at));
  }

  /**
   * Nothing reads the archive after the layers of the last image. What the disk has not written of it yet, it need not
   * write if the archive goes before the layers are flushed.
   */
  layersUnpacked(): void {
    if (this.next < this.images.length - 1) return this.flush();
    this.isArchiveDropped = true;
    askContent(this, ARCHIVE_DROPPED, new ContentCommandDropArchive(this.archive));
  }

  layersDone(): void {
    this.finishImage();
  }

  layersFailed(at: i32, failure: Failure): void {
    this.fail(layerText(at, failure));
  }

  private loadNext(): void {
    if (this.next == this.images.length) return this.conclude();
    const config = this.images[this.next].config;
    askContent(this, CONFIG, new ContentCommandRead(new ReadMember(this.archive, config, documentLimit())));
  }

  private takeConfig(bytes: Uint8Array): void {
    const digest = this.images[this.next].digest;
    if (digest.length > 0 && !hasDigest(bytes, digest)) return this.fail(otherDigest(digest));
    const parsed = admitImage(bytes, "invalid image JSON, no RootFS key");
    const image = parsed.image;
    if (image === null) return this.fail(parsed.error);
    const system = hostPlatform().os;
    // A config without an operating system counts as one for this machine.
    if (image.os.length > 0 && image.os != system) return this.fail(`cannot load ${image.os} image on ${system}`);
    if (!this.platforms.admits(image.platform)) return this.skip();
    const expected = this.images[this.next].layers.length;
    if (expected != image.layers.length) {
      const text = `expected ${expected.toString()}, got ${image.layers.length.toString()}`;
      return this.fail(`invalid manifest, layers length mismatch: ${text}`);
    }
    this.image = image;
    this.unpack(image);
  }

  /** The image is for none of the requested platforms. */
  private skip(): void {
    this.images.splice(this.next, 1);
    this.loadNext();
  }

  private unpack(image: Image): void {
    const members: LayerMember[] = [];
    const paths = this.images[this.next].layers;
    for (let i = 0; i < paths.length; i++) {
      members.push(new LayerMember(new Member(this.archive, paths[i]), this.layerSize(i)));
    }
    const layers = new LoadedLayers(this, image, members);
    this.layers = layers;
    layers.begin();
  }

  private flush(): void {
    const layers = this.layers;
    if (layers !== null) layers.flush();
  }

  private finishImage(): void {
    const archived = this.images[this.next];
    const image = imageStore.add(this.image!);
    imageStore.show(image);
    this.layers!.release();
    this.layers = null;
    this.ids += `Loaded image ID: ${image.id}\n`;
    for (let i = 0; i < archived.tags.length; i++) {
      if (!this.giveTag(image, archived.tags[i])) return;
    }
    this.loaded.push(image);
    emitImageEvent("load", image.id, image.id, image);
    this.next += 1;
    this.loadNext();
  }

  /** False if the name is invalid: then the load ends. */
  private giveTag(image: Image, name: string): bool {
    const reference = readTag(name);
    if (reference === null) {
      this.fail(parseReference(name) === null ? referenceError() : `invalid tag "${name}"`);
      return false;
    }
    const former = imageStore.setReference(reference, image);
    if (former !== null && former.id != image.id) {
      const text = `The image ${reference.familiar} already exists, renaming the old one with ID ${former.id} to empty string\n`;
      this.stream.text(text);
    }
    this.stream.text(`Loaded image: ${reference.familiar}\n`);
    return true;
  }

  /** This comes after all images are made, since an archive may have children before their parents. */
  private tieParents(): void {
    for (let i = 0; i < this.loaded.length; i++) {
      const image = this.loaded[i];
      const parent = this.images[i].parent;
      if (image.parent.length > 0 || imageStore.find(image.id) !== image) continue;
      if (imageStore.find(parent) === null) continue;
      image.parent = parent;
      imageStore.putImage(image);
    }
  }

  private conclude(): void {
    this.tieParents();
    const last = this.images.length - 1;
    if (last >= 0 && this.images[last].tags.length == 0) this.stream.text(this.ids);
    this.dropArchive();
    this.stream.end();
  }

  private fail(message: string): void {
    const layers = this.layers;
    this.layers = null;
    if (layers !== null) layers.giveUp();
    this.dropArchive();
    this.stream.fail(message);
  }

  private dropArchive(): void {
    if (this.isArchiveDropped) return;
    this.isArchiveDropped = true;
    askContent(new Ignored(), 0, new ContentCommandDropArchive(this.archive));
  }

  private layerSize(at: i32): u64 {
    return this.reader!.sizeOf(this.images[this.next].layers[at]);
  }
}

function layerText(at: i32, failure: Failure): string {
  if (!isOfTar(kindOf(failure))) return failureText(failure);
  if (failure.tag != FailureTag.Mismatch) return brokenTar(failureText(failure));
  const bytes = (<FailureMismatch>failure).value;
  return `invalid diffID for layer ${at.toString()}: expected "${bytes.wanted}", got "${bytes.found}"`;
}
