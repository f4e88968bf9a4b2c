// POST /images/load (surface §2.22, §6.3): the archive is taken in whole, then its images are made one after the other.

import {
  ArchivedFile,
  BodyTag,
  ContentCommandDropArchive,
  ContentCommandIngest,
  ContentCommandRead,
  Failure,
  FailureKind,
  Ingest,
  LayerSourceArchived,
  Member,
  Outcome,
  OutcomeBytes,
  OutcomeIngested,
} from "../../../build/bindings/types";
import { flagOf } from "../api/parameters";
import { askContent } from "../ask";
import { Call } from "../call";
import { Ignored } from "../container/ignored";
import { jsonError, parseJson } from "../json/reader";
import { badParameter, notBuilt, Refusal } from "../refusal";
import { engine } from "../state";
import { Task } from "../task";
import { digestOf } from "../text/sha256";
import { ArchivedImage, blobPath, DOCKER_LIST, LAYOUT_INDEX, namesOf, readDockerList, readTag } from "./archive";
import { hostPlatform } from "./host-platform";
import { Image, parseImage } from "./image";
import { emitImageEvent } from "./image-event";
import { FetchState, LayerFetch } from "./layer-fetch";
import { Descriptor, Manifest, parseManifest } from "./manifest";
import { Claims, LayerOwner, OneLayer } from "./one-layer";
import { bestPlatform, Platform } from "./platform";
import { ProgressStream, StreamWriter } from "./progress";

/** The version that has `platform`. */
const WITH_PLATFORM: i32 = 48;
const LINE_INTERVAL: u64 = 100_000_000;

export function loadImages(call: Call): Refusal | null {
  if (call.version >= WITH_PLATFORM && call.query.first("platform").length > 0) {
    return notBuilt("loading a single platform");
  }

  // Accepted from here: once the archive is there the load goes on if the client goes away.
  new Load(call, flagOf(call.query, "quiet", true)).begin();
  return null;
}

enum Step {
  Ingest,
  List,
  Index,
  Manifest,
  Config,
}

class Load extends Task implements StreamWriter, LayerOwner {
  private readonly stream: ProgressStream;
  private readonly archive: string = engine.ids.next();
  private readonly claims: Claims = new Claims();
  private readonly sizes: Map<string, u64> = new Map<string, u64>();
  /** Of an image layout: what is still to be looked at. */
  private descriptors: Descriptor[] = [];
  private tags: string[] = [];
  /** Digest of the document that was asked for. */
  private expected: string = "";
  private images: ArchivedImage[] = [];
  private next: i32 = 0;
  private image: Image | null = null;
  /** The layer that is being unpacked. */
  private layer: i32 = 0;
  private toldAt: u64 = 0;
  private ids: string = "";

  constructor(
    private readonly call: Call,
    private readonly quiet: bool,
  ) {
    super();
    this.stream = new ProgressStream(call);
  }

  begin(): void {
    this.stream.begin(this);
    if (this.call.request.body.tag == BodyTag.None) return this.fail(brokenTar("unexpected EOF"));
    askContent(this, Step.Ingest, new ContentCommandIngest(new Ingest(this.archive, this.call.id)));
  }

  ended(step: i32, outcome: Outcome | null, failure: Failure | null): void {
    if (failure !== null) return this.fail(step == Step.Ingest ? brokenTar(failure.message) : failure.message);
    switch (step) {
      case Step.Ingest:
        return this.takeFiles((<OutcomeIngested>outcome!).value);
      case Step.List:
        return this.takeList((<OutcomeBytes>outcome!).value);
      case Step.Index:
        return this.takeIndex((<OutcomeBytes>outcome!).value);
      case Step.Manifest:
        return this.takeManifest((<OutcomeBytes>outcome!).value);
      case Step.Config:
        return this.takeConfig((<OutcomeBytes>outcome!).value);
    }
  }

  clientGone(): void {}

  layerMoved(fetch: LayerFetch): void {
    const now = engine.now.monotonic;
    if (fetch.state != FetchState.Extracting || now - this.toldAt < LINE_INTERVAL) return;
    this.toldAt = now;
    this.tell(fetch.current);
  }

  layerEnded(failure: Failure | null): void {
    const layer = this.image!.layers[this.layer];
    if (failure !== null) return this.fail(this.layerText(failure));
    this.claims.keep(layer.chain);
    this.tell(this.layerSize());
    this.layer += 1;
    this.unpackNext();
  }

  private takeFiles(files: ArchivedFile[]): void {
    for (let i = 0; i < files.length; i++) this.sizes.set(files[i].path, files[i].size);
    if (this.sizes.has(DOCKER_LIST)) return this.read(Step.List, DOCKER_LIST);
    if (this.sizes.has(LAYOUT_INDEX)) return this.read(Step.Index, LAYOUT_INDEX);
    this.fail("invalid archive: does not contain a manifest.json");
  }

  private read(step: Step, path: string): void {
    askContent(this, step, new ContentCommandRead(new Member(this.archive, path)));
  }

  private takeList(bytes: Uint8Array): void {
    const document = parseJson(bytes);
    if (document === null) return this.fail(jsonError());
    const images = readDockerList(document);
    if (images === null) return this.fail("invalid archive: manifest.json is no list of images");
    this.images = images;
    this.loadNext();
  }

  private takeIndex(bytes: Uint8Array): void {
    const manifest = this.parsed(bytes);
    if (manifest === null) return;
    if (!manifest.isIndex) return this.fail("invalid archive: index.json is no index");
    this.descriptors = manifest.images();
    this.lookNext();
  }

  /** Each entry of a layout's index is an image, or an index of which one fits the machine. */
  private lookNext(): void {
    if (this.descriptors.length == 0) return this.loadNext();
    const descriptor = this.descriptors.shift();
    this.tags = namesOf(descriptor);
    this.readManifest(descriptor);
  }

  private takeManifest(bytes: Uint8Array): void {
    if (digestOf(bytes) != this.expected)
      return this.fail(`invalid archive: digest of ${this.expected} does not match`);
    const manifest = this.parsed(bytes);
    if (manifest === null) return;
    if (manifest.isIndex) return this.choose(manifest.images());
    const image = new ArchivedImage(blobPath(manifest.config!.digest));
    for (let i = 0; i < manifest.layers.length; i++) image.layers.push(blobPath(manifest.layers[i].digest));
    image.tags = this.tags;
    this.images.push(image);
    this.lookNext();
  }

  private choose(entries: Descriptor[]): void {
    const platforms: (Platform | null)[] = [];
    for (let i = 0; i < entries.length; i++) platforms.push(entries[i].platform);
    const at = bestPlatform(platforms, hostPlatform());
    if (at < 0) return this.fail(`no matching manifest for ${hostPlatform().text} in the manifest list entries`);
    this.readManifest(entries[at]);
  }

  private readManifest(descriptor: Descriptor): void {
    this.expected = descriptor.digest;
    this.read(Step.Manifest, blobPath(descriptor.digest));
  }

  private parsed(bytes: Uint8Array): Manifest | null {
    const parsed = parseManifest(bytes, "");
    if (parsed.manifest === null) this.fail(parsed.refusal!.message);
    return parsed.manifest;
  }

  private loadNext(): void {
    if (this.next == this.images.length) return this.conclude();
    this.read(Step.Config, this.images[this.next].config);
  }

  private takeConfig(bytes: Uint8Array): void {
    const parsed = parseImage(bytes);
    const image = parsed.image;
    if (image === null) return this.fail(parsed.error);
    const expected = this.images[this.next].layers.length;
    if (expected != image.layers.length) {
      const text = `expected ${expected.toString()}, got ${image.layers.length.toString()}`;
      return this.fail(`invalid manifest, layers length mismatch: ${text}`);
    }
    this.image = image;
    this.layer = 0;
    this.unpackNext();
  }

  /** One after the other, as the lines about them stand. */
  private unpackNext(): void {
    const layers = this.image!.layers;
    while (this.layer < layers.length && engine.images.layers.find(layers[this.layer].chain) !== null) {
      this.claims.claim(layers[this.layer].chain);
      this.layer += 1;
    }
    if (this.layer == layers.length) return this.finishImage();
    this.toldAt = engine.now.monotonic;
    this.tell(0);
    const below: string | null = this.layer == 0 ? null : layers[this.layer - 1].chain;
    const member = new Member(this.archive, this.images[this.next].layers[this.layer]);
    const layer = layers[this.layer];
    new OneLayer(this).begin(layer.chain, below, layer.diffId, new LayerSourceArchived(member));
  }

  private finishImage(): void {
    const archived = this.images[this.next];
    const image = engine.images.add(this.image!);
    this.claims.release();
    this.ids += `Loaded image ID: ${image.id}\n`;
    for (let i = 0; i < archived.tags.length; i++) {
      if (!this.giveTag(image, archived.tags[i])) return;
    }
    if (image.parent.length == 0 && engine.images.find(archived.parent) !== null) {
      image.parent = archived.parent;
      engine.images.putImage(image);
    }
    emitImageEvent("load", image.id, image.id, image);
    this.next += 1;
    this.loadNext();
  }

  /** False if the name is none: the load ends there. */
  private giveTag(image: Image, name: string): bool {
    const reference = readTag(name);
    if (reference === null) {
      this.fail(`invalid tag "${name}"`);
      return false;
    }
    const former = engine.images.setReference(reference, image);
    if (former !== null && former.id != image.id) {
      const text = `The image ${reference.familiar} already exists, renaming the old one with ID ${former.id} to empty string\n`;
      this.stream.text(text);
    }
    this.stream.text(`Loaded image: ${reference.familiar}\n`);
    return true;
  }

  private conclude(): void {
    const last = this.images.length - 1;
    if (last >= 0 && this.images[last].tags.length == 0) this.stream.text(this.ids);
    this.dropArchive();
    this.stream.end();
  }

  private fail(message: string): void {
    this.claims.release();
    this.dropArchive();
    this.stream.fail(message);
  }

  private dropArchive(): void {
    askContent(new Ignored(), 0, new ContentCommandDropArchive(this.archive));
  }

  private tell(current: u64): void {
    if (this.quiet) return;
    const id = this.image!.layers[this.layer].diffId.slice(7, 19);
    // The first line of a layer is not replaced by later ones.
    const key = `${this.next.toString()}/${this.layer.toString()}/${current == 0 ? "begin" : "go on"}`;
    this.stream.amount("Loading layer", id, key, current, this.layerSize());
  }

  private layerSize(): u64 {
    const path = this.images[this.next].layers[this.layer];
    return this.sizes.has(path) ? this.sizes.get(path) : 0;
  }

  private layerText(failure: Failure): string {
    if (failure.kind != FailureKind.Corrupt || failure.message.startsWith("invalid diffID")) return failure.message;
    return brokenTar(failure.message);
  }
}

/** Docker unpacks in a process of its own, whose status stands in the text. */
function brokenTar(message: string): string {
  return `Error processing tar file(exit status 1): ${message}`;
}
