// The body of POST /networks/create.

import { Field, FieldType, Table } from "../json/table";

const IPAM_CONFIG: Table = new Table("IPAMConfig", [
  new Field("Subnet", FieldType.String, null),
  new Field("IPRange", FieldType.String, null),
  new Field("Gateway", FieldType.String, null),
  new Field("AuxiliaryAddresses", FieldType.StringMap, null).mapped("map[string]string"),
]);

const IPAM: Table = new Table("IPAM", [
  new Field("Driver", FieldType.String, '""'),
  new Field("Options", FieldType.StringMap, "null").mapped("map[string]string"),
  new Field("Config", FieldType.Structs, "null").typed("network.IPAMConfig").of(IPAM_CONFIG),
]);

const CONFIG_FROM: Table = new Table("ConfigReference", [new Field("Network", FieldType.String, '""')]);

export const CREATE: Table = new Table(
  "CreateRequest",
  [
    new Field("Name", FieldType.String, '""'),
    new Field("CheckDuplicate", FieldType.Bool, "false"),
    new Field("Driver", FieldType.String, '""'),
    new Field("Scope", FieldType.String, '""'),
    new Field("EnableIPv4", FieldType.Bool, "null").from(48),
    new Field("EnableIPv6", FieldType.Bool, "null"),
    new Field("IPAM", FieldType.Struct, "null").typed("network.IPAM").of(IPAM).pointed(),
    new Field("Internal", FieldType.Bool, "false"),
    new Field("Attachable", FieldType.Bool, "false"),
    new Field("Ingress", FieldType.Bool, "false"),
    new Field("ConfigOnly", FieldType.Bool, "false"),
    new Field("ConfigFrom", FieldType.Struct, "null").typed("network.ConfigReference").of(CONFIG_FROM).pointed(),
    new Field("Options", FieldType.StringMap, "null").mapped("map[string]string"),
    new Field("Labels", FieldType.StringMap, "null").mapped("map[string]string"),
  ],
  "network.CreateRequest",
);
