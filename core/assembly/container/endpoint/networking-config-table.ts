// `NetworkingConfig`: the networks that a container asks for, and its settings there (surface §6.5).

import { Field, FieldType, Table } from "../../json/table";

const OF_OWN_NETWORKS = "refused at the start on built-in networks";

const IPAM_CONFIG: Table = new Table("EndpointIPAMConfig", [
  new Field("IPv4Address", FieldType.String, null).says(OF_OWN_NETWORKS),
  new Field("IPv6Address", FieldType.String, null).says(OF_OWN_NETWORKS),
  new Field("LinkLocalIPs", FieldType.Strings, null),
]);

/**
 * The settings of one endpoint that a client may give. Addresses and ids are assigned by the engine, and only shown.
 */
export const ENDPOINT_SETTINGS: Table = new Table("EndpointSettings", [
  new Field("IPAMConfig", FieldType.Struct, "null").typed("network.EndpointIPAMConfig").of(IPAM_CONFIG).pointed(),
  new Field("Links", FieldType.Strings, "null").says("on user-defined networks"),
  new Field("Aliases", FieldType.Strings, "null").says(OF_OWN_NETWORKS),
  new Field("MacAddress", FieldType.String, '""').from(44),
  new Field("DriverOpts", FieldType.StringMap, "null").says("sysctls of an interface, and its name"),
  new Field("GwPriority", FieldType.Int, "0").typed("int").from(48),
  new Field("NetworkID", FieldType.String, '""').kept(),
  new Field("EndpointID", FieldType.String, '""').kept(),
  new Field("Gateway", FieldType.String, '""').kept(),
  new Field("IPAddress", FieldType.String, '""').kept(),
  new Field("IPPrefixLen", FieldType.Int, "0").typed("int").kept(),
  new Field("IPv6Gateway", FieldType.String, '""').kept(),
  new Field("GlobalIPv6Address", FieldType.String, '""').kept(),
  new Field("GlobalIPv6PrefixLen", FieldType.Int, "0").typed("int").kept(),
  new Field("DNSNames", FieldType.Strings, "null").kept(),
]);

export const NETWORKING_CONFIG: Table = new Table("NetworkingConfig", [
  new Field("EndpointsConfig", FieldType.StructMap, "{}").typed("network.EndpointSettings").of(ENDPOINT_SETTINGS),
]);
