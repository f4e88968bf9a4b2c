// GET /images/json (surface §2.21, §6.5).

import { flagOf } from "../api/parameters";
import { Call } from "../call";
import { JsonWriter } from "../json/writer";
import { badParameter, Refusal } from "../refusal";
import { line, sendJson } from "../reply";
import { engine } from "../state";
import { unixSeconds } from "../text/time";
import { Image } from "./image";
import { writeLabels } from "./image-json";
import { ImageFilter } from "./list-filter";
import {
  WITH_CONTAINER_COUNT,
  WITH_IDENTITY,
  WITH_SHARED_SIZE,
  WITHOUT_PLACEHOLDERS,
  WITHOUT_VIRTUAL_SIZE,
} from "./versions";

/** What is not counted. */
const NOT_COUNTED: i64 = -1;

export function listImages(call: Call): Refusal | null {
  const query = call.query;
  if (call.version >= WITH_IDENTITY && flagOf(query, "identity") && !flagOf(query, "manifests")) {
    return badParameter("conflicting options: identity needs manifests");
  }
  const filter = new ImageFilter(call);
  if (filter.refusal !== null) return filter.refusal;
  const listing = new Listing(call, filter, flagOf(query, "all"));
  const images = engine.images
    .all()
    .sort((a: Image, b: Image) => (a.created < b.created ? 1 : a.created > b.created ? -1 : 0));
  for (let i = 0; i < images.length; i++) {
    if (filter.matches(images[i])) listing.add(images[i]);
  }
  sendJson(call, 200, listing.body());
  return null;
}

class Listing {
  private readonly json: JsonWriter = new JsonWriter();
  private readonly shared: bool;

  constructor(
    private readonly call: Call,
    private readonly filter: ImageFilter,
    private readonly all: bool,
  ) {
    this.shared = call.version >= WITH_SHARED_SIZE && flagOf(call.query, "shared-size");
    this.json.beginArray();
  }

  body(): Uint8Array {
    return line(this.json.endArray());
  }

  /** Unless its names, or that it has none, keep it out. */
  add(image: Image): void {
    const tags: string[] = [];
    const digests: string[] = [];
    for (let i = 0; i < image.references.length; i++) {
      const reference = image.references[i];
      if (!this.filter.matchesReference(reference)) continue;
      if (reference.digest.length > 0) digests.push(reference.familiar);
      else tags.push(reference.familiar);
    }
    const unnamed = tags.length == 0 && digests.length == 0;
    if (unnamed && this.filter.taggedOnly) return;
    if (unnamed && !this.all && engine.images.hasChildren(image)) return;
    if (this.filter.danglingOnly && tags.length > 0) return;
    if (this.filter.danglingOnly && unnamed && engine.images.hasChildren(image)) return;
    this.write(image, tags, digests);
  }

  private write(image: Image, tags: string[], digests: string[]): void {
    const json = this.json;
    const version = this.call.version;
    json.beginObject();
    json.i64Field("Containers", version < WITH_CONTAINER_COUNT ? NOT_COUNTED : engine.images.usedBy(image).length);
    json.i64Field("Created", unixSeconds(image.created));
    json.stringField("Id", image.id);
    json.key("Labels");
    writeLabels(json, image);
    json.stringField("ParentId", image.parent);
    const bare = version < WITHOUT_PLACEHOLDERS;
    writeNames(json, "RepoDigests", digests, bare, bare && tags.length == 0 ? "<none>@<none>" : "");
    writeNames(json, "RepoTags", tags, bare, bare && digests.length == 0 ? "<none>:<none>" : "");
    json.i64Field("SharedSize", this.shared ? sharedSize(image) : NOT_COUNTED);
    json.i64Field("Size", <i64>image.size);
    if (version < WITHOUT_VIRTUAL_SIZE) json.i64Field("VirtualSize", <i64>image.size);
    json.endObject();
  }
}

/** `placeholder`: what stands for an empty list; empty for nothing does. `bare`: an empty list is null. */
function writeNames(json: JsonWriter, key: string, names: string[], bare: bool, placeholder: string): void {
  if (names.length > 0 || !bare) json.stringArrayField(key, names);
  else if (placeholder.length > 0) json.stringArrayField(key, [placeholder]);
  else json.nullField(key);
}

/** Bytes of the layers that other images have, too. */
function sharedSize(image: Image): i64 {
  let size: i64 = 0;
  for (let i = 0; i < image.layers.length; i++) {
    const layer = engine.images.layers.find(image.layers[i].chain);
    if (layer !== null && engine.images.imagesOn(layer.chain) > 1) size += <i64>layer.size;
  }
  return size;
}
