// Finds the images to save by the names in the request, and their tags in the archive (surface §2.22).

import { badParameter, internal, notFound, Refusal } from "../../refusal";
import { Image } from "../image";
import { WantedPlatforms } from "../platform-parameter";
import { isIdentifier, parseReference, Reference, referenceError } from "../reference";
import { imageStore } from "../store";

const ALGORITHM = "sha256:";

export class SavedImage {
  /** Tags by which the request named it; the archive contains no others. */
  readonly tags: Reference[] = [];

  constructor(readonly image: Image) {}
}

export class SavedImages {
  /** Each image once, in the order of the request. */
  readonly all: SavedImage[] = [];

  constructor(private readonly platforms: WantedPlatforms) {}

  find(id: string): SavedImage | null {
    for (let i = 0; i < this.all.length; i++) {
      if (this.all[i].image.id == id) return this.all[i];
    }
    return null;
  }

  /** A tag selects itself, a repository all of its tags; an id, a prefix of one, and a digest select no tag. */
  add(name: string): Refusal | null {
    const id = name.startsWith(ALGORITHM) ? name.slice(ALGORITHM.length) : name;
    if (isIdentifier(id)) return this.addById(name);
    const reference = parseReference(name);
    if (reference === null) return badParameter(referenceError());
    if (reference.familiarName + ":" == ALGORITHM) return this.addById(name);
    if (reference.nameOnly) return this.addRepository(reference, name);
    const image = imageStore.named(reference);
    return image === null ? notFound("reference does not exist") : this.take(image, reference);
  }

  private addById(name: string): Refusal | null {
    const image = imageStore.lookUp(name).image;
    return image === null ? notFound(`No such image: ${name}`) : this.take(image, null);
  }

  private addRepository(repository: Reference, name: string): Refusal | null {
    let found = false;
    const images = imageStore.all();
    for (let i = 0; i < images.length; i++) {
      const references = images[i].references;
      for (let j = 0; j < references.length; j++) {
        if (references[j].name != repository.name) continue;
        found = true;
        const refusal = this.take(images[i], references[j]);
        if (refusal !== null) return refusal;
      }
    }
    return found ? null : this.addById(name);
  }

  private take(image: Image, reference: Reference | null): Refusal | null {
    // Docker's error: it cannot save an image without layers.
    if (image.layers.length == 0) return internal("empty export - not implemented");
    if (!this.platforms.admits(image.platform)) {
      return notFound(`no suitable export target found for platform ${this.platforms.text}`);
    }
    const known = this.find(image.id);
    const saved = known === null ? new SavedImage(image) : known;
    if (known === null) this.all.push(saved);
    if (reference === null || reference.digest.length > 0) return null;
    for (let i = 0; i < saved.tags.length; i++) {
      if (saved.tags[i].canonical == reference.canonical) return null;
    }
    saved.tags.push(reference);
    return null;
  }
}
