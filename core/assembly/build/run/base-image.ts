// The image that a stage begins with, or that files are copied from: one that is here, or one that is pulled.

import { Credentials } from "../../../../build/bindings/types";
import { hostPlatform } from "../../image/host-platform";
import { Image } from "../../image/image";
import { parsePlatform, Platform, platformFits } from "../../image/platform";
import { Pull, PullOwner } from "../../image/pull/pull-task";
import { parseReference, Reference, referenceError } from "../../image/reference";
import { imageStore } from "../../image/store";
import { Refusal } from "../../refusal";
import { CredentialsClient, CredentialsSource } from "../credentials";
import { Stage } from "../stages/stage";
import { BuildFacts } from "./build-facts";
import { BuildProgress } from "./build-progress";
import { OpenWork } from "./work";

/** Waits for an image. */
export interface ImageClient {
  imageFound(image: Image): void;
  imageMissing(why: string): void;
}

export class ImageSearch implements PullOwner, CredentialsClient, OpenWork {
  private reference: Reference | null = null;
  private asking: OpenWork | null = null;
  private pull: Pull | null = null;
  private cancelled: bool = false;

  /** `platform`: null for the machine's, or that of an image that is here. */
  constructor(
    private readonly stream: BuildProgress,
    private readonly credentials: CredentialsSource,
    private readonly platform: Platform | null,
    private readonly client: ImageClient,
  ) {}

  /** `always`: asks the registry even if there is an image of this name. */
  begin(name: string, always: bool): void {
    const local = imageStore.lookUp(name).image;
    // An id is no name that a registry knows.
    const isFresh = !always || (local !== null && local.id == name);
    if (local !== null && isFresh && this.fits(local)) return this.client.imageFound(local);
    const named = parseReference(name);
    if (named === null) return this.client.imageMissing(referenceError());
    const reference = named.withDefaultTag();
    this.reference = reference;
    this.asking = this.credentials.find(reference, this);
  }

  credentialsFound(credentials: Credentials | null): void {
    this.asking = null;
    const reference = this.reference!;
    const wanted = this.platform;
    const platform = wanted === null ? hostPlatform() : wanted;
    const pull = new Pull(this.stream.progress, this, reference, platform, wanted !== null, credentials);
    this.pull = pull;
    pull.begin();
  }

  credentialsMissing(why: string): void {
    this.asking = null;
    this.client.imageMissing(why);
  }

  pullPauses(): void {
    if (!this.cancelled) this.stream.pauses();
  }

  pulled(image: Image): void {
    if (!this.cancelled) this.client.imageFound(image);
  }

  notPulled(refusal: Refusal): void {
    if (!this.cancelled) this.client.imageMissing(refusal.message);
  }

  cancel(): void {
    this.cancelled = true;
    const asking = this.asking;
    this.asking = null;
    if (asking !== null) asking.cancel();
    const pull = this.pull;
    if (pull !== null) pull.clientGone();
  }

  private fits(image: Image): bool {
    const wanted = this.platform;
    return wanted === null || platformFits(image.platform, wanted);
  }
}

/** A search for a stage: for its platform, or else the build's. Null if the stage names none that there is. */
export function imageSearch(stage: Stage, facts: BuildFacts, client: ImageClient): ImageSearch | null {
  const platform = wantedPlatform(stage, facts);
  if (platform === null && stage.platform.length > 0) return null;
  return new ImageSearch(facts.streamOf(stage.index), facts.credentials, platform, client);
}

/** The platform that a stage names, or else the build's. Null if there is none, and if the stage's is not valid. */
export function wantedPlatform(stage: Stage, facts: BuildFacts): Platform | null {
  return stage.platform.length > 0 ? parsePlatform(stage.platform, hostPlatform()) : facts.options.platform;
}
