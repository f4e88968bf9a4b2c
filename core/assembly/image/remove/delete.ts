// DELETE /images/{name} (surface §2.21): what a name or id refers to, and what is deleted.

import { flagOf } from "../../api/parameters";
import { Call } from "../../call";
import { JsonWriter } from "../../json/writer";
import { badParameter, Refusal } from "../../refusal";
import { line, sendJson } from "../../reply";
import { Image } from "../image";
import { otherPlatform, WantedPlatforms } from "../platform-parameter";
import { imageStore } from "../store";
import { Deletion } from "./deletion";
import { deleteRemains } from "./remains";

/** The first version with the parameter `platforms`. */
const WITH_PLATFORMS: i32 = 50;

export function deleteImage(call: Call): Refusal | null {
  if (call.name.trim().length == 0) return badParameter("image name cannot be blank");
  const platforms = platformsOf(call);
  if (platforms.refusal !== null) return platforms.refusal;
  const lookup = imageStore.lookUp(call.name);
  const image = lookup.image;
  if (image === null) return deleteRemains(call, platforms.all.length > 0, lookup.refusal!);
  const other = refuseOtherPlatforms(platforms, call.name, image);
  if (other !== null) return other;
  const deletion = new Deletion(flagOf(call.query, "force"), !flagOf(call.query, "noprune"));
  const refusal = namesById(image, call.name) ? deletion.byId(image) : deletion.byReference(image, call.name);
  if (refusal !== null) return refusal;
  const json = new JsonWriter();
  deletion.write(json);
  sendJson(call, 200, line(json));
  return null;
}

/** Every value is read, also an empty one, before the image is looked up. */
function platformsOf(call: Call): WantedPlatforms {
  const wanted = new WantedPlatforms();
  if (call.version < WITH_PLATFORMS) return wanted;
  const texts = call.query.all("platforms");
  for (let i = 0; i < texts.length && wanted.refusal === null; i++) wanted.add(texts[i]);
  return wanted;
}

/** An image has one platform here: it is removed whole, and for no other platform (surface §2.21). */
function refuseOtherPlatforms(platforms: WantedPlatforms, name: string, image: Image): Refusal | null {
  for (let i = 0; i < platforms.all.length; i++) {
    const wanted = platforms.all[i];
    if (!wanted.equals(image.platform)) return otherPlatform(name, wanted.text, image);
  }
  return null;
}

/** Whether the text that found an image is its id or a prefix of it. */
function namesById(image: Image, text: string): bool {
  return image.id.startsWith(text) || image.id.slice(7).startsWith(text);
}
