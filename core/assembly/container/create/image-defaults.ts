// What an image gives to its containers. Creates of one image often follow each other, so the last answer is kept.

import { Image } from "../../image/image";
import { Json } from "../../json/json";
import { normalise, schemaError } from "../../json/schema";
import { CONFIG } from "./config";

export class ImageDefaults {
  constructor(
    /** Normalised by `CONFIG`; null if the image's config is invalid. It must not be changed. */
    readonly config: Json | null,
    /** Why it is invalid; empty if it is not. */
    readonly error: string,
  ) {}
}

/** `given`: the `config` member of an image's config. */
export function readDefaults(given: Json): ImageDefaults {
  const config = normalise(given, CONFIG);
  return new ImageDefaults(config, schemaError());
}

/** The defaults of a container without an image are empty. */
export function defaultsOf(image: Image | null): ImageDefaults {
  const id = image === null ? "" : image.id;
  const known = last;
  if (known !== null && lastId == id) return known;
  const read = readDefaults(image === null ? Json.object() : image.containerConfig());
  last = read;
  lastId = id;
  return read;
}

/** `id`: of an image that is removed. Its variables and labels may be secret, or large. */
export function forgetDefaults(id: string): void {
  if (lastId != id) return;
  last = null;
  lastId = "";
}

let last: ImageDefaults | null = null;
/** The image's id names its content. */
let lastId: string = "";
