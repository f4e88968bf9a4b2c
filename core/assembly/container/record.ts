// A container's record: JSON, with Docker's own `Config` and `HostConfig` inside.

import { readHealthRecord, writeHealthRecord } from "../health/health";
import { Json } from "../json/json";
import { jsonBytes, JsonWriter } from "../json/writer";
import { readEndpoint, writeEndpoint } from "../network/endpoint";
import { NO_TIME } from "../text/time";
import { Container } from "./container";
import { annotationsOf } from "./create/annotations";
import { readLastChangeRecord, writeLastChangeRecord } from "./last-change";
import { Status } from "./lifecycle";
import { readLinkRecord, writeLinkRecords } from "./links/link";
import { readMountPointRecord, writeMountPointRecord } from "./mounts/mount-point";
import { restartPolicyOf } from "./restart/policy-setting";

/** Room for all but its documents, mostly. */
const REST_BYTES: i32 = 2048;

export function writeRecord(container: Container): Uint8Array {
  // Labels stand in it twice.
  const documents = 2 * container.config.length + container.hostConfig.length + container.settings.length;
  const json = new JsonWriter(false, documents + REST_BYTES);
  json.beginObject();
  json.stringField("id", container.id);
  json.i64Field("sequence", <i64>container.sequence);
  json.i64Field("created", container.created);
  json.stringField("name", container.name);
  json.stringField("image", container.image);
  json.stringField("imageId", container.imageId);
  const chain = container.chain;
  if (chain !== null) json.stringField("chain", chain);
  json.stringField("platform", container.platform);
  json.stringField("path", container.path);
  json.stringArrayField("args", container.args);
  writeWishes(json, container);
  writeState(json, container);
  json.endObject();
  return json.take();
}

/** What the container was asked to be; its JSON documents come last, since they are long. */
function writeWishes(json: JsonWriter, container: Container): void {
  json.boolField("tty", container.tty);
  json.boolField("openStdin", container.openStdin);
  json.boolField("stdinOnce", container.stdinOnce);
  json.boolField("autoRemove", container.autoRemove);
  json.stringField("networkMode", container.networkMode);
  if (container.networkDisabled) json.boolField("networkDisabled", true);
  if (container.mac.length > 0) json.stringField("mac", container.mac);
  if (container.settings.length > 0) json.rawField("settings", container.settings);
  writeLinkRecords(json, container.links);
  json.i64Field("stopSignal", container.stopSignal);
  json.i64Field("stopTimeout", container.stopTimeout);
  json.key("mounts");
  json.beginArray();
  for (let i = 0; i < container.mounts.length; i++) writeMountPointRecord(json, container.mounts[i]);
  json.endArray();
  const endpoint = container.endpoint;
  if (endpoint !== null) {
    json.key("endpoint");
    writeEndpoint(json, endpoint);
  }
  json.key("labels");
  json.beginObject();
  for (let i = 0; i < container.labelKeys.length; i++) {
    json.stringField(container.labelKeys[i], container.labelValues[i]);
  }
  json.endObject();
  json.rawField("config", container.config);
  json.rawField("hostConfig", container.hostConfig);
}

function writeState(json: JsonWriter, container: Container): void {
  json.i64Field("status", container.status);
  json.i64Field("run", container.run);
  json.boolField("everRan", container.everRan);
  json.i64Field("pid", container.pid);
  json.i64Field("exitCode", container.exitCode);
  json.i64Field("restartCount", container.restartCount);
  json.boolField("outOfMemory", container.outOfMemory);
  if (container.memoryKills > 0) json.i64Field("memoryKills", container.memoryKills);
  json.stringField("error", container.error);
  json.i64Field("startedAt", container.startedAt);
  json.i64Field("finishedAt", container.finishedAt);
  if (container.begunAt != NO_TIME) json.i64Field("begunAt", container.begunAt);
  json.i64Field("written", container.written);
  json.i64Field("countedRun", container.countedRun);
  json.boolField("removeVolumes", container.removeVolumes);
  json.boolField("unclean", container.unclean);
  json.i64Field("uncleanRun", container.uncleanRun);
  writeHealthRecord(json, container.health);
  json.boolField("limiting", container.limiting);
  if (container.filesOf.length > 0) json.stringField("filesOf", container.filesOf);
  if (container.toldLinks.length > 0) json.stringField("toldLinks", container.toldLinks);
  json.boolField("startsAgain", container.startsAgain);
  json.i64Field("restartDelay", container.restartDelay);
  json.boolField("manuallyStopped", container.manuallyStopped);
  json.boolField("disarmed", container.disarmed);
  if (container.creating) json.boolField("creating", true);
  writeLastChangeRecord(json, container.lastChange);
}

/** Of a document for which `containerProblem` finds none. */
export function readRecord(json: Json): Container {
  const container = new Container(json.stringOf("id"));
  container.sequence = <u64>json.i64Of("sequence");
  container.created = json.i64Of("created");
  container.name = json.stringOf("name");
  container.image = json.stringOf("image");
  container.imageId = json.stringOf("imageId");
  const chain = json.stringOf("chain");
  container.chain = chain.length > 0 ? chain : null;
  container.platform = json.stringOf("platform");
  container.path = json.stringOf("path");
  container.args = json.stringsOf("args");
  readWishes(container, json);
  readState(container, json);
  return container;
}

function readWishes(container: Container, json: Json): void {
  container.tty = json.boolOf("tty");
  container.openStdin = json.boolOf("openStdin");
  container.stdinOnce = json.boolOf("stdinOnce");
  container.autoRemove = json.boolOf("autoRemove");
  container.networkMode = json.stringOf("networkMode");
  container.networkDisabled = json.boolOf("networkDisabled");
  container.mac = json.stringOf("mac");
  const settings = json.find("settings");
  if (settings !== null) container.settings = jsonBytes(settings);
  const links = itemsOf(json, "links");
  for (let i = 0; i < links.length; i++) container.links.push(readLinkRecord(links[i]));
  container.stopSignal = <u32>json.i64Of("stopSignal");
  container.stopTimeout = json.i64Of("stopTimeout");
  const endpoint = json.find("endpoint");
  if (endpoint !== null) container.endpoint = readEndpoint(endpoint);
  const labels = json.find("labels");
  if (labels !== null) {
    for (let i = 0; i < labels.keys.length; i++) {
      container.labelKeys.push(labels.keys[i]);
      container.labelValues.push(labels.items[i].text);
    }
  }
  container.config = document(json.find("config"));
  const hostConfig = json.find("hostConfig");
  container.hostConfig = document(hostConfig);
  if (hostConfig !== null) {
    container.policy = restartPolicyOf(hostConfig);
    container.annotations = annotationsOf(hostConfig);
  }
  const mounts = itemsOf(json, "mounts");
  for (let i = 0; i < mounts.length; i++) container.mounts.push(readMountPointRecord(mounts[i]));
}

function readState(container: Container, json: Json): void {
  container.status = <Status>(<i32>json.i64Of("status"));
  container.run = <u32>json.i64Of("run");
  container.everRan = json.boolOf("everRan");
  container.pid = <u32>json.i64Of("pid");
  container.exitCode = <i32>json.i64Of("exitCode");
  container.restartCount = <u32>json.i64Of("restartCount");
  container.outOfMemory = json.boolOf("outOfMemory");
  container.memoryKills = <u32>json.i64Of("memoryKills");
  container.error = json.stringOf("error");
  container.startedAt = json.i64Of("startedAt");
  container.finishedAt = json.i64Of("finishedAt");
  if (json.find("begunAt") !== null) container.begunAt = json.i64Of("begunAt");
  container.written = json.i64Of("written");
  container.countedRun = <u32>json.i64Of("countedRun");
  container.removeVolumes = json.boolOf("removeVolumes");
  container.unclean = json.boolOf("unclean");
  container.uncleanRun = <u32>json.i64Of("uncleanRun");
  container.health = readHealthRecord(json.find("health"));
  container.limiting = json.boolOf("limiting");
  container.filesOf = json.stringOf("filesOf");
  container.toldLinks = json.stringOf("toldLinks");
  container.startsAgain = json.boolOf("startsAgain");
  container.restartDelay = json.i64Of("restartDelay");
  container.manuallyStopped = json.boolOf("manuallyStopped");
  container.disarmed = json.boolOf("disarmed");
  container.creating = json.boolOf("creating");
  container.lastChange = readLastChangeRecord(json.find("lastChange"));
}

function document(json: Json | null): Uint8Array {
  return jsonBytes(json === null ? Json.null() : json);
}

function itemsOf(json: Json, key: string): Json[] {
  const member = json.find(key);
  return member === null ? [] : member.items;
}
