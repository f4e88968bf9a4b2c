// POST /images/create (surface §2.22): pulls if there is `fromImage`, and imports otherwise.

import { metaOf, registryAuthOf } from "../../api/registry-auth";
import { Call } from "../../call";
import { badParameter, Refusal } from "../../refusal";
import { hostPlatform } from "../host-platform";
import { importImage } from "../import/import";
import { parsePlatform, Platform, platformError } from "../platform";
import { ProgressStream } from "../progress-stream";
import { parseReference, Reference, referenceError } from "../reference";
import { reservedNameRefusal } from "./pull-refusal";
import { Pull } from "./pull-task";
import { credentialsOf } from "./registry";

/** The first version with the parameter `platform`. */
const WITH_PLATFORM: i32 = 32;

export function createImage(call: Call): Refusal | null {
  const name = call.query.first("fromImage");
  const wanted = platformOf(call);
  if (name.length == 0) return importImage(call, wanted);
  if (wanted === null) return badParameter(platformError());
  const named = parseReference(name.endsWith(":") ? name.slice(0, name.length - 1) : name);
  if (named === null) return badParameter(referenceError());
  const reference = withTag(named, call.query.first("tag"));
  if (reference === null) return badParameter("invalid tag format");
  const reserved = reservedNameRefusal(reference);
  if (reserved !== null) return reserved;

  // Accepted from here on: the pull is cancelled if the client disconnects.
  const headers = call.request.headers;
  const credentials = credentialsOf(registryAuthOf(headers), metaOf(headers));
  new Pull(new ProgressStream(call), null, reference, wanted, givesPlatform(call), credentials).begin();
  return null;
}

/** The parameter `tag` replaces the tag in the name; it may be a digest. */
function withTag(named: Reference, tag: string): Reference | null {
  return tag.length == 0 ? named : named.withTagOrDigest(tag);
}

function givesPlatform(call: Call): bool {
  return call.version >= WITH_PLATFORM && call.query.first("platform").length > 0;
}

/** The machine's platform if none is given. */
function platformOf(call: Call): Platform | null {
  const host = hostPlatform();
  return givesPlatform(call) ? parsePlatform(call.query.first("platform"), host) : host;
}
