// A push (surface §2.22, §6.3): for each tag the layers, the config, then the manifest, without which nobody sees the
// rest. The first question, whether the registry has the config, also shows whether there is a registry at all.

import {
  ContentCommand,
  ContentCommandFindBlob,
  ContentCommandPublish,
  Credentials,
  DocumentPlace,
  DocumentPlaceBlob,
  DocumentPlaceManifest,
  Endpoint,
  Failure,
  ManifestPlace,
  Outcome,
  Publication,
  Repository,
  SentBlob,
  SoughtBlob,
} from "../../../../build/bindings/types";
import { lacksCredentials } from "../../failure/exchange";
import { FailureKind } from "../../failure/failure-kind";
import { kindOf } from "../../failure/kind";
import { failureText } from "../../failure/text";
import { Image } from "../image";
import { emitImageEvent } from "../image-event";
import { Claims } from "../layers/claims";
import { damagedText, isDamage } from "../layers/layer-damage";
import { retryingIn } from "../layers/layer-retry";
import { ProgressStream, StreamWriter } from "../progress-stream";
import { credentialsFor, pushEndpointOf } from "../pull/registry";
import { Reference } from "../reference";
import { Document, DocumentOwner } from "../remote/document";
import { imageStore } from "../store";
import { digestOf } from "../../text/sha256";
import { LayersSender, PushedLayers } from "./pushed-layers";
import { pushedManifest, PushedManifest } from "./pushed-manifest";

/** Docker names no address here, as it does for a pull. */
const NO_CREDENTIALS = "no basic auth credentials";

enum Step {
  FindConfig,
  Config,
  Manifest,
}

export class Push implements StreamWriter, LayersSender, DocumentOwner {
  /** Null: nobody takes pushes. */
  private readonly endpoint: Endpoint | null;
  /** SECRET. Another host than the registry gets no credentials of the registry. */
  private readonly sent: Credentials | null;
  private readonly claims: Claims = new Claims();
  /** The tags to push: one, or every tag of a repository. */
  private tags: Reference[] = [];
  private next: i32 = 0;
  /** The document that is asked for, or sent. */
  private document: Document | null = null;
  private image: Image | null = null;
  /** The registry has the image's config. */
  private hasConfig: bool = false;
  private layers: PushedLayers | null = null;
  private manifest: PushedManifest | null = null;
  /** A command that was in flight may still come to its end. */
  private givenUp: bool = false;

  constructor(
    private readonly stream: ProgressStream,
    /** As the client gave it. */
    private readonly wanted: Reference,
    /** SECRET. */
    credentials: Credentials | null,
  ) {
    const endpoint = pushEndpointOf(wanted);
    this.endpoint = endpoint;
    this.sent = endpoint === null ? null : credentialsFor(endpoint, wanted, credentials);
  }

  begin(): void {
    this.stream.begin(this);
    const wanted = this.wanted;
    this.stream.status(`The push refers to repository [${wanted.name}]`);
    const tags = tagsOf(wanted);
    if (tags === null) {
      return this.stream.fail(`An image does not exist locally with the tag: ${wanted.familiarName}`);
    }
    if (wanted.digest.length > 0) return this.stream.fail("cannot push a digest reference");
    if (wanted.tag.length > 0 && imageStore.named(wanted) === null) {
      return this.stream.fail(`tag does not exist: ${wanted.familiar}`);
    }
    if (wanted.tag.length == 0 && tags.length == 0) {
      return this.stream.fail(`no tags to push for ${wanted.familiarName}`);
    }
    if (this.endpoint === null) return this.stream.fail("no push hosts: not found");
    this.tags = wanted.tag.length > 0 ? [wanted] : tags;
    this.pushNext();
  }

  documentPauses(seconds: u32): void {
    this.stream.status(retryingIn(seconds), this.tag.tag);
  }

  documentEnded(step: i32, _outcome: Outcome | null, failure: Failure | null): void {
    this.document = null;
    if (this.givenUp || this.stream.finished) return;
    switch (step) {
      case Step.FindConfig:
        return this.soughtConfig(failure);
      case Step.Config:
        return failure === null ? this.sendManifest() : this.failed(failure);
      case Step.Manifest:
        return failure === null ? this.tookManifest() : this.failed(failure);
    }
  }

  /** The same if whoever it is for does not want it any more. */
  clientGone(): void {
    this.givenUp = true;
    const document = this.document;
    if (document !== null) document.giveUp();
    const layers = this.layers;
    this.layers = null;
    if (layers !== null) layers.giveUp();
    this.claims.release();
  }

  layersSent(blobs: SentBlob[]): void {
    this.layers = null;
    this.manifest = pushedManifest(this.image!, blobs);
    if (this.hasConfig) return this.sendManifest();
    this.publish(Step.Config, new DocumentPlaceBlob(this.image!.id), this.image!.config);
  }

  layersFailed(failure: Failure, chain: string): void {
    this.layers = null;
    if (isDamage(failure)) this.fail(damagedText(chain));
    else this.failed(failure);
  }

  private get tag(): Reference {
    return this.tags[this.next];
  }

  private repository(): Repository {
    return new Repository(this.endpoint!, this.wanted.path, this.sent);
  }

  private pushNext(): void {
    const image = imageStore.named(this.tag);
    // It was removed while the tags before it were pushed.
    if (image === null) return this.fail(`tag does not exist: ${this.tag.familiar}`);
    this.image = image;
    this.claims.claimStack(image.chain);
    const config = new SoughtBlob(this.repository(), image.id);
    this.ask(Step.FindConfig, new ContentCommandFindBlob(config));
  }

  /** What a registry refuses, its answer to sending something tells better. */
  private soughtConfig(failure: Failure | null): void {
    if (failure !== null && kindOf(failure) == FailureKind.Unreachable) return this.failed(failure);
    this.hasConfig = failure === null;
    const layers = new PushedLayers(this, this.stream, this.repository(), this.image!);
    this.layers = layers;
    layers.begin(this.wanted);
  }

  private sendManifest(): void {
    const manifest = this.manifest!;
    const place = new ManifestPlace(this.tag.tag, manifest.mediaType);
    this.publish(Step.Manifest, new DocumentPlaceManifest(place), manifest.bytes);
  }

  private publish(step: Step, place: DocumentPlace, bytes: Uint8Array): void {
    const publication = new Publication(this.repository(), place, bytes);
    this.ask(step, new ContentCommandPublish(publication));
  }

  private ask(step: Step, command: ContentCommand): void {
    const document = new Document(this, step, command, true);
    this.document = document;
    document.begin();
  }

  /** The image also gets the digest by which the registry knows it now. */
  private tookManifest(): void {
    const tag = this.tag;
    const image = this.image!;
    const bytes = this.manifest!.bytes;
    const digest = digestOf(bytes);
    // It may have been removed meanwhile, and even have come back.
    const kept = imageStore.find(image.id);
    if (kept !== null) {
      imageStore.setReference(new Reference(tag.domain, tag.path, "", digest), kept);
      imageStore.noteRepository(kept, tag.name);
    }
    this.stream.status(`${tag.tag}: digest: ${digest} size: ${bytes.length}`);
    this.stream.pushed(tag.tag, digest, bytes.length);
    this.claims.release();
    this.next += 1;
    if (this.next < this.tags.length) return this.pushNext();
    emitImageEvent("push", this.wanted.familiar, this.wanted.familiarName, image);
    this.stream.end();
  }

  private failed(failure: Failure): void {
    this.fail(lacksCredentials(failure) ? NO_CREDENTIALS : failureText(failure));
  }

  private fail(message: string): void {
    this.claims.release();
    this.stream.fail(message);
  }
}

/** The tags of a repository, sorted; null if no image has a name in it. */
function tagsOf(repository: Reference): Reference[] | null {
  const tags: Reference[] = [];
  let isKnown = false;
  const images = imageStore.all();
  for (let i = 0; i < images.length; i++) {
    const references = images[i].references;
    for (let j = 0; j < references.length; j++) {
      if (references[j].name != repository.name) continue;
      isKnown = true;
      if (references[j].digest.length == 0) tags.push(references[j]);
    }
  }
  tags.sort((a: Reference, b: Reference) => (a.tag < b.tag ? -1 : 1));
  return isKnown ? tags : null;
}
