// What an archive of images holds: the list of `docker save`, or an OCI image layout (surface §2.22).

import { Json } from "../../json/json";
import { Descriptor } from "../manifest";
import { isTag, parseReference, Reference } from "../reference";

export const DOCKER_LIST = "manifest.json";
export const LAYOUT_INDEX = "index.json";

/** Annotations of the entries of an index. */
export const FULL_NAME = "io.containerd.image.name";
export const REFERENCE_NAME = "org.opencontainers.image.ref.name";

/** One image of an archive: names of members, and what the image is to be called. */
export class ArchivedImage {
  /** Base first. */
  layers: string[] = [];
  tags: string[] = [];
  /** Id of the image it was made from, or empty. */
  parent: string = "";

  constructor(readonly config: string) {}
}

/** Null if it is no such list. */
export function readDockerList(document: Json): ArchivedImage[] | null {
  if (!document.isArray) return null;
  const images: ArchivedImage[] = [];
  for (let i = 0; i < document.length; i++) {
    const entry = document.items[i];
    const config = entry.stringOf("Config");
    if (config.length == 0) return null;
    const image = new ArchivedImage(cleaned(config));
    const layers = entry.stringsOf("Layers");
    for (let j = 0; j < layers.length; j++) image.layers.push(cleaned(layers[j]));
    image.tags = entry.stringsOf("RepoTags");
    image.parent = entry.stringOf("Parent");
    images.push(image);
  }
  return images;
}

/** Where an image layout keeps a blob. */
export function blobPath(digest: string): string {
  return `blobs/${digest.replace(":", "/")}`;
}

/** What a layout's index calls an image; nothing where the annotation is a bare tag and no name stands beside it. */
export function namesOf(descriptor: Descriptor): string[] {
  const full = descriptor.annotations.entry(FULL_NAME);
  if (full !== null && full.isString) return [full.text];
  const name = descriptor.annotations.entry(REFERENCE_NAME);
  if (name === null || !name.isString || isTag(name.text)) return [];
  return [name.text];
}

/** Null for a name without a tag, or none at all. */
export function readTag(name: string): Reference | null {
  const reference = parseReference(name);
  return reference === null || reference.tag.length == 0
    ? null
    : new Reference(reference.domain, reference.path, reference.tag);
}

function cleaned(path: string): string {
  return path.startsWith("./") ? path.slice(2) : path;
}
