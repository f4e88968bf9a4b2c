// The cache of builds in a directory of a client, an OCI image layout (docs of buildx, "Local cache"). Its index lists layers,
// the manifests of the images that are made of them, and a list of steps in BuildKit's form
// (moby/buildkit, cache/remotecache/v1/spec.go: `application/vnd.buildkit.cacheconfig.v0`).
//
// The steps have the keys of `inline-cache.ts`, which follow from the images. So whoever reads a cache makes the list again,
// and trusts the images only if the index names the same list. BuildKit passes it over, as it finds none of its own keys.

import { SavedContent, SavedContentBytes, SavedContentLayer } from "../../../build/bindings/types";
import { INDEX_TYPE, LAYER_TYPE, MANIFEST_TYPE, manifestOf, writeDescriptor } from "../image/archive/saved-archive";
import { SavedImage } from "../image/archive/saved-images";
import { Image } from "../image/image";
import { JsonWriter } from "../json/writer";
import { quoteText } from "../text/go-quote";
import { digestOf } from "../text/sha256";
import { cacheRecordsOf, writeRecord } from "./inline-cache";

export const STEPS_TYPE = "application/vnd.buildkit.cacheconfig.v0";

/** What the name of a client's store begins with (moby/buildkit, client/solve.go). */
const STORE = "local:";
/** Of one cache: others are left out. A build has hardly as many stages. */
export const MOST_IMAGES: i32 = 100;

/** The store in which a client has the cache of a directory. */
export function storeName(directory: string): string {
  return STORE + directory;
}

/** Why a client cannot be asked for a store of this name; empty if it can: the name goes in a header. */
export function nameProblem(store: string): string {
  if (store.length <= STORE.length) return "the cache has no directory";
  for (let i = 0; i < store.length; i++) {
    const unit = store.charCodeAt(i);
    if (unit < 0x20 || unit > 0x7e)
      return `the directory of a cache must have a path of ASCII characters: ${quoteText(store)}`;
  }
  return "";
}

/** A cache that a client names: its store, and the index in it. */
export class LocalSource {
  constructor(
    readonly store: string,
    readonly digest: string,
  ) {}
}

/** The same with the session whose client has it. */
export class ClientCache {
  constructor(
    /** The request that became the session. */
    readonly session: u64,
    readonly source: LocalSource,
  ) {}
}

/** What there is to put into the directory. */
export class KeptCache {
  readonly digests: string[] = [];
  readonly contents: SavedContent[] = [];
  /** Describes the index, in JSON. */
  descriptor: Uint8Array = new Uint8Array(0);

  /** `sizes`: bytes of the layers' tars, by DiffID. */
  constructor(images: Image[], sizes: Map<string, u64>) {
    const index = new JsonWriter().beginObject().i64Field("schemaVersion", 2).stringField("mediaType", INDEX_TYPE);
    index.key("manifests").beginArray();
    for (let i = 0; i < images.length; i++) this.putLayers(index, images[i], sizes);
    for (let i = 0; i < images.length; i++) this.putImage(index, images[i], sizes);
    this.put(index, STEPS_TYPE, stepsOf(images));
    const bytes = index.endArray().endObject().finish();
    const described = new JsonWriter();
    this.put(described, INDEX_TYPE, bytes);
    this.descriptor = described.finish();
  }

  private putLayers(index: JsonWriter, image: Image, sizes: Map<string, u64>): void {
    for (let i = 0; i < image.layers.length; i++) {
      const layer = image.layers[i];
      if (this.digests.includes(layer.diffId)) continue;
      writeDescriptor(index, LAYER_TYPE, layer.diffId, <i64>sizes.get(layer.diffId));
      this.add(layer.diffId, new SavedContentLayer(layer.chain));
    }
  }

  private putImage(index: JsonWriter, image: Image, sizes: Map<string, u64>): void {
    this.add(image.id, new SavedContentBytes(image.config));
    this.put(index, MANIFEST_TYPE, manifestOf(new SavedImage(image), sizes));
  }

  private put(into: JsonWriter, type: string, bytes: Uint8Array): void {
    const digest = digestOf(bytes);
    writeDescriptor(into, type, digest, bytes.length);
    this.add(digest, new SavedContentBytes(bytes));
  }

  private add(digest: string, content: SavedContent): void {
    if (this.digests.includes(digest)) return;
    this.digests.push(digest);
    this.contents.push(content);
  }
}

/** Whether an image can be in a cache: its history tells of each of its layers. */
export function isCacheable(image: Image): bool {
  return image.layers.length > 0 && cacheRecordsOf(image).length == image.layers.length;
}

/** The steps that made the layers of these images, each once. */
export function stepsOf(images: Image[]): Uint8Array {
  const layers = new JsonWriter().beginArray();
  const records = new JsonWriter().beginArray();
  /** By key and chain, the places of layers and records. */
  const places = new Map<string, i32>();
  for (let i = 0; i < images.length; i++) addSteps(layers, records, places, images[i]);
  const json = new JsonWriter().beginObject();
  json.key("layers").raw(layers.endArray().finish());
  json.key("records").raw(records.endArray().finish());
  return json.endObject().finish();
}

function addSteps(layers: JsonWriter, records: JsonWriter, places: Map<string, i32>, image: Image): void {
  const steps = cacheRecordsOf(image);
  let below = -1;
  for (let i = 0; i < steps.length; i++) {
    const layer = image.layers[i];
    const name = `${steps[i].key} ${layer.chain}`;
    if (!places.has(name)) {
      const at = places.size;
      places.set(name, at);
      layers.beginObject().stringField("blob", layer.diffId).i64Field("parent", below).endObject();
      writeRecord(records, steps[i], at, below);
    }
    below = places.get(name);
  }
}
