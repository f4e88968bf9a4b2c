// Builds the content of an image archive (surface §2.22): an OCI image layout, with the lists of `docker save` beside
// it. The tars of layers are named by their DiffIDs, and each is included once.

import { SavedContent, SavedContentBytes, SavedContentLayer, SavedMember } from "../../../../build/bindings/types";
import { JsonWriter } from "../../json/writer";
import { digestOf } from "../../text/sha256";
import { encodeUtf8 } from "../../text/utf8";
import { ImageLayer } from "../image";
import { Reference } from "../reference";
import { blobPath, DOCKER_LIST, FULL_NAME, LAYOUT_INDEX, REFERENCE_NAME } from "./archive";
import { SavedImage, SavedImages } from "./saved-images";

const LAYOUT = "oci-layout";
const REPOSITORIES = "repositories";

export const MANIFEST_TYPE = "application/vnd.oci.image.manifest.v1+json";
export const INDEX_TYPE = "application/vnd.oci.image.index.v1+json";
const CONFIG_TYPE = "application/vnd.oci.image.config.v1+json";
export const LAYER_TYPE = "application/vnd.oci.image.layer.v1.tar";

/** The members, sorted by name. `sizes`: bytes of the layers' tars, by DiffID. */
export function savedMembers(images: SavedImages, sizes: Map<string, u64>): SavedMember[] {
  const members = layoutMembers(images, sizes);
  members.push(document(DOCKER_LIST, listOf(images)));
  const repositories = repositoriesOf(images);
  if (repositories !== null) members.push(document(REPOSITORIES, repositories));
  return sorted(members);
}

/** The same without what is Docker's own: an OCI image layout, and nothing else. */
export function savedLayout(images: SavedImages, sizes: Map<string, u64>): SavedMember[] {
  return sorted(layoutMembers(images, sizes));
}

function layoutMembers(images: SavedImages, sizes: Map<string, u64>): SavedMember[] {
  const blobs = new Map<string, SavedMember>();
  for (let i = 0; i < images.all.length; i++) addBlobs(blobs, images.all[i], sizes);
  const members = blobs.values();
  members.push(document(LAYOUT_INDEX, indexOf(images, sizes)));
  members.push(new SavedMember(LAYOUT, new SavedContentBytes(encodeUtf8('{"imageLayoutVersion": "1.0.0"}'))));
  return members;
}

function sorted(members: SavedMember[]): SavedMember[] {
  members.sort((a: SavedMember, b: SavedMember) => (a.name < b.name ? -1 : 1));
  return members;
}

function addBlobs(blobs: Map<string, SavedMember>, saved: SavedImage, sizes: Map<string, u64>): void {
  const image = saved.image;
  for (let i = 0; i < image.layers.length; i++) {
    addBlob(blobs, image.layers[i].diffId, new SavedContentLayer(image.layers[i].chain));
  }
  addBlob(blobs, image.id, new SavedContentBytes(image.config));
  const manifest = manifestOf(saved, sizes);
  addBlob(blobs, digestOf(manifest), new SavedContentBytes(manifest));
}

function addBlob(blobs: Map<string, SavedMember>, digest: string, content: SavedContent): void {
  const name = blobPath(digest);
  if (!blobs.has(name)) blobs.set(name, new SavedMember(name, content));
}

function document(name: string, json: JsonWriter): SavedMember {
  return new SavedMember(name, new SavedContentBytes(json.line().finish()));
}

/** Its manifest in the archive. */
export function manifestOf(saved: SavedImage, sizes: Map<string, u64>): Uint8Array {
  const image = saved.image;
  const json = new JsonWriter();
  json.beginObject();
  json.i64Field("schemaVersion", 2);
  json.stringField("mediaType", MANIFEST_TYPE);
  json.key("config");
  writeDescriptor(json, CONFIG_TYPE, image.id, image.config.length, null);
  json.key("layers").beginArray();
  for (let i = 0; i < image.layers.length; i++) {
    const diffId = image.layers[i].diffId;
    writeDescriptor(json, LAYER_TYPE, diffId, <i64>sizes.get(diffId), null);
  }
  json.endArray();
  json.endObject();
  return json.finish();
}

/** An entry per tag, or one entry for an image without tags. */
function indexOf(images: SavedImages, sizes: Map<string, u64>): JsonWriter {
  const json = new JsonWriter();
  json.beginObject();
  json.i64Field("schemaVersion", 2);
  json.stringField("mediaType", INDEX_TYPE);
  json.key("manifests").beginArray();
  for (let i = 0; i < images.all.length; i++) {
    const manifest = manifestOf(images.all[i], sizes);
    const digest = digestOf(manifest);
    const tags = images.all[i].tags;
    for (let j = 0; j < tags.length; j++) writeDescriptor(json, MANIFEST_TYPE, digest, manifest.length, tags[j]);
    if (tags.length == 0) writeDescriptor(json, MANIFEST_TYPE, digest, manifest.length, null);
  }
  json.endArray();
  return json.endObject();
}

export function writeDescriptor(
  json: JsonWriter,
  type: string,
  digest: string,
  size: i64,
  name: Reference | null = null,
): void {
  json.beginObject();
  json.stringField("mediaType", type);
  json.stringField("digest", digest);
  json.i64Field("size", size);
  if (name !== null) {
    json.key("annotations").beginObject();
    json.stringField(FULL_NAME, name.canonical);
    json.stringField(REFERENCE_NAME, name.tag);
    json.endObject();
  }
  json.endObject();
}

/** The list that `docker load` reads. */
function listOf(images: SavedImages): JsonWriter {
  const json = new JsonWriter();
  if (images.all.length == 0) return json.null();
  json.beginArray();
  for (let i = 0; i < images.all.length; i++) writeListed(json, images.all[i], images);
  return json.endArray();
}

function writeListed(json: JsonWriter, saved: SavedImage, images: SavedImages): void {
  const image = saved.image;
  json.beginObject();
  json.stringField("Config", blobPath(image.id));
  if (saved.tags.length == 0) json.nullField("RepoTags");
  else
    json.stringArrayField(
      "RepoTags",
      saved.tags.map<string>((tag: Reference) => tag.familiar),
    );
  json.stringArrayField(
    "Layers",
    image.layers.map<string>((layer: ImageLayer) => blobPath(layer.diffId)),
  );
  if (images.find(image.parent) !== null) json.stringField("Parent", image.parent);
  json.endObject();
}

/** The top layer of each tag of each repository, for readers from before images had ids; null without tags. */
function repositoriesOf(images: SavedImages): JsonWriter | null {
  const repositories = new Map<string, Map<string, string>>();
  for (let i = 0; i < images.all.length; i++) {
    const layers = images.all[i].image.layers;
    if (layers.length == 0) continue;
    const tags = images.all[i].tags;
    for (let j = 0; j < tags.length; j++) {
      const name = tags[j].familiarName;
      if (!repositories.has(name)) repositories.set(name, new Map<string, string>());
      repositories.get(name).set(tags[j].tag, layers[layers.length - 1].diffId.slice("sha256:".length));
    }
  }
  return repositories.size == 0 ? null : writeRepositories(repositories);
}

function writeRepositories(repositories: Map<string, Map<string, string>>): JsonWriter {
  const json = new JsonWriter();
  json.beginObject();
  const names = repositories.keys().sort();
  for (let i = 0; i < names.length; i++) {
    const tops = repositories.get(names[i]);
    const tags = tops.keys().sort();
    json.key(names[i]).beginObject();
    for (let j = 0; j < tags.length; j++) json.stringField(tags[j], tops.get(tags[j]));
    json.endObject();
  }
  return json.endObject();
}
