// A cache in a directory of the build's client (`--cache-from type=local`). Its index is read, then the manifest and the config
// of each image in it. Layers follow once a step is found.
//
// Whoever can write to the directory may have written anything. So every document must have the digest by which it is named,
// each layer the DiffID that its image's config names, and the steps must be those that follow from the images.

import {
  ClientDocument,
  ClientStore,
  ContentCommandReadDocument,
  Failure,
  FailureMismatch,
  FailureTag,
  Outcome,
  OutcomeBytes,
} from "../../../../build/bindings/types";
import { abandon, askContent } from "../../ask";
import { failureText } from "../../failure/text";
import { Ignored } from "../../ignored";
import { Image } from "../../image/image";
import { documentLimit } from "../../image/limits";
import { Descriptor, Manifest, parseAnyManifest, parseManifest } from "../../image/manifest";
import { pulledImage } from "../../image/pull/pulled-image";
import { Task } from "../../task";
import { digestOf } from "../../text/sha256";
import { ClientCache, isCacheable, MOST_IMAGES, nameProblem, STEPS_TYPE, stepsOf } from "../kept-cache";
import { BuildFacts } from "./build-facts";
import { FetchClient } from "./cache-layers";
import { ClientLayers } from "./client-layers";
import { ImportedCache, ImportOwner } from "./imported-cache";
import { OpenWork } from "./work";

const FOREIGN = "it is no cache of this engine";

enum Step {
  Index,
  Manifest,
  Config,
}

export class DirectoryImport extends Task implements ImportedCache {
  /** The document that is being read; 0 if none is. */
  private op: u64 = 0;
  /** Of the images. */
  private entries: Descriptor[] = [];
  /** Digest of the steps, as the index names it. */
  private steps: string = "";
  /** The one whose config is read. */
  private manifest: Manifest | null = null;
  private readonly images: Image[] = [];
  /** Digests of the layers' blobs, for each of them. */
  private readonly blobs: string[][] = [];
  private readonly layers: ClientLayers[] = [];

  constructor(
    private readonly cache: ClientCache,
    private readonly facts: BuildFacts,
    private readonly imports: ImportOwner,
  ) {
    super();
  }

  begin(): void {
    const store = this.cache.source.store;
    this.facts.stream.importsCache(store);
    const why = nameProblem(store);
    if (why.length > 0) return this.settle(why);
    this.read(Step.Index, this.cache.source.digest);
  }

  ended(step: i32, outcome: Outcome | null, failure: Failure | null): void {
    if (this.op == 0 || this.facts.over) return;
    this.op = 0;
    if (failure !== null) return this.settle(whyNot(failure));
    const bytes = (<OutcomeBytes>outcome!).value;
    switch (step) {
      case Step.Index:
        return this.takeIndex(bytes);
      case Step.Manifest:
        return this.takeManifest(bytes);
      default:
        return this.takeConfig(bytes);
    }
  }

  isOf(source: Image): bool {
    return this.images.includes(source);
  }

  /** Stages may wait for the same image: its layers are fetched once. */
  fetch(source: Image, client: FetchClient): OpenWork {
    for (let i = 0; i < this.layers.length; i++) {
      if (this.layers[i].image === source) return this.layers[i].wait(client);
    }
    const at = this.images.indexOf(source);
    const layers = new ClientLayers(this.cache, source, this.blobs[at], this.facts);
    this.layers.push(layers);
    const waiting = layers.wait(client);
    layers.begin();
    return waiting;
  }

  cancel(): void {
    const op = this.op;
    this.op = 0;
    if (op != 0) abandon(new Ignored(), 0, op);
    for (let i = 0; i < this.layers.length; i++) this.layers[i].cancel();
  }

  private read(step: Step, digest: string): void {
    const store = new ClientStore(this.cache.session, this.cache.source.store);
    const document = new ClientDocument(store, digest, documentLimit());
    this.op = askContent(this, step, new ContentCommandReadDocument(document));
  }

  private takeIndex(bytes: Uint8Array): void {
    const parsed = parseAnyManifest(bytes, "").manifest;
    if (parsed === null || !parsed.isIndex) return this.settle(FOREIGN);
    for (let i = 0; i < parsed.entries.length; i++) {
      const entry = parsed.entries[i];
      if (entry.mediaType == STEPS_TYPE) this.steps = entry.digest;
      else if (isManifest(entry)) this.entries.push(entry);
    }
    if (this.steps.length == 0 || this.entries.length > MOST_IMAGES) return this.settle(FOREIGN);
    this.next();
  }

  private next(): void {
    const at = this.images.length;
    if (at < this.entries.length) return this.read(Step.Manifest, this.entries[at].digest);
    if (digestOf(stepsOf(this.images)) != this.steps) return this.settle(FOREIGN);
    for (let i = 0; i < this.images.length; i++) this.facts.cacheSources.push(this.images[i]);
    this.settle("");
  }

  private takeManifest(bytes: Uint8Array): void {
    const manifest = parseManifest(bytes, "").manifest;
    if (manifest === null || manifest.isIndex) return this.settle(FOREIGN);
    this.manifest = manifest;
    this.read(Step.Config, manifest.config!.digest);
  }

  private takeConfig(bytes: Uint8Array): void {
    const manifest = this.manifest!;
    const pulled = pulledImage(bytes, manifest);
    const image = pulled.image;
    if (image === null) return this.settle(pulled.error);
    if (!isCacheable(image)) return this.settle(FOREIGN);
    if (!this.imports.admits(image)) return this.settle("it is too large, together with the caches before it");
    this.images.push(image);
    this.blobs.push(manifest.layers.map<string>((layer: Descriptor) => layer.digest));
    this.next();
  }

  /** `why`: it is no cache; empty if it is one. */
  private settle(why: string): void {
    if (this.facts.over) return;
    this.facts.stream.importedCache(why);
    this.imports.next();
  }
}

/** Why a document cannot be had. */
function whyNot(failure: Failure): string {
  if (failure.tag != FailureTag.Mismatch) return failureText(failure);
  return `the bytes of ${(<FailureMismatch>failure).value.wanted} are other ones by now`;
}

function isManifest(entry: Descriptor): bool {
  return entry.mediaType.includes(".manifest.");
}
