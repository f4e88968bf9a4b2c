// POST /networks/create (surface §2.24). User-defined networks
// are not implemented yet; other requests get Docker's answers.

import { readObject } from "../api/json-body";
import { Call } from "../call";
import { Json } from "../json/json";
import { Field, FieldType, Table } from "../json/table";
import { badParameter, forbidden, notBuilt, notFound, Refusal } from "../refusal";
import { NO_MANAGER } from "../swarm/outside";
import { networkStore } from "./store";

const CREATE: Table = new Table(
  "CreateRequest",
  [
    new Field("Name", FieldType.String, '""'),
    new Field("CheckDuplicate", FieldType.Bool, "false"),
    new Field("Driver", FieldType.String, '""'),
    new Field("Scope", FieldType.String, '""'),
    new Field("Internal", FieldType.Bool, "false"),
    new Field("Attachable", FieldType.Bool, "false"),
    new Field("Ingress", FieldType.Bool, "false"),
    new Field("ConfigOnly", FieldType.Bool, "false"),
    new Field("Options", FieldType.StringMap, "null").mapped("map[string]string"),
    new Field("Labels", FieldType.StringMap, "null").mapped("map[string]string"),
  ],
  "network.CreateRequest",
);

/** Docker's drivers that could be implemented. */
const DRIVERS: string[] = ["", "bridge", "macvlan", "ipvlan"];

export function createNetwork(call: Call): Refusal | null {
  const body = readObject(call, CREATE);
  const wish = body.json;
  if (wish === null) return body.refusal;
  return refuseNetwork(call, wish);
}

function refuseNetwork(call: Call, wish: Json): Refusal {
  const name = wish.stringOf("Name");
  const driver = wish.stringOf("Driver");
  if (name.trim().length == 0) return badParameter(`invalid name: ${name}`);
  if (name == "default" || networkStore.named(name) !== null) {
    return forbidden(`operation is not permitted on predefined ${name} network `);
  }
  if (driver == "overlay") return forbidden(NO_MANAGER);
  if (driver == "host" || driver == "null") return forbidden(`only one instance of "${driver}" network is allowed`);
  return DRIVERS.includes(driver)
    ? notBuilt(`${call.request.method} ${call.path}`)
    : notFound(`plugin "${driver}" not found`);
}
