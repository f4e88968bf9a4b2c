// DELETE /images/{name} (surface §2.21): what a name or id refers to, and what is deleted.

import { flagOf } from "../../api/parameters";
import { Call } from "../../call";
import { JsonWriter } from "../../json/writer";
import { badParameter, Refusal } from "../../refusal";
import { line, sendJson } from "../../reply";
import { Image } from "../image";
import { refuseUnlessFor } from "../platform-parameter";
import { imageStore } from "../store";
import { Deletion } from "./deletion";
import { deleteRemains } from "./remains";

/** The first version with the parameter `platforms`. */
const WITH_PLATFORMS: i32 = 50;

export function deleteImage(call: Call): Refusal | null {
  if (call.name.trim().length == 0) return badParameter("image name cannot be blank");
  const lookup = imageStore.lookUp(call.name);
  const image = lookup.image;
  if (image === null) return deleteRemains(call, lookup.refusal!);
  const other = refuseOtherPlatforms(call, image);
  if (other !== null) return other;
  const deletion = new Deletion(flagOf(call.query, "force"), !flagOf(call.query, "noprune"));
  const refusal = namesById(image, call.name) ? deletion.byId(image) : deletion.byReference(image, call.name);
  if (refusal !== null) return refusal;
  const json = new JsonWriter();
  deletion.write(json);
  sendJson(call, 200, line(json));
  return null;
}

/** An image has one platform here: it is removed whole, and for no other platform (surface §2.21). */
function refuseOtherPlatforms(call: Call, image: Image): Refusal | null {
  if (call.version < WITH_PLATFORMS) return null;
  const texts = call.query.all("platforms");
  for (let i = 0; i < texts.length; i++) {
    const refusal = refuseUnlessFor(texts[i], call.name, image);
    if (refusal !== null) return refusal;
  }
  return null;
}

/** Whether the text that found an image is its id or a prefix of it. */
function namesById(image: Image, text: string): bool {
  return image.id.startsWith(text) || image.id.slice(7).startsWith(text);
}
