// From which repositories a registry may take a layer over instead of getting its bytes: those that images with the
// layer came from, or were pushed to.

import { Image } from "../image";
import { Reference } from "../reference";
import { imageStore } from "../store";

/** More are not tried for one layer: each costs a request. */
const MOST: i32 = 3;

export class MountSources {
  /** Paths by DiffID. */
  private readonly paths: Map<string, string[]> = new Map<string, string[]>();

  /** `target`: names the registry, and the repository that shall have the layers. */
  constructor(private readonly target: Reference) {
    const images = imageStore.all();
    for (let i = 0; i < images.length; i++) this.takeAll(images[i]);
  }

  of(diffId: string): string[] {
    return this.paths.has(diffId) ? this.paths.get(diffId) : [];
  }

  /** A digest was given by a registry; a tag alone says nothing about one. */
  private takeAll(image: Image): void {
    for (let i = 0; i < image.references.length; i++) {
      const reference = image.references[i];
      if (reference.digest.length == 0 || reference.domain != this.target.domain) continue;
      if (reference.path == this.target.path) continue;
      for (let j = 0; j < image.layers.length; j++) this.take(image.layers[j].diffId, reference.path);
    }
  }

  private take(diffId: string, path: string): void {
    if (!this.paths.has(diffId)) this.paths.set(diffId, []);
    const paths = this.paths.get(diffId);
    if (paths.length < MOST && !paths.includes(path)) paths.push(path);
  }
}
