// Migrates from version 0, before the store had a common version: containers and networks each had a `format`, and
// older records lack the fields that were added since. In version 1 every field exists.

import { isPropagation } from "../container/mounts/binds";
import { Json } from "../json/json";
import { parseKept } from "../json/reader";
import { jsonBytes } from "../json/writer";
import { encodeUtf8 } from "../text/utf8";
import { Migration } from "./migration";

/** Members that container records gained over time, with the values for records that lack them. */
const CONTAINER_MEMBERS: string =
  '{"tty":false,"openStdin":false,"stdinOnce":false,"autoRemove":false,"networkMode":"default","stopSignal":0,' +
  '"labels":{},"everRan":false,"pid":0,"exitCode":0,"restartCount":0,"outOfMemory":false,"error":"","written":0,' +
  '"countedRun":0,"removeVolumes":false,"unclean":false,"limiting":false,"startsAgain":false,"restartDelay":0,' +
  '"manuallyStopped":false,"disarmed":false}';
const MOUNT_MEMBERS: string =
  '{"kind":0,"destination":"","source":"","name":"","subpath":"","mode":"","readOnly":false,"deeplyReadOnly":false,' +
  '"alone":false,"propagation":"","makesSource":false,"anonymous":false,"populated":false,"options":[]}';
const VOLUME_MEMBERS: string = '{"named":false,"labels":{}}';

export class ToVersion1 extends Migration {
  record(key: string, value: Uint8Array): Uint8Array | null {
    const isContainer = key.startsWith("container/");
    const isNetwork = key.startsWith("network/");
    if (!isContainer && !isNetwork && !key.startsWith("volume/")) return null;
    const json = parseKept(value);
    if (json === null || !json.isObject) return null;
    if (isContainer) container(json);
    else if (!isNetwork) fill(json, VOLUME_MEMBERS);
    json.remove("format");
    return jsonBytes(json);
  }
}

function container(json: Json): void {
  fill(json, CONTAINER_MEMBERS);
  if (json.find("mounts") === null) json.set("mounts", formerMounts(json));
  json.remove("volumes");
  if (json.find("uncleanRun") === null) json.set("uncleanRun", Json.i64(json.i64Of("run")));
  const endpoint = json.find("endpoint");
  const ports: Json | null = endpoint === null ? null : endpoint.find("ports");
  for (let i = 0; ports !== null && i < ports.items.length; i++) fill(ports.items[i], '{"hostAddress":"0.0.0.0"}');
}

/** Binds were stored as given, `SOURCE:DESTINATION[:MODE]`; volumes never had names from users. */
function formerMounts(json: Json): Json {
  const mounts = Json.array();
  const hostConfig = json.find("hostConfig");
  const binds: string[] = hostConfig === null ? [] : hostConfig.stringsOf("Binds");
  for (let i = 0; i < binds.length; i++) mounts.push(formerBind(binds[i]));
  const volumes = json.find("volumes");
  for (let i = 0; volumes !== null && i < volumes.items.length; i++) mounts.push(formerVolume(volumes.items[i]));
  return mounts;
}

function formerBind(text: string): Json {
  const parts = text.split(":");
  const mode = parts.length > 2 ? parts[2] : "";
  const words = mode.split(",");
  const propagation = words.findIndex((word: string) => isPropagation(word));
  const mount = Json.object();
  mount.set("source", Json.string(parts[0]));
  mount.set("destination", Json.string(parts.length > 1 ? parts[1] : ""));
  mount.set("mode", Json.string(mode));
  mount.set("readOnly", Json.bool(words.includes("ro")));
  mount.set("propagation", Json.string(propagation < 0 ? "" : words[propagation]));
  mount.set("makesSource", Json.bool(true));
  return fill(mount, MOUNT_MEMBERS);
}

function formerVolume(volume: Json): Json {
  const mount = Json.object();
  mount.set("kind", Json.i64(1));
  mount.set("destination", Json.string(volume.stringOf("destination")));
  mount.set("name", Json.string(volume.stringOf("name")));
  mount.set("anonymous", Json.bool(true));
  mount.set("populated", Json.bool(volume.boolOf("populated")));
  return fill(mount, MOUNT_MEMBERS);
}

/** Adds missing members from the JSON text of an object. */
function fill(json: Json, members: string): Json {
  const given = parseKept(encodeUtf8(members))!;
  for (let i = 0; i < given.keys.length; i++) {
    if (json.find(given.keys[i]) === null) json.set(given.keys[i], given.items[i]);
  }
  return json;
}
