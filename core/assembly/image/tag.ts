// POST /images/{name}/tag (surface §2.21).

import { Call } from "../call";
import { badParameter, Refusal } from "../refusal";
import { sendEmpty } from "../reply";
import { engine } from "../state";
import { Image } from "./image";
import { emitImageEvent } from "./image-event";
import { parseReference, Reference, referenceError } from "./reference";
import { imageStore } from "./store";

/** A repository of this name would look like a digest. */
const AMBIGUOUS = "sha256";

/** A new name for an image, or the reason for refusing it. */
export class NewName {
  constructor(
    readonly reference: Reference | null,
    readonly refusal: Refusal | null,
  ) {}
}

export function tagImage(call: Call): Refusal | null {
  const name = readNewName(call.query.first("repo"), call.query.first("tag"));
  if (name.refusal !== null) return name.refusal;
  const lookup = imageStore.lookUp(call.name);
  const image = lookup.image;
  if (image === null) return lookup.refusal;

  // The request is accepted from here on.
  giveName(image, name.reference!);
  sendEmpty(call, 201);
  return null;
}

/** `tag`: if empty, the tag in the name is used, or `latest`. */
export function readNewName(repository: string, tag: string): NewName {
  const named = parseReference(repository);
  if (named === null) return new NewName(null, badParameter(referenceError()));
  if (named.digest.length > 0) return refused("refusing to create a tag with a digest reference");
  if (named.familiarName == AMBIGUOUS) {
    return refused("refusing to create an ambiguous tag using digest algorithm as name");
  }
  if (tag.length == 0) return new NewName(named.withDefaultTag(), null);
  const tagged = named.withTagOrDigest(tag);
  if (tagged === null || tagged.digest.length > 0) return refused("invalid tag format");
  return new NewName(tagged, null);
}

/** A name of another image moves to this one; the other image keeps its id. */
export function giveName(image: Image, reference: Reference): void {
  imageStore.setReference(reference, image);
  image.lastTagged = engine.now.wall;
  imageStore.putImage(image);
  emitImageEvent("tag", image.id, reference.familiar, image);
}

function refused(message: string): NewName {
  return new NewName(null, badParameter(message));
}
