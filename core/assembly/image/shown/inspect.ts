// GET /images/{name}/json (surface §2.21, §6.5; differences by version: versions.ts).

import { flagOf } from "../../api/parameters";
import { Call } from "../../call";
import { Json } from "../../json/json";
import { JsonWriter } from "../../json/writer";
import { badParameter, Refusal } from "../../refusal";
import { line, sendJson } from "../../reply";
import { engine } from "../../state";
import { formatTime, NO_TIME } from "../../text/time";
import { Image } from "../image";
import { refuseOtherPlatform } from "../platform-parameter";
import { imageStore } from "../store";
import { writeImageConfig } from "./image-json";
import { WITH_OWN_IDENTITY, WITHOUT_CONTAINER_CONFIG, WITHOUT_EMPTY_FIELDS, WITHOUT_VIRTUAL_SIZE } from "./versions";

/** The first versions with these parameters. */
const WITH_MANIFESTS: i32 = 48;
const WITH_PLATFORM: i32 = 49;

export function inspectImage(call: Call): Refusal | null {
  const lookup = imageStore.lookUp(call.name);
  const image = lookup.image;
  if (image === null) return lookup.refusal;
  const refusal = refusePlatform(call, image);
  if (refusal !== null) return refusal;
  sendJson(call, 200, write(image, call.version));
  return null;
}

/** With `platform`, the image must match it exactly. */
function refusePlatform(call: Call, image: Image): Refusal | null {
  const text = call.version >= WITH_PLATFORM ? call.query.first("platform") : "";
  if (text.length == 0) return null;
  if (call.version >= WITH_MANIFESTS && flagOf(call.query, "manifests")) {
    return badParameter("conflicting options: manifests and platform options cannot both be set");
  }
  return refuseOtherPlatform(call, image);
}

function write(image: Image, version: i32): Uint8Array {
  const document = image.document();
  const json = new JsonWriter();
  json.beginObject();
  json.stringField("Id", image.id);
  json.stringArrayField("RepoTags", image.tags);
  json.stringArrayField("RepoDigests", image.digests);
  writeText(json, "Parent", image.parent, version);
  writeText(json, "Comment", image.comment, version);
  if (image.created != NO_TIME || version < WITHOUT_VIRTUAL_SIZE) {
    json.stringField("Created", formatTime(image.created));
  }
  if (version < WITHOUT_CONTAINER_CONFIG) {
    json.stringField("Container", image.container);
    json.key("ContainerConfig");
    writeImageConfig(json, memberOf(document, "container_config"), version);
  }
  writeText(json, "DockerVersion", image.dockerVersion, version);
  writeText(json, "Author", image.author, version);
  json.key("Config");
  writeImageConfig(json, memberOf(document, "config"), version);
  writePlatform(json, image);
  json.i64Field("Size", <i64>image.size);
  if (version < WITHOUT_VIRTUAL_SIZE) json.i64Field("VirtualSize", <i64>image.size);
  writeStorage(json, image);
  if (version >= WITH_OWN_IDENTITY) writeIdentity(json, image);
  json.endObject();
  return line(json);
}

/** Where the image comes from, whatever its names are. Docker leaves it out if nothing is known. */
function writeIdentity(json: JsonWriter, image: Image): void {
  const repositories = image.repositories;
  if (repositories.length == 0 && !image.built) return;
  json.key("Identity").beginObject();
  if (repositories.length > 0) {
    json.key("Pull").beginArray();
    for (let i = 0; i < repositories.length; i++) {
      json.beginObject().stringField("Repository", repositories[i]).endObject();
    }
    json.endArray();
  }
  if (image.built) {
    json.key("Build").beginArray();
    json.beginObject().stringField("CreatedAt", formatTime(image.created)).endObject();
    json.endArray();
  }
  json.endObject();
}

function memberOf(document: Json, name: string): Json {
  const member = document.find(name);
  return member === null ? Json.object() : member;
}

function writeText(json: JsonWriter, name: string, text: string, version: i32): void {
  if (text.length > 0 || version < WITHOUT_EMPTY_FIELDS) json.stringField(name, text);
}

function writePlatform(json: JsonWriter, image: Image): void {
  json.stringField("Architecture", image.architecture);
  if (image.variant.length > 0) json.stringField("Variant", image.variant);
  json.stringField("Os", image.os);
  if (image.osVersion.length > 0) json.stringField("OsVersion", image.osVersion);
}

function writeStorage(json: JsonWriter, image: Image): void {
  json.key("GraphDriver").beginObject();
  json.key("Data").beginObject();
  writeDirectories(json, image);
  json.endObject();
  json.stringField("Name", engine.options.machine.storageDriver);
  json.endObject();
  json.key("RootFS").beginObject();
  json.stringField("Type", "layers");
  if (image.layers.length > 0) {
    json.key("Layers").beginArray();
    for (let i = 0; i < image.layers.length; i++) json.string(image.layers[i].diffId);
    json.endArray();
  }
  json.endObject();
  json.key("Metadata").beginObject();
  json.stringField("LastTagTime", formatTime(image.lastTagged));
  json.endObject();
}

/** Shows people where the host unpacked the layers. The image itself has no mount. */
function writeDirectories(json: JsonWriter, image: Image): void {
  const below: string[] = [];
  const top = image.layers.length - 1;
  for (let i = top - 1; i >= 0; i--) below.push(directoryOf(image.layers[i].chain));
  if (below.length > 0) json.stringField("LowerDir", below.join(":"));
  if (top >= 0) json.stringField("UpperDir", directoryOf(image.layers[top].chain));
}

function directoryOf(chain: string): string {
  return `${engine.options.dataRoot}/layers/${chain.slice(chain.indexOf(":") + 1)}/diff`;
}
