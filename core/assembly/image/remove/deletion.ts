// Deletes images (surface §2.21): first references, then the image, then its untagged parents.

import { Status } from "../../container/lifecycle";
import { JsonWriter } from "../../json/writer";
import { conflict, notFound, Refusal } from "../../refusal";
import { Image } from "../image";
import { emitImageEvent } from "../image-event";
import { parseReference, Reference } from "../reference";
import { StoredLayer } from "../layers/layer-store";
import { imageStore } from "../store";

export class Deletion {
  /** Bytes of the deleted layers. */
  freed: u64 = 0;
  /** What happened; `names` says to which name or id. */
  private readonly events: string[] = [];
  private readonly names: string[] = [];

  /** `prune`: untagged parents are deleted as well, up to one that is the builder's cache. */
  constructor(
    private readonly force: bool,
    private readonly prune: bool,
  ) {}

  get isEmpty(): bool {
    return this.events.length == 0;
  }

  /** Objects with one key each, in the order of events. */
  write(json: JsonWriter): void {
    json.beginArray();
    for (let i = 0; i < this.events.length; i++) {
      json.beginObject().stringField(this.events[i], this.names[i]).endObject();
    }
    json.endArray();
  }

  byReference(image: Image, name: string): Refusal | null {
    const users = imageStore.usedBy(image);
    const reference = parseReference(name)!.withDefaultTag();
    if (imageStore.named(reference) === null) return notFound(`No such image: ${reference.familiar}`);
    if (!this.force && hasSingleReference(image) && users.length > 0) {
      return conflict(
        `conflict: unable to remove repository reference "${reference.familiar}" (must force) - ` +
          `container ${users[0].shortId} is using its referenced image ${image.shortId}`,
      );
    }

    // Accepted from here on: any obstacle to deleting the image leaves the image, but without this name.
    this.untag(image, reference);
    if (reference.digest.length == 0) this.untagDigests(image, reference);
    if (image.references.length == 0) this.delete(image, this.force);
    return null;
  }

  byId(image: Image): Refusal | null {
    const single = hasSingleReference(image);
    const refusal = this.obstacle(image, this.force, single);
    if (refusal !== null) return refusal;

    // The request is accepted from here on.
    while (image.references.length > 0) this.untag(image, image.references[0]);
    this.delete(image, this.force);
    return null;
  }

  /** Why an image cannot be deleted, or null. `named`: names are no obstacle. */
  private obstacle(image: Image, force: bool, named: bool): Refusal | null {
    const users = imageStore.usedBy(image);
    if (imageStore.hasChildren(image) || (image.onlyCache && imageStore.hasHiddenChildren(image)))
      return refuse(image, "cannot be forced", "image has dependent child images");
    for (let i = 0; i < users.length; i++) {
      // A start in progress counts: the container must not lose its image.
      if (users[i].up || users[i].status == Status.Starting) {
        return refuse(image, "cannot be forced", `image is being used by running container ${users[i].shortId}`);
      }
    }
    if (force) return null;
    if (!named && image.references.length > 0) {
      return refuse(image, "must be forced", "image is referenced in multiple repositories");
    }
    if (users.length == 0) return null;
    return refuse(image, "must be forced", `image is being used by stopped container ${users[0].shortId}`);
  }

  /**
   * Deletes an image without names unless there is an obstacle; then its parents, for which obstacles are not reported.
   */
  private delete(image: Image, force: bool): void {
    let going: Image = image;
    let forced = force;
    // A loop, since there may be thousands of parents.
    while (this.obstacle(going, forced, false) === null) {
      this.remove(going);
      const parent = imageStore.find(going.parent);
      if (!this.prune || parent === null || parent.onlyCache) return;
      going = parent;
      forced = false;
    }
  }

  /** What steps of builds by BuildKit are made of stays for them: only the builder's prune removes it. */
  private remove(image: Image): void {
    let layers: StoredLayer[] = [];
    if (imageStore.hasHiddenChildren(image)) imageStore.hide(image);
    else layers = imageStore.remove(image);
    emitImageEvent("delete", image.id, image.id, null);
    this.record("Deleted", image.id);
    for (let i = 0; i < layers.length; i++) {
      this.record("Deleted", layers[i].chain);
      this.freed += layers[i].size;
    }
  }

  private untag(image: Image, reference: Reference): void {
    imageStore.removeReference(reference);
    emitImageEvent("untag", image.id, image.id, image);
    this.record("Untagged", reference.familiar);
  }

  /** When the last tag of a repository is removed, its digests are removed as well. */
  private untagDigests(image: Image, removed: Reference): void {
    const rest = image.references.slice(0);
    for (let i = 0; i < rest.length; i++) {
      if (rest[i].digest.length == 0 && rest[i].name == removed.name) return;
    }
    for (let i = 0; i < rest.length; i++) {
      if (rest[i].name == removed.name) this.untag(image, rest[i]);
    }
  }

  private record(what: string, name: string): void {
    this.events.push(what);
    this.names.push(name);
  }
}

/** All references are in one repository, and at most one of them is a tag. */
function hasSingleReference(image: Image): bool {
  let tags = 0;
  for (let i = 0; i < image.references.length; i++) {
    if (image.references[i].digest.length == 0) tags += 1;
    if (image.references[i].name != image.references[0].name) return false;
  }
  return tags <= 1;
}

function refuse(image: Image, how: string, why: string): Refusal {
  return conflict(`conflict: unable to delete ${image.shortId} (${how}) - ${why}`);
}
