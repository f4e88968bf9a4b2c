// Reads the records when the engine opens. Records that are damaged,
// or contradict earlier ones, are set aside; the others are used.

import { Stored } from "../../../build/bindings/types";
import { readBuild } from "../build/buildkit/history/build-record";
import { history } from "../build/buildkit/history/history";
import { readCache } from "../build/caches/build-cache";
import { cacheStore } from "../build/caches/cache-store";
import { Container } from "../container/container";
import { heldProblem } from "../container/pause/held-still";
import { readRecord, readStraight } from "../container/record";
import { containerStore } from "../container/store";
import { execProblem } from "../exec/record";
import { imageStore } from "../image/store";
import { Json } from "../json/json";
import { jsonError, parseKept } from "../json/reader";
import { readNetwork } from "../network/network-record";
import { networkStore } from "../network/store";
import { engine } from "../state";
import { isFullId } from "../text/hex";
import { decodeUtf8, encodeUtf8 } from "../text/utf8";
import { volumeStore } from "../volume/store";
import { readVolume } from "../volume/volume";
import { FieldReader } from "./field-reader";
import {
  BUILD_RECORDS,
  CACHE_RECORDS,
  CONFIG_RECORDS,
  CONTAINER_RECORDS,
  ENGINE_ID,
  EXEC_RECORDS,
  HELD_RECORDS,
  IMAGE_RECORDS,
  LAYER_RECORDS,
  NETWORK_RECORDS,
  REFERENCE_RECORDS,
  SET_ASIDE,
  VERSION_RECORD,
  VOLUME_RECORDS,
} from "./kinds";
import { migrate } from "./migrations";
import { putRecord } from "./put";
import { setAside } from "./set-aside";
import { NO_VERSION, versionOf, versionProblem, versionRecord } from "./version";

/** The kinds of records that make up images. */
const OF_IMAGES: string[] = [CONFIG_RECORDS, IMAGE_RECORDS, REFERENCE_RECORDS, LAYER_RECORDS];

/** Reads all records. `ImageStore.mend` later decides which images lack layers. */
export function restore(records: Stored[]): void {
  const problem = versionProblem(records);
  assert(problem.length == 0, problem);
  const version = versionOf(records);
  // This comes first, so that records set aside stay as they were found.
  setAside.begin(records);
  // An invalid version says nothing about the other records: each is read in the current form, or set aside.
  if (version != NO_VERSION) migrate(records, version);
  const containers: Container[] = [];
  for (let i = 0; i < records.length; i++) restoreRecord(records[i], containers);
  addContainers(containers);
  if (version == NO_VERSION || records.length == 0) putRecord(VERSION_RECORD, versionRecord());
  if (engine.id.length > 0) return;
  engine.id = engine.ids.next();
  putRecord(ENGINE_ID, encodeUtf8(engine.id));
}

function restoreRecord(record: Stored, containers: Container[]): void {
  const key = record.key;
  if (key.startsWith(SET_ASIDE)) return;
  if (key.length == 0) return setAside.loseSome();
  const problem = takeIn(key, record.value, containers);
  if (problem.length > 0) setAside.take(key, problem);
}

/** Reads one record; returns why it cannot be used, or an empty string. */
function takeIn(key: string, value: Uint8Array, containers: Container[]): string {
  if (key == VERSION_RECORD) return versionOf([new Stored(key, value)]) == NO_VERSION ? "it is not a number" : "";
  if (key == ENGINE_ID) return restoreId(decodeUtf8(value));
  if (key.startsWith(HELD_RECORDS)) return heldProblem(value);
  if (key.startsWith(EXEC_RECORDS)) return execProblem(key.slice(EXEC_RECORDS.length), value);
  for (let i = 0; i < OF_IMAGES.length; i++) if (key.startsWith(OF_IMAGES[i])) return imageStore.restore(key, value);
  return restoreDocument(key, value, containers);
}

function restoreId(text: string): string {
  if (!isFullId(text)) return "it is not an id";
  engine.id = text;
  return "";
}

function restoreDocument(key: string, value: Uint8Array, containers: Container[]): string {
  const isContainer = key.startsWith(CONTAINER_RECORDS);
  const isNetwork = key.startsWith(NETWORK_RECORDS);
  const isCache = key.startsWith(CACHE_RECORDS);
  const isBuild = key.startsWith(BUILD_RECORDS);
  if (!isContainer && !isNetwork && !isCache && !isBuild && !key.startsWith(VOLUME_RECORDS)) {
    return misplaced("its kind is unknown");
  }
  const name = key.slice(key.indexOf("/") + 1);
  const container: Container | null = isContainer ? readStraight(value, name) : null;
  if (container !== null) {
    containers.push(container);
    return "";
  }
  const json = parseKept(value);
  if (json === null) return jsonError();
  const fields = new FieldReader(json);
  if (isContainer) return restoreContainer(fields, name, json, containers);
  if (isCache) return restoreCache(fields, name);
  if (isBuild) return restoreBuild(fields, name);
  return isNetwork ? restoreNetwork(fields, name) : restoreVolume(fields, name);
}

function restoreContainer(fields: FieldReader, id: string, json: Json, containers: Container[]): string {
  const container = readRecord(fields, id);
  const problem = fields.problem;
  if (problem.length == 0) containers.push(container);
  else if (json.stringOf("id") != id) return misplaced(problem);
  return problem;
}

function restoreNetwork(fields: FieldReader, id: string): string {
  const network = readNetwork(fields, id);
  if (fields.problem.length == 0 && networkStore.named(network.name) !== null) return "another network has its name";
  if (fields.problem.length == 0) networkStore.add(network);
  return fields.problem;
}

function restoreCache(fields: FieldReader, id: string): string {
  const cache = readCache(fields, id);
  if (fields.problem.length == 0) cacheStore.restore(cache);
  return fields.problem;
}

function restoreBuild(fields: FieldReader, id: string): string {
  const build = readBuild(fields, id);
  if (fields.problem.length == 0 && history.find(build.ref) !== null) fields.refuse("another build has its ref");
  if (fields.problem.length == 0) history.restore(build);
  return fields.problem;
}

function restoreVolume(fields: FieldReader, name: string): string {
  const volume = readVolume(fields, name);
  if (fields.problem.length == 0) volumeStore.restore(volume);
  return fields.problem;
}

function misplaced(problem: string): string {
  setAside.doubt();
  return problem;
}

/** If two containers have the same name, the younger one is set aside. */
function addContainers(containers: Container[]): void {
  const owners = new Map<string, Container>();
  for (let i = 0; i < containers.length; i++) {
    const container = containers[i];
    const name = container.name;
    const isOldest = !owners.has(name) || owners.get(name).sequence > container.sequence;
    if (isOldest) owners.set(name, container);
  }
  for (let i = 0; i < containers.length; i++) {
    const owner = owners.get(containers[i].name);
    if (owner === containers[i]) containerStore.add(owner);
    else setAside.take(CONTAINER_RECORDS + containers[i].id, `container ${owner.id} has its name`);
  }
}
