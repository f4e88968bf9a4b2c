// One stage looks for an image.

import { Image } from "../../../image/image";
import { Platform } from "../../../image/platform";
import { parseReference, referenceError } from "../../../image/reference";
import { BuildProgress } from "../build-progress";
import { OpenWork } from "../work";
import { BasePull, PullClient } from "./base-pull";
import { BasePulls } from "./base-pulls";
import { localImage, PullWish } from "./pull-wish";

/** Waits for an image. */
export interface ImageClient {
  imageFound(image: Image): void;
  imageMissing(why: string): void;
}

export class ImageSearch implements PullClient, OpenWork {
  private pull: BasePull | null = null;
  private cancelled: bool = false;

  /** `platform`: null for the machine's, or that of an image that is here. */
  constructor(
    private readonly stream: BuildProgress,
    private readonly pulls: BasePulls,
    private readonly platform: Platform | null,
    private readonly client: ImageClient,
  ) {}

  /** `always`: asks the registry even if there is an image of this name. */
  begin(name: string, always: bool): void {
    const local = localImage(name, this.platform);
    // An id is no name that a registry knows.
    if (local !== null && (!always || local.id == name)) return this.client.imageFound(local);
    const named = parseReference(name);
    if (named === null) return this.client.imageMissing(referenceError());
    const pull = this.pulls.find(new PullWish(named.withDefaultTag(), this.platform, always));
    this.pull = pull;
    pull.join(this);
  }

  teller(): BuildProgress {
    return this.stream;
  }

  pulled(image: Image): void {
    if (this.cancelled) return;
    this.stream.waited();
    this.client.imageFound(image);
  }

  notPulled(why: string): void {
    if (!this.cancelled) this.client.imageMissing(why);
  }

  cancel(): void {
    this.cancelled = true;
    const pull = this.pull;
    if (pull !== null) pull.leave(this);
  }
}
