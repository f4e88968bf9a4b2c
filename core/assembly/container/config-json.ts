// `Config` and `HostConfig` of inspect, with the fields that the requested version has (surface §3).

import { Table } from "../json/schema";
import { JsonWriter } from "../json/writer";
import { CONFIG } from "./config";
import { Container } from "./container";
import { HOST_CONFIG } from "./host-config";
import { documentOf } from "./launch";

/** From this version on an empty `OnBuild` is left out. */
const WITHOUT_EMPTY_ON_BUILD = 52;

export function writeConfig(json: JsonWriter, container: Container, version: i32): void {
  writeFields(json, container.config, CONFIG, version);
}

export function writeHostConfig(json: JsonWriter, container: Container, version: i32): void {
  writeFields(json, container.hostConfig, HOST_CONFIG, version);
}

function writeFields(json: JsonWriter, document: Uint8Array, table: Table, version: i32): void {
  const values = documentOf(document);
  json.beginObject();
  for (let i = 0; i < table.fields.length; i++) {
    const field = table.fields[i];
    // What came later is shown to older clients as well; what is gone is gone.
    if (version > field.until) continue;
    const value = values.entry(field.name);
    if (field.name == "OnBuild" && version >= WITHOUT_EMPTY_ON_BUILD && (value === null || value.length == 0)) continue;
    if (value !== null) json.jsonField(field.name, value);
    else if (field.fallback !== null) json.jsonField(field.name, field.default());
  }
  json.endObject();
}
