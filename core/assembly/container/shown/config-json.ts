// `Config` and `HostConfig` as inspect shows them, with the fields of the requested version (surface §3).

import { Json } from "../../json/json";
import { Members } from "../../json/members";
import { Table } from "../../json/table";
import { JsonWriter } from "../../json/writer";
import { Container } from "../container";
import { CONFIG } from "../create/config";
import { HOST_CONFIG } from "../create/host-config";

/** From this version on, an empty `OnBuild` is left out. */
const WITHOUT_EMPTY_ON_BUILD = 52;

export function writeConfig(json: JsonWriter, container: Container, version: i32): void {
  writeFields(json, container.config, CONFIG, version);
}

export function writeHostConfig(json: JsonWriter, container: Container, version: i32): void {
  writeFields(json, container.hostConfig, HOST_CONFIG, version);
}

function writeFields(json: JsonWriter, document: Uint8Array, table: Table, version: i32): void {
  const members = new Members(document);
  json.beginObject();
  for (let i = 0; i < table.fields.length; i++) {
    const field = table.fields[i];
    // Older clients see newer fields, too; fields that their version no longer has are left out.
    if (version > field.until) continue;
    const place = members.find(field.name);
    if (version >= WITHOUT_EMPTY_ON_BUILD && field.name == "OnBuild" && isEmpty(members.tree(field.name))) continue;
    if (place >= 0) members.copy(json, place);
    else if (field.fallback !== null) {
      members.flush(json);
      json.rawField(field.name, field.defaultBytes());
    }
  }
  members.flush(json);
  json.endObject();
}

function isEmpty(list: Json | null): bool {
  return list === null || list.length == 0;
}
