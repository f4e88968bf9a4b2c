// GET /images/{name}/history (surface §2.21, §6.5): the steps that the image's config tells of, newest first. The steps
// of an image that was loaded or pulled have no ids; those of one that was committed here have the ids of its parents.

import { Call } from "../../call";
import { Json } from "../../json/json";
import { JsonWriter } from "../../json/writer";
import { internal, Refusal } from "../../refusal";
import { line, sendJson } from "../../reply";
import { BAD_TIME, NO_TIME, parseTime, unixSeconds } from "../../text/time";
import { Image } from "../image";
import { layerStore } from "../layers/layer-store";
import { refuseOtherPlatform, WITH_PLATFORM } from "../platform-parameter";
import { imageStore } from "../store";

/** Id of a step that is no local image. */
const NO_IMAGE = "<missing>";

export function imageHistory(call: Call): Refusal | null {
  const lookup = imageStore.lookUp(call.name);
  const image = lookup.image;
  if (image === null) return lookup.refusal;
  const refusal: Refusal | null = call.version < WITH_PLATFORM ? null : refuseOtherPlatform(call, image);
  if (refusal !== null) return refusal;
  const steps = stepsOf(image);
  const sizes = sizesOf(image, steps);
  if (sizes === null) return internal("too many non-empty layers in History section");
  sendJson(call, 200, write(image, steps, sizes));
  return null;
}

function stepsOf(image: Image): Json[] {
  const history = image.document().find("history");
  return history === null || !history.isArray ? [] : history.items;
}

/** Bytes in the layer of each step, 0 for a step without one; null if there are fewer layers than steps with one. */
function sizesOf(image: Image, steps: Json[]): u64[] | null {
  const sizes: u64[] = [];
  let layers = 0;
  for (let i = 0; i < steps.length; i++) {
    if (steps[i].boolOf("empty_layer")) {
      sizes.push(0);
      continue;
    }
    if (layers == image.layers.length) return null;
    const layer = layerStore.find(image.layers[layers].chain);
    sizes.push(layer === null ? 0 : layer.size);
    layers += 1;
  }
  return sizes;
}

/** The image made by the newest step is the image itself; the one made by the step before may be its parent. */
function write(image: Image, steps: Json[], sizes: u64[]): Uint8Array {
  const json = new JsonWriter();
  let made: Image | null = image;
  json.beginArray();
  for (let i = steps.length - 1; i >= 0; i--) {
    writeStep(json, steps[i], sizes[i], made);
    if (made !== null) made = imageStore.find(made.parent);
  }
  json.endArray();
  return line(json);
}

function writeStep(json: JsonWriter, step: Json, size: u64, made: Image | null): void {
  const created = parseTime(step.stringOf("created"));
  json.beginObject();
  json.stringField("Comment", step.stringOf("comment"));
  json.i64Field("Created", unixSeconds(created == BAD_TIME ? NO_TIME : created));
  json.stringField("CreatedBy", step.stringOf("created_by"));
  json.stringField("Id", made === null ? NO_IMAGE : made.id);
  json.i64Field("Size", <i64>size);
  const tags: string[] = made === null ? [] : made.tags;
  if (tags.length > 0) json.stringArrayField("Tags", tags);
  else json.nullField("Tags");
  json.endObject();
}
