// The record of a network, and what can be wrong with one.

import { FieldReader } from "../records/field-reader";
import { FieldWriter } from "../records/field-writer";
import { Fields, optionalListOf } from "../records/fields";
import { IpamConfig, ipamConfigFields } from "./ipam/ipam-config";
import { driverOf, Network } from "./network";

/** Initial buffer size for a record. */
const RECORD_BYTES: i32 = 512;

function networkFields(fields: Fields, given: Network | null): Network {
  const id = fields.text("id", given === null ? "" : given.id);
  const name = fields.text("name", given === null ? "" : given.name);
  const driver = fields.text("driver", given === null ? "" : given.driver);
  const network = given === null ? new Network(id, name, driver) : given;
  network.created = fields.number("created", network.created);
  network.interfaceName = fields.text("interfaceName", network.interfaceName);
  optionalListOf<IpamConfig>(fields, "ipam", network.ipam, ipamConfigFields);
  network.internal = fields.optionalBool("internal", network.internal);
  network.withoutIpv4 = fields.optionalBool("withoutIpv4", network.withoutIpv4);
  network.withIpv6 = fields.optionalBool("withIpv6", network.withIpv6);
  network.withoutAddresses = fields.optionalBool("withoutAddresses", network.withoutAddresses);
  network.subnetsGiven = fields.optionalBool("subnetsGiven", network.subnetsGiven);
  network.ipv6SubnetsGiven = fields.optionalBool("ipv6SubnetsGiven", network.ipv6SubnetsGiven);
  network.attachable = fields.optionalBool("attachable", network.attachable);
  network.configOnly = fields.optionalBool("configOnly", network.configOnly);
  network.configFrom = fields.optionalText("configFrom", network.configFrom);
  network.creating = fields.optionalBool("creating", network.creating);
  network.removing = fields.optionalBool("removing", network.removing);
  fields.optionalTextMap("ipamOptions", network.ipamOptionKeys, network.ipamOptionValues);
  fields.optionalTextMap("options", network.optionKeys, network.optionValues);
  fields.optionalTextMap("labels", network.labelKeys, network.labelValues);
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
  for (let i = 0; i < network.ipam.length; i++) {
    if (!network.ipam[i].isValid) return "one of its subnets is invalid";
  }
  if (network.driver == "bridge" && !isBridge(network)) return "its subnet, gateway or interface is invalid";
  if (network.isOnParent && !isUsableOnParent(network)) return "its subnet or gateway is invalid";
  return "";
}

/** Containers on a parent have an address. */
function isUsableOnParent(network: Network): bool {
  for (let i = 0; i < network.ipam.length; i++) {
    if (network.uses(network.ipam[i]) && !network.ipam[i].isUsableWithoutGateway) return false;
  }
  return hasFamilies(network);
}

/** Each family that it has can be used, and it has one. */
function isBridge(network: Network): bool {
  if (network.interfaceName.length == 0 || !hasFamilies(network)) return false;
  return isUsable(network, network.ipv4) && isUsable(network, network.ipv6);
}

/** It has one family at least, and a subnet for each that it has. */
function hasFamilies(network: Network): bool {
  const ipv4 = network.ipv4;
  const ipv6 = network.ipv6;
  if ((ipv4 === null && !network.withoutIpv4) || (ipv6 === null && network.withIpv6)) return false;
  return ipv4 !== null || ipv6 !== null;
}

function isUsable(network: Network, config: IpamConfig | null): bool {
  if (config === null) return true;
  return network.hasGateway(config.isIpv6) ? config.isUsable : config.isUsableWithoutGateway;
}
