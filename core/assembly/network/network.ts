// A network. Three are built in: bridge, host and none.

import { Bridge } from "../../../build/bindings/types";
import { FieldReader } from "../records/field-reader";
import { FieldWriter } from "../records/field-writer";
import { Fields } from "../records/fields";
import { parseAddress, parseSubnet } from "./addresses";

/** Initial buffer size for a record. */
const RECORD_BYTES: i32 = 512;

export class Network {
  created: i64 = 0;
  /** For a bridge, as in `172.17.0.0/16`; else empty. */
  subnet: string = "";
  gateway: string = "";
  interfaceName: string = "";
  /** The host has made it since the engine opened. */
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

function networkFields(fields: Fields, given: Network | null): Network {
  const id = fields.text("id", given === null ? "" : given.id);
  const name = fields.text("name", given === null ? "" : given.name);
  const driver = fields.text("driver", given === null ? "" : given.driver);
  const network = given === null ? new Network(id, name, driver) : given;
  network.created = fields.number("created", network.created);
  network.subnet = fields.text("subnet", network.subnet);
  network.gateway = fields.text("gateway", network.gateway);
  network.interfaceName = fields.text("interfaceName", network.interfaceName);
  return network;
}

export function writeNetwork(network: Network): Uint8Array {
  const fields = new FieldWriter(RECORD_BYTES);
  networkFields(fields, network);
  return fields.take();
}

/** Reads the network `id`; sets a problem if the record is invalid. */
export function readNetwork(fields: FieldReader, id: string): Network {
  const network = networkFields(fields, null);
  fields.refuse(problemOf(network, id));
  return network;
}

/** What is inconsistent in the record; empty if nothing is. */
function problemOf(network: Network, id: string): string {
  if (network.id != id) return "it is another network's";
  const driver = driverOf(network.name);
  if (driver.length > 0 && driver != network.driver) return "its driver is another one's";
  const isDefault = network.name == "bridge";
  if (isDefault != (network.interfaceName == DEFAULT_INTERFACE)) return "its interface is another one's";
  if (network.driver == "bridge" && !isBridge(network)) return "its subnet, gateway or interface is invalid";
  return "";
}

/** Interface of the default bridge. */
export const DEFAULT_INTERFACE: string = "coracle0";

/** Driver of a built-in network; empty for any other name. */
export function driverOf(name: string): string {
  if (name == "none") return "null";
  return name == "bridge" || name == "host" ? name : "";
}

function isBridge(network: Network): bool {
  const subnet = parseSubnet(network.subnet);
  const gateway = parseAddress(network.gateway);
  if (subnet === null || gateway <= <i64>subnet.base || gateway > <i64>subnet.last) return false;
  return network.interfaceName.length > 0;
}
