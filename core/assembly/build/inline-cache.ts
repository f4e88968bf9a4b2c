// The cache of a build inside its image: the member `moby.buildkit.cache.v0` of the config (moby/buildkit,
// cache/remotecache/inline). It is a list of records in JSON, as base64: each has a key, the layer that stands for it, and
// the record before it.
//
// BuildKit's keys are digests of its own operations, so neither engine finds its keys in the cache of the other. Ours are made
// of the steps before, as the image's history tells them. So whoever reads a cache can make it again, and trusts it only if
// it is the same: what a stranger wrote there is not even parsed.

import { Image, parseImage, ParsedImage } from "../image/image";
import { documentLimit } from "../image/limits";
import { Json } from "../json/json";
import { JsonWriter } from "../json/writer";
import { encodeBase64 } from "../text/base64";
import { sha256HexOfText } from "../text/sha256";
import { formerHistory } from "./run/step-image";

const MEMBER = "moby.buildkit.cache.v0";
const FIRST_KEY = "coracle.build-cache.v0";
/** Of a history: more than any build has. A stranger's may have hundreds of thousands, each with a digest to make. */
const MOST_ENTRIES: i32 = 10_000;

/** The same image as one that may be a cache elsewhere. It is not in the store. */
export function withInlineCache(image: Image): ParsedImage {
  const document = image.document();
  const cache = inlineCacheOf(image);
  if (cache.length == 0) return new ParsedImage(image, "");
  document.set(MEMBER, Json.string(cache));
  const config = new JsonWriter().json(document).finish();
  if (<u32>config.length > documentLimit()) {
    return new ParsedImage(
      null,
      `the config of the image with its cache is larger than ${documentLimit().toString()} bytes, as max-document-size allows`,
    );
  }
  const parsed = parseImage(config);
  const made = parsed.image;
  if (made === null || made.id == image.id) return parsed;
  made.parent = image.parent;
  made.onlyCache = true;
  return parsed;
}

/**
 * Whether the image has its cache inside, and the two fit together. That tells nothing of who made them: the client trusts the
 * image by naming it, and its steps count for this client's build alone.
 */
export function hasInlineCache(image: Image): bool {
  const member = image.document().entry(MEMBER);
  return member !== null && member.isString && member.text.length > 0 && member.text == inlineCacheOf(image);
}

/** Empty for an image without layers, or whose history does not fit them or is too long. */
function inlineCacheOf(image: Image): string {
  const records = cacheRecordsOf(image);
  if (records.length == 0) return "";
  const json = new JsonWriter().beginArray();
  // The record of the layer below has its number.
  for (let i = 0; i < records.length; i++) writeRecord(json, records[i], i, i - 1);
  return encodeBase64(json.endArray().finish());
}

/** The step that made a layer. */
export class CacheRecord {
  constructor(
    readonly key: string,
    /** When it was made; empty if the history does not tell. */
    readonly created: string,
  ) {}
}

/** One for each layer, the base first. Empty for an image without layers, or whose history does not fit them or is too long. */
export function cacheRecordsOf(image: Image): CacheRecord[] {
  const history = formerHistory(image);
  const records: CacheRecord[] = [];
  if (history.length > MOST_ENTRIES) return records;
  let key = sha256HexOfText(`${FIRST_KEY}\n${image.platform.normalised().text}`);
  for (let i = 0; i < history.length; i++) {
    key = sha256HexOfText(`${key}\n${history[i].stringOf("author")}\n${history[i].stringOf("created_by")}`);
    if (history[i].boolOf("empty_layer")) continue;
    if (records.length == image.layers.length) return [];
    records.push(new CacheRecord(key, history[i].stringOf("created")));
  }
  return records.length < image.layers.length ? [] : records;
}

/** `layer`: its place in the list of layers. `below`: the place of the record of the layer below; -1 if there is none. */
export function writeRecord(json: JsonWriter, record: CacheRecord, layer: i32, below: i32): void {
  json.beginObject().key("layers").beginArray();
  json.beginObject().i64Field("layer", layer);
  if (record.created.length > 0) json.stringField("createdAt", record.created);
  json.endObject().endArray();
  json.stringField("digest", `sha256:${record.key}`);
  if (below >= 0) {
    json.key("inputs").beginArray().beginArray().beginObject();
    json.i64Field("link", below).endObject().endArray().endArray();
  }
  json.endObject();
}
