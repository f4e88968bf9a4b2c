// POST /images/{name}/push (surface §2.22).

import { metaOf, registryAuthOf } from "../../api/registry-auth";
import { Call } from "../../call";
import { badParameter, notFound, Refusal } from "../../refusal";
import { WantedPlatforms } from "../platform-parameter";
import { ProgressStream } from "../progress-stream";
import { credentialsOf } from "../pull/registry";
import { isTag, parseReference, Reference, referenceError } from "../reference";
import { imageStore } from "../store";
import { Push } from "./push-task";

/** The first version with the parameter `platform`. */
const WITH_PLATFORM: i32 = 46;

export function pushImage(call: Call): Refusal | null {
  const named = parseReference(call.name);
  if (named === null) return badParameter(referenceError());
  const tag = call.query.first("tag");
  if (tag.length > 0 && !isTag(tag)) return badParameter("invalid tag format");
  const reference = tag.length == 0 ? named : new Reference(named.domain, named.path, tag, named.digest);
  const platform = refusePlatform(call, reference);
  if (platform !== null) return platform;

  // Accepted from here on: the push is cancelled if the client disconnects.
  const headers = call.request.headers;
  const credentials = credentialsOf(registryAuthOf(headers), metaOf(headers));
  new Push(new ProgressStream(call), reference, credentials).begin();
  return null;
}

/** With `platform`, the image must match it exactly. */
function refusePlatform(call: Call, reference: Reference): Refusal | null {
  const text = call.version >= WITH_PLATFORM ? call.query.first("platform") : "";
  if (text.length == 0) return null;
  const wanted = new WantedPlatforms();
  wanted.add(text);
  if (wanted.refusal !== null) return wanted.refusal;
  const lookup = imageStore.lookUp(reference.familiar);
  const image = lookup.image;
  if (image === null) return lookup.refusal;
  if (wanted.admits(image.platform)) return null;
  return notFound(
    `image with reference ${reference.familiar} was found but does not match the specified platform: ` +
      `wanted ${wanted.text}, actual: ${image.platform.text}`,
  );
}
