// Migrates from version 1: a network had one subnet with a gateway, and had no other settings.

import { Json } from "../json/json";
import { parseKept } from "../json/reader";
import { jsonBytes } from "../json/writer";
import { NETWORK_RECORDS } from "./kinds";
import { Migration } from "./migration";

export class ToVersion2 extends Migration {
  record(key: string, value: Uint8Array): Uint8Array | null {
    if (!key.startsWith(NETWORK_RECORDS)) return null;
    const json = parseKept(value);
    if (json === null || !json.isObject) return null;
    const subnet = json.stringOf("subnet");
    if (subnet.length > 0) {
      const config = Json.object();
      config.set("subnet", Json.string(subnet));
      config.set("gateway", Json.string(json.stringOf("gateway")));
      const list = Json.array();
      list.push(config);
      json.set("ipam", list);
    }
    json.remove("subnet");
    json.remove("gateway");
    return jsonBytes(json);
  }
}
