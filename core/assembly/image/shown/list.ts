// GET /images/json (surface §2.21, §6.5).

import { flagOf } from "../../api/parameters";
import { Call } from "../../call";
import { JsonWriter } from "../../json/writer";
import { badParameter, Refusal } from "../../refusal";
import { sendWritten } from "../../reply";
import { unixSeconds } from "../../text/time";
import { Image } from "../image";
import { imageStore } from "../store";
import { writeLabels } from "./image-json";
import { ImageFilter } from "./list-filter";
import { Sharing } from "./sharing";
import {
  WITH_CONTAINER_COUNT,
  WITH_IDENTITY,
  WITH_SHARED_SIZE,
  WITHOUT_FILTER_PARAMETER,
  WITHOUT_PLACEHOLDERS,
  WITHOUT_VIRTUAL_SIZE,
} from "./versions";

/** Stands for a value that was not counted. */
const NOT_COUNTED: i64 = -1;

export function listImages(call: Call): Refusal | null {
  const query = call.query;
  if (call.version >= WITH_IDENTITY && flagOf(query, "identity") && !flagOf(query, "manifests")) {
    return badParameter("conflicting options: identity needs manifests");
  }
  const old = call.version < WITHOUT_FILTER_PARAMETER ? query.first("filter") : "";
  const filter = new ImageFilter(query.first("filters"), old);
  if (filter.refusal !== null) return filter.refusal;
  const json = new JsonWriter();
  const listing = new Listing(json, call.version, filter, flagOf(query, "all"));
  if (call.version >= WITH_SHARED_SIZE && flagOf(query, "shared-size")) listing.sharing = new Sharing();
  listing.counted = call.version >= WITH_CONTAINER_COUNT;
  listing.addAll();
  sendWritten(call, json);
  return null;
}

/** All images with everything that can be counted, as in `/system/df`. */
export function writeImages(json: JsonWriter, version: i32): void {
  const listing = new Listing(json, version, new ImageFilter("", ""), false);
  listing.sharing = new Sharing();
  listing.counted = true;
  listing.addAll();
}

class Listing {
  /** Null: the size shared with other images is not told. */
  sharing: Sharing | null = null;
  /** Include the number of containers of each image. */
  counted: bool = false;

  constructor(
    private readonly json: JsonWriter,
    private readonly version: i32,
    private readonly filter: ImageFilter,
    private readonly all: bool,
  ) {}

  /** The newest come first. */
  addAll(): void {
    const images = imageStore
      .all()
      .sort((a: Image, b: Image) => (a.created < b.created ? 1 : a.created > b.created ? -1 : 0));
    this.json.beginArray();
    for (let i = 0; i < images.length; i++) {
      if (!images[i].onlyCache && this.filter.matches(images[i])) this.add(images[i]);
    }
    this.json.endArray();
  }

  /** Unless the filter excludes its names, or images without names. */
  private add(image: Image): void {
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
    if (unnamed && !this.all && imageStore.hasChildren(image)) return;
    if (this.filter.danglingOnly && tags.length > 0) return;
    if (this.filter.danglingOnly && unnamed && imageStore.hasChildren(image)) return;
    this.write(image, tags, digests);
  }

  private write(image: Image, tags: string[], digests: string[]): void {
    const json = this.json;
    const version = this.version;
    const sharing = this.sharing;
    json.beginObject();
    json.i64Field("Containers", this.counted ? imageStore.usedBy(image).length : NOT_COUNTED);
    json.i64Field("Created", unixSeconds(image.created));
    json.stringField("Id", image.id);
    json.key("Labels");
    writeLabels(json, image);
    json.stringField("ParentId", image.parent);
    const bare = version < WITHOUT_PLACEHOLDERS;
    writeNames(json, "RepoDigests", digests, bare, bare && tags.length == 0 ? "<none>@<none>" : "");
    writeNames(json, "RepoTags", tags, bare, bare && digests.length == 0 ? "<none>:<none>" : "");
    json.i64Field("SharedSize", sharing === null ? NOT_COUNTED : sharing.sharedSize(image));
    json.i64Field("Size", <i64>image.size);
    if (version < WITHOUT_VIRTUAL_SIZE) json.i64Field("VirtualSize", <i64>image.size);
    json.endObject();
  }
}

/** `placeholder`: replaces an empty list; empty for none. `bare`: an empty list is null. */
function writeNames(json: JsonWriter, key: string, names: string[], bare: bool, placeholder: string): void {
  if (names.length > 0 || !bare) json.stringArrayField(key, names);
  else if (placeholder.length > 0) json.stringArrayField(key, [placeholder]);
  else json.nullField(key);
}
