// What containers use, seen once for a whole list of entries.

import { MountKind } from "../../container/mounts/mount-point";
import { containerStore } from "../../container/store";
import { Image } from "../../image/image";
import { Sharing } from "../../image/shown/sharing";
import { BuildCache } from "./build-cache";

export class Uses {
  /** Ids of images that containers are made from or mount. */
  private readonly images: Set<string> = new Set<string>();
  /** What builds have lent to containers. */
  private readonly lent: Set<string> = new Set<string>();
  private readonly sharing: Sharing = new Sharing();

  constructor() {
    const containers = containerStore.all();
    for (let i = 0; i < containers.length; i++) {
      this.images.add(containers[i].imageId);
      const mounts = containers[i].mounts;
      for (let j = 0; j < mounts.length; j++) {
        if (mounts[j].kind == MountKind.Image) this.images.add(mounts[j].source);
        else if (mounts[j].kind == MountKind.Lent) this.lent.add(mounts[j].source);
      }
    }
  }

  /** By a container, or by a build that is under way. */
  ofImage(image: Image): bool {
    return image.holders > 0 || this.images.has(image.id);
  }

  ofCache(cache: BuildCache): bool {
    return cache.holders > 0 || this.lent.has(cache.source);
  }

  /** Whether an image that clients see has the newest layer of `image`, too. `parent`: what that was made of. */
  sharesLayer(image: Image, parent: Image | null): bool {
    const chain = image.chain;
    if (chain === null || (parent !== null && parent.chain == chain)) return false;
    return this.sharing.imagesWith(chain) > 0;
  }
}
