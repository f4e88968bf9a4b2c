// A network. Three are always there: bridge, host and none.

import { Bridge } from "../../../build/bindings/types";
import { Json } from "../json/json";
import { JsonWriter } from "../json/writer";
import { parseJson } from "../json/reader";

export class Network {
  created: i64 = 0;
  /** Of a bridge: `172.17.0.0/16`; else empty. */
  subnet: string = "";
  gateway: string = "";
  interfaceName: string = "";
  /** The host has made it since the engine was opened. */
  made: bool = false;

  constructor(
    readonly id: string,
    readonly name: string,
    readonly driver: string,
  ) {}

  get prefixLength(): i32 {
    return <i32>parseInt(this.subnet.slice(this.subnet.indexOf("/") + 1), 10);
  }

  asBridge(): Bridge {
    return new Bridge(this.id, this.name, this.interfaceName, this.subnet, this.gateway);
  }
}

export function writeNetwork(network: Network): Uint8Array {
  const json = new JsonWriter();
  json.beginObject();
  json.i64Field("format", 1);
  json.stringField("id", network.id);
  json.stringField("name", network.name);
  json.stringField("driver", network.driver);
  json.i64Field("created", network.created);
  json.stringField("subnet", network.subnet);
  json.stringField("gateway", network.gateway);
  json.stringField("interfaceName", network.interfaceName);
  json.endObject();
  return json.finish();
}

export function readNetwork(bytes: Uint8Array): Network | null {
  const json: Json | null = parseJson(bytes);
  if (json === null || json.i64Of("format") != 1) return null;
  const network = new Network(json.stringOf("id"), json.stringOf("name"), json.stringOf("driver"));
  network.created = json.i64Of("created");
  network.subnet = json.stringOf("subnet");
  network.gateway = json.stringOf("gateway");
  network.interfaceName = json.stringOf("interfaceName");
  return network;
}
