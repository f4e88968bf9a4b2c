// The content of an image archive: the list of `docker save`, or an OCI image layout (surface §2.22).

import { Json } from "../../json/json";
import { Descriptor } from "../manifest";
import { isTag, parseReference, Reference } from "../reference";

export const DOCKER_LIST = "manifest.json";
export const LAYOUT_INDEX = "index.json";

/** Annotations of entries in an index. */
export const FULL_NAME = "io.containerd.image.name";
export const REFERENCE_NAME = "org.opencontainers.image.ref.name";

/** One image of an archive: names of its members, and the image's tags. */
export class ArchivedImage {
  /** The base layer comes first. */
  layers: string[] = [];
  tags: string[] = [];
  /** Digest of the config; empty if the archive does not tell it. */
  digest: string = "";
  /** Id of the parent image, or empty. */
  parent: string = "";

  constructor(readonly config: string) {}
}

/** Null if the document is not such a list. */
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

/** Path of a blob in an image layout. */
export function blobPath(digest: string): string {
  return `blobs/${digest.replace(":", "/")}`;
}

/** The names that a layout's index gives an image; none if the annotation is a bare tag without a name beside it. */
export function namesOf(descriptor: Descriptor): string[] {
  const full = descriptor.annotations.entry(FULL_NAME);
  if (full !== null && full.isString) return [full.text];
  const name = descriptor.annotations.entry(REFERENCE_NAME);
  if (name === null || !name.isString || isTag(name.text)) return [];
  return [name.text];
}

/** Null for an invalid name, or one without a tag. */
export function readTag(name: string): Reference | null {
  const reference = parseReference(name);
  return reference === null || reference.tag.length == 0
    ? null
    : new Reference(reference.domain, reference.path, reference.tag);
}

function cleaned(path: string): string {
  return path.startsWith("./") ? path.slice(2) : path;
}
