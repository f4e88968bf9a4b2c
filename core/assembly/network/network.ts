// A network. Three are always there: bridge, host and none.

import { Bridge } from "../../../build/bindings/types";
import { Json } from "../json/json";
import { JsonWriter } from "../json/writer";
import { Shape } from "../records/shape";
import { parseAddress, parseSubnet } from "./addresses";

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

const SHAPE: Shape = new Shape().texts("id name driver subnet gateway interfaceName").numbers("created");

/** Why a document is no record of the network `id`; empty if it is one. */
export function networkProblem(json: Json, id: string): string {
  const problem = SHAPE.problem(json);
  if (problem.length > 0) return problem;
  if (json.stringOf("id") != id) return "it is another network's";
  const driver = driverOf(json.stringOf("name"));
  if (driver.length > 0 && driver != json.stringOf("driver")) return "its driver is another one's";
  const isDefault = json.stringOf("name") == "bridge";
  if (isDefault != (json.stringOf("interfaceName") == DEFAULT_INTERFACE)) return "its interface is another one's";
  if (json.stringOf("driver") == "bridge" && !isBridge(json)) return "its subnet, gateway or interface makes no sense";
  return "";
}

/** The default bridge's. */
export const DEFAULT_INTERFACE: string = "coracle0";

/** Of the networks that are always there; empty for any other name. */
export function driverOf(name: string): string {
  if (name == "none") return "null";
  return name == "bridge" || name == "host" ? name : "";
}

function isBridge(json: Json): bool {
  const subnet = parseSubnet(json.stringOf("subnet"));
  const gateway = parseAddress(json.stringOf("gateway"));
  if (subnet === null || gateway <= <i64>subnet.base || gateway > <i64>subnet.last) return false;
  return json.stringOf("interfaceName").length > 0;
}

/** Of a document for which `networkProblem` finds none. */
export function readNetwork(json: Json): Network {
  const network = new Network(json.stringOf("id"), json.stringOf("name"), json.stringOf("driver"));
  network.created = json.i64Of("created");
  network.subnet = json.stringOf("subnet");
  network.gateway = json.stringOf("gateway");
  network.interfaceName = json.stringOf("interfaceName");
  return network;
}
