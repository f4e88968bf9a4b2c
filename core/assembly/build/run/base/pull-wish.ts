// Which image a stage wants from a registry.

import { hostPlatform } from "../../../image/host-platform";
import { Image } from "../../../image/image";
import { Platform, platformFits } from "../../../image/platform";
import { Reference } from "../../../image/reference";
import { imageStore } from "../../../image/store";

export class PullWish {
  constructor(
    readonly reference: Reference,
    /** Null for the machine's, or that of an image that is here. */
    readonly given: Platform | null,
    /** The registry is asked even if there is an image of this name. */
    readonly always: bool,
  ) {}

  get platform(): Platform {
    const given = this.given;
    return given === null ? hostPlatform() : given;
  }

  /** The same for all who want the same image. */
  get key(): string {
    const given = this.given;
    return `pull ${this.reference.canonical} ${given === null ? "" : given.normalised().text}`;
  }
}

/** The image of this name that is here. Null if there is none, or it is for another platform. */
export function localImage(name: string, platform: Platform | null): Image | null {
  const image = imageStore.lookUp(name).image;
  return image === null || (platform !== null && !platformFits(image.platform, platform)) ? null : image;
}
