// Keys and forms of the image records. A config's bytes are a record of their own, under the image's id.

import { Json } from "../json/json";
import { JsonWriter } from "../json/writer";
import { NO_TIME } from "../text/time";
import { Image } from "./image";

/** `image/ID`: what is known of an image besides its config. */
export const IMAGE_RECORDS: string = "image/";
/** `config/ID`: the config's bytes. */
export const CONFIG_RECORDS: string = "config/";
/** `reference/CANONICAL`: id of the image that a tag or a digest names. */
export const REFERENCE_RECORDS: string = "reference/";
/** `layer/CHAIN`: a layer that an image has. */
export const LAYER_RECORDS: string = "layer/";

export function writeImageRecord(image: Image): Uint8Array {
  const json = new JsonWriter();
  json.beginObject();
  if (image.parent.length > 0) json.stringField("parent", image.parent);
  if (image.lastTagged != NO_TIME) json.i64Field("lastTagged", image.lastTagged);
  json.endObject();
  return json.finish();
}

export function readImageRecord(image: Image, json: Json): void {
  image.parent = json.stringOf("parent");
  image.lastTagged = json.find("lastTagged") === null ? NO_TIME : json.i64Of("lastTagged");
}
