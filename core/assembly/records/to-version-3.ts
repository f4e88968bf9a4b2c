// Migrates from version 2: a container was on one network only. Its endpoint was in its record while it was running,
// and the settings for it beside.

import { Json } from "../json/json";
import { parseKept } from "../json/reader";
import { jsonBytes } from "../json/writer";
import { CONTAINER_RECORDS } from "./kinds";
import { Migration } from "./migration";

const FORMER: string[] = ["endpoint", "mac", "settings"];
const OF_PLACE: string[] = ["endpointId", "gateway", "address", "prefixLength", "mac"];

export class ToVersion3 extends Migration {
  record(key: string, value: Uint8Array): Uint8Array | null {
    if (!key.startsWith(CONTAINER_RECORDS)) return null;
    const json = parseKept(value);
    if (json === null || !json.isObject) return null;
    const found = json.find("endpoint");
    const former: Json | null = found === null || !found.isObject ? null : found;
    const migrated = Json.object();
    for (let i = 0; i < json.keys.length; i++) {
      if (!FORMER.includes(json.keys[i])) migrated.set(json.keys[i], json.items[i]);
      if (json.keys[i] == "mounts") addEndpoints(migrated, json, former);
    }
    return jsonBytes(migrated);
  }
}

function addEndpoints(migrated: Json, json: Json, former: Json | null): void {
  const endpoints = Json.array();
  const mode = json.stringOf("networkMode");
  if (!mode.startsWith("container:")) endpoints.push(endpointOf(json, mode, former));
  migrated.set("endpoints", endpoints);
  if (former !== null) migrated.set("sandbox", sandboxOf(former));
}

function endpointOf(json: Json, mode: string, former: Json | null): Json {
  const endpoint = Json.object();
  endpoint.set("network", Json.string(mode == "default" || mode.length == 0 ? "bridge" : mode));
  const mac = json.stringOf("mac");
  if (mac.length > 0) endpoint.set("mac", Json.string(mac));
  const settings = json.find("settings");
  if (settings !== null) endpoint.set("settings", settings);
  if (former === null) return endpoint;
  endpoint.set("networkId", Json.string(former.stringOf("networkId")));
  const place = Json.object();
  for (let i = 0; i < OF_PLACE.length; i++) {
    const value = former.find(OF_PLACE[i]);
    if (value !== null) place.set(OF_PLACE[i], value);
  }
  place.set("interfaceName", Json.string("eth0"));
  endpoint.set("place", place);
  return endpoint;
}

function sandboxOf(former: Json): Json {
  const sandbox = Json.object();
  sandbox.set("id", Json.string(former.stringOf("sandboxId")));
  const ports = former.find("ports");
  sandbox.set("ports", ports === null ? Json.array() : ports);
  return sandbox;
}
