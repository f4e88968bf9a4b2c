// A pull (surface §2.22, §6.3): manifest, perhaps from an index;
// config; layers; then image, tag and digest in one step.

import {
  ContentCommand,
  ContentCommandBlob,
  ContentCommandResolve,
  ContentCommandTags,
  Credentials,
  Endpoint,
  Failure,
  FailureTooLarge,
  LayerSourceRegistry,
  ListTags,
  Noun,
  Outcome,
  OutcomeBytes,
  OutcomeNames,
  OutcomeResolved,
  Oversize,
  RegistryBlob,
  Repository,
  Resolve,
  Resolved,
} from "../../../../build/bindings/types";
import { failureText } from "../../failure/text";
import { internal, notFound, Refusal } from "../../refusal";
import { Image } from "../image";
import { emitImageEvent } from "../image-event";
import { documentLimit } from "../limits";
import { ACCEPTED, Descriptor, Manifest, parseManifest } from "../manifest";
import { retryingIn } from "../layers/layer-retry";
import { Platform, platformFits } from "../platform";
import { ProgressStream, StreamWriter } from "../progress-stream";
import { isTag, Reference } from "../reference";
import { Document, DocumentOwner } from "../remote/document";
import { layerStore } from "../layers/layer-store";
import { imageStore } from "../store";
import { helpsElsewhere, layerFailure, manifestRefusal } from "./pull-refusal";
import { digestFor, pulledImage } from "./pulled-image";
import { LayerOrigin, LayersOwner, Unpacking } from "./pulled-layers";
import { credentialsFor, isKnown, pullEndpointsOf } from "./registry";

/** Limit for nested indexes. */
const MAX_DEPTH: i32 = 8;
/** How long a pause before the first line may be that no line tells. */
const SILENT_SECONDS: u32 = 3;

enum Step {
  Tags,
  Manifest,
  Config,
}

/** A build that needs the image: its stream goes on after the pull. */
export interface PullOwner {
  /** A registry wants to be asked later. */
  pullPauses(): void;
  pulled(image: Image): void;
  notPulled(refusal: Refusal): void;
}

/** Who wants an image only if its config is right, and without a name. */
export interface ConfigReader {
  /** The image is not in the store, unless all of it is here. It is pulled if the reader calls `proceed`. */
  configRead(image: Image): void;
}

export class Pull implements StreamWriter, LayersOwner, DocumentOwner {
  /** Where the image may be: each is tried until one has all of it. */
  private readonly endpoints: Endpoint[];
  /** Index of the endpoint that is tried. */
  private at: i32 = 0;
  /** The references to pull: one, or every tag of a repository. */
  private references: Reference[] = [];
  private next: i32 = 0;
  /** The document that is asked for. */
  private document: Document | null = null;
  /** The manifest or index that the tag refers to. */
  private top: Resolved | null = null;
  private depth: i32 = 0;
  private manifest: Manifest | null = null;
  private unpacking: Unpacking | null = null;
  /** The one that failed: what it has stays until the next endpoint's goes on with it. */
  private former: Unpacking | null = null;
  private image: Image | null = null;
  /** The pull brought something new. */
  private news: bool = false;
  /** Null if all is wanted. */
  private reader: ConfigReader | null = null;
  /** All is wanted by now. */
  private proceeds: bool = true;
  /** A command that was in flight may still come to its end. */
  private givenUp: bool = false;

  constructor(
    private readonly stream: ProgressStream,
    /** Null for a pull that a client asked for directly. */
    private readonly owner: PullOwner | null,
    /** As the client gave it. */
    private readonly wanted: Reference,
    private readonly platform: Platform,
    private readonly platformGiven: bool,
    /** SECRET. */
    private readonly credentials: Credentials | null,
  ) {
    this.endpoints = pullEndpointsOf(wanted);
  }

  begin(): void {
    if (this.owner === null) this.stream.begin(this);
    if (!this.wanted.nameOnly) this.references.push(this.wanted);
    if (this.endpoints.length == 0) return this.refuse(notFound("no pull hosts: not found"));
    this.ask();
  }

  /** Reads the config first. The image becomes the builder's cache. */
  beginWith(reader: ConfigReader): void {
    this.reader = reader;
    this.proceeds = false;
    this.begin();
  }

  /** Of the manifest or the index that the name refers to, once the config is read. */
  get digest(): string {
    return this.top!.digest;
  }

  /** The reader wants the image. */
  proceed(): void {
    this.proceeds = true;
    this.fetchLayers(this.image!);
  }

  /** Begins at an endpoint. What is pulled already stays. */
  private ask(): void {
    if (this.references.length > 0) return this.pullNext();
    const list = new ListTags(this.endpoint, this.wanted.path, documentLimit(), this.sent);
    this.askFor(Step.Tags, new ContentCommandTags(list));
  }

  private askFor(step: Step, command: ContentCommand): void {
    const document = new Document(this, step, command, this.isLast);
    this.document = document;
    document.begin();
  }

  /** A mirror that does not have the image, or fails, is no reason to fail. False if no other endpoint is left. */
  private goesOn(): bool {
    if (this.at + 1 >= this.endpoints.length) return false;
    this.at += 1;
    this.ask();
    return true;
  }

  /** Once a line is sent, a failure has no status of its own any more: a short pause is not worth that. */
  documentPauses(seconds: u32): void {
    const owner = this.owner;
    if (owner !== null) owner.pullPauses();
    const id = this.references.length > 0 ? this.reference.tagOrDigest : "";
    if (this.stream.begun || seconds > SILENT_SECONDS) this.stream.status(retryingIn(seconds), id);
  }

  documentEnded(step: i32, outcome: Outcome | null, failure: Failure | null): void {
    this.document = null;
    if (this.givenUp || this.stream.finished) return;
    if (failure !== null) return this.failed(step, failure);
    switch (step) {
      case Step.Tags:
        return this.takeTags((<OutcomeNames>outcome!).value);
      case Step.Manifest:
        return this.takeManifest((<OutcomeResolved>outcome!).value);
      case Step.Config:
        return this.takeConfig((<OutcomeBytes>outcome!).value);
    }
  }

  /** The same if its owner does not want it any more. */
  clientGone(): void {
    this.givenUp = true;
    const document = this.document;
    if (document !== null) document.giveUp();
    const unpacking = this.unpacking;
    this.unpacking = null;
    if (unpacking !== null) unpacking.giveUp();
    this.dropFormer();
  }

  layersDone(): void {
    const made = this.image!;
    // A new image is written once, with its repository.
    if (!made.repositories.includes(this.reference.name)) made.repositories.push(this.reference.name);
    if (this.reader !== null && imageStore.find(made.id) === null) made.onlyCache = true;
    const image = imageStore.add(made);
    this.unpacking!.release();
    this.unpacking = null;
    this.finish(image);
  }

  layersFailed(failure: Failure): void {
    this.former = this.unpacking;
    this.unpacking = null;
    this.failWith(layerFailure(failure), helpsElsewhere(failure));
  }

  /** Layers that nobody else wants go now. */
  private dropFormer(): void {
    const former = this.former;
    this.former = null;
    if (former !== null) former.giveUp();
  }

  private get isLast(): bool {
    return this.at + 1 == this.endpoints.length;
  }

  private get endpoint(): Endpoint {
    return this.endpoints[this.at];
  }

  /** SECRET. A mirror gets no credentials of the registry that it mirrors. */
  private get sent(): Credentials | null {
    return credentialsFor(this.endpoint, this.wanted, this.credentials);
  }

  private get reference(): Reference {
    return this.references[this.next];
  }

  private repository(): Repository {
    return new Repository(this.endpoint, this.wanted.path, this.sent);
  }

  private failed(step: i32, failure: Failure): void {
    if (step == Step.Config || this.depth > 0) return this.refuse(internal(failureText(failure)));
    const reference = step == Step.Tags ? this.wanted : this.reference;
    this.refuse(manifestRefusal(failure, reference, isKnown(this.credentials)));
  }

  private refuse(refusal: Refusal): void {
    if (this.goesOn()) return;
    this.dropFormer();
    const owner = this.owner;
    if (owner === null) this.stream.refuse(refusal);
    else owner.notPulled(refusal);
  }

  private fail(message: string): void {
    this.failWith(message, true);
  }

  private failWith(message: string, mayGoOn: bool): void {
    if (mayGoOn && this.goesOn()) return;
    this.dropFormer();
    const owner = this.owner;
    if (owner === null) this.stream.fail(message);
    else owner.notPulled(internal(message));
  }

  private takeTags(tags: string[]): void {
    for (let i = 0; i < tags.length; i++) {
      if (isTag(tags[i])) this.references.push(new Reference(this.wanted.domain, this.wanted.path, tags[i]));
    }
    if (this.references.length > 0) return this.pullNext();
    this.refuse(notFound(`no tags found for ${this.wanted.familiarName}`));
  }

  private pullNext(): void {
    this.top = null;
    this.depth = 0;
    this.resolve(this.reference.tagOrDigest);
  }

  private resolve(tagOrDigest: string): void {
    const command = new Resolve(this.endpoint, this.wanted.path, tagOrDigest, ACCEPTED, documentLimit(), this.sent);
    this.askFor(Step.Manifest, new ContentCommandResolve(command));
  }

  private takeManifest(resolved: Resolved): void {
    const parsed = parseManifest(resolved.bytes, resolved.mediaType);
    const manifest = parsed.manifest;
    if (manifest === null) return this.refuse(parsed.refusal!);
    if (this.top === null) {
      this.top = resolved;
      this.announce();
    }
    if (manifest.isIndex) return this.choose(manifest);
    this.manifest = manifest;
    const known = imageStore.find(manifest.config!.digest);
    if (known !== null && layerStore.hasAll(known.layers)) return this.found(known);
    this.fetchConfig(manifest.config!);
  }

  private fetchConfig(config: Descriptor): void {
    if (config.size > documentLimit()) {
      const oversize = new Oversize(Noun.Blob, config.digest, documentLimit());
      return this.failed(Step.Config, new FailureTooLarge(oversize));
    }
    const blob = new RegistryBlob(this.repository(), config.digest, config.size);
    this.askFor(Step.Config, new ContentCommandBlob(blob));
  }

  private announce(): void {
    const reference = this.reference;
    const id = reference.digest.length > 0 ? reference.canonical : reference.tag;
    this.stream.status(`Pulling from ${reference.path}`, id);
  }

  private choose(index: Manifest): void {
    const digest = digestFor(index, this.platform);
    this.depth += 1;
    if (this.depth > MAX_DEPTH)
      return this.refuse(internal(`indexes are nested more than ${MAX_DEPTH.toString()} deep`));
    if (digest.length == 0) {
      const text = this.platform.normalised().text;
      return this.refuse(notFound(`no matching manifest for ${text} in the manifest list entries`));
    }
    this.resolve(digest);
  }

  private takeConfig(bytes: Uint8Array): void {
    const manifest = this.manifest!;
    const pulled = pulledImage(bytes, manifest);
    const image = pulled.image;
    if (image === null) return this.fail(pulled.error);
    this.found(image);
  }

  private found(image: Image): void {
    const reader = this.reader;
    const read = this.image;
    this.image = image;
    if (reader === null) return this.fetchLayers(image);
    if (!this.proceeds) return reader.configRead(image);
    // Another endpoint may have another image of this name, which nobody has looked at.
    if (read!.id == image.id) return this.fetchLayers(image);
    this.image = read;
    this.fail(`${this.wanted.familiar} is another image there`);
  }

  private fetchLayers(image: Image): void {
    // What is named is the store's image: what was read of it here is another object.
    const stored = imageStore.find(image.id);
    if (stored !== null && layerStore.hasAll(stored.layers)) return this.finish(stored);
    const unpacking = new Unpacking(this, this.stream, image);
    this.unpacking = unpacking;
    unpacking.begin(this.origins(this.manifest!.layers));
    this.dropFormer();
  }

  private origins(layers: Descriptor[]): LayerOrigin[] {
    const origins: LayerOrigin[] = [];
    for (let i = 0; i < layers.length; i++) {
      const blob = new RegistryBlob(this.repository(), layers[i].digest, layers[i].size);
      origins.push(new LayerOrigin(new LayerSourceRegistry(blob), layers[i].shortDigest, layers[i].size));
    }
    return origins;
  }

  /** The image is complete: sets its names and sends the last lines. */
  private finish(image: Image): void {
    this.dropFormer();
    if (this.reader !== null) return this.owner!.pulled(image);
    const reference = this.reference;
    const digest = this.top!.digest;
    this.stream.status(`Digest: ${digest}`);
    const former = imageStore.setReference(reference, image);
    if (former === null || former.id != image.id) this.news = true;
    imageStore.setReference(new Reference(reference.domain, reference.path, "", digest), image);
    imageStore.noteRepository(image, reference.name);
    this.next += 1;
    if (this.next < this.references.length) return this.pullNext();
    this.conclude(image);
  }

  private conclude(image: Image): void {
    const name = this.wanted.familiar;
    const done = this.news ? "Downloaded newer image" : "Image is up to date";
    this.stream.status(`Status: ${done} for ${name}`);
    if (this.platformGiven && !platformFits(image.platform, this.platform)) this.warn(image);
    emitImageEvent("pull", name, this.wanted.familiarName, image);
    const owner = this.owner;
    if (owner === null) this.stream.end();
    else owner.pulled(image);
  }

  /** An image that exists for a single platform is pulled even if another was requested. */
  private warn(image: Image): void {
    this.stream.status(
      `WARNING: image with reference ${this.wanted.familiar} was found but does not match the specified platform: ` +
        `wanted ${this.platform.text}, actual: ${image.platform.text}`,
    );
  }
}
