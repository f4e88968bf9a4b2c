// Reads the body of POST /containers/create: the fields of
// `Config`, with `HostConfig` and `NetworkingConfig` beside them.

import { isZero, refusedField } from "../../json/asked";
import { Json } from "../../json/json";
import { normalise, schemaError } from "../../json/schema";
import { Field, FieldType, Table } from "../../json/table";
import { Endpoint } from "../../network/endpoint/endpoint";
import { badParameter, notBuilt, Refusal } from "../../refusal";
import { readEndpoints } from "../endpoint/endpoint-wishes";
import { NETWORKING_CONFIG } from "../endpoint/networking-config-table";
import { unbuiltDriver } from "../output/log-options";
import { CONFIG } from "./config";
import { HOST_CONFIG } from "./host-config";
import { nonsense } from "./validate";

/** The three parts of a create body, each with exactly the fields of its table. */
export class CreateBody {
  config: Json = Json.object();
  hostConfig: Json = Json.object();
  /** Endpoint settings by network; empty if none were sent. */
  endpoints: Json = Json.object();
  /** The endpoints that the container is to have. */
  wishes: Endpoint[] = [];
  /** Warnings in the answer to the client. */
  warnings: string[] = [];
  /** Why the body is invalid; if set, the other fields mean nothing. */
  refusal: Refusal | null = null;
}

/** `version`: minor API version of the request. */
export function readCreate(body: Json, version: i32): CreateBody {
  const create = new CreateBody();
  create.refusal = read(create, body, version);
  return create;
}

/** Where clients before 1.18 put fields that are now in `HostConfig`; they still have the old meaning. */
const OLD_PLACES: Field[] = [
  new Field("Memory", FieldType.Int, "0"),
  new Field("MemorySwap", FieldType.Int, "0"),
  new Field("CpuShares", FieldType.Int, "0"),
  new Field("Cpuset", FieldType.String, '""'),
];
const CPUSET = "CpusetCpus";

// Mirrors Go's struct of the body, which embeds the fields of `Config`.
const BODY: Table = new Table(
  CONFIG.struct,
  CONFIG.fields
    .concat(OLD_PLACES)
    .concat([
      new Field("HostConfig", FieldType.Struct, "{}").typed("container.HostConfig").of(HOST_CONFIG).pointed(),
      new Field("NetworkingConfig", FieldType.Struct, "{}")
        .typed("network.NetworkingConfig")
        .of(NETWORKING_CONFIG)
        .pointed(),
    ]),
  "runconfig.ContainerConfigWrapper",
);

function read(create: CreateBody, body: Json, version: i32): Refusal | null {
  const all = normalise(body, BODY, "", version);
  if (all === null) return badParameter(`invalid JSON: ${schemaError()}`);
  if (!namesConfig(body)) return badParameter("config cannot be empty in order to create a container");
  create.hostConfig = takePart(all, "HostConfig", HOST_CONFIG);
  create.endpoints = takePart(all, "NetworkingConfig", NETWORKING_CONFIG).items[0];
  takeOldPlaces(all, create.hostConfig);
  create.config = all;
  const problem = nonsense(create.config, create.hostConfig);
  if (problem.length > 0) return badParameter(problem);
  return refuseUnbuilt(create, version);
}

// Takes one part out of the body; a missing part gets its defaults.
function takePart(all: Json, name: string, table: Table): Json {
  const given = all.entry(name);
  all.remove(name);
  if (given !== null && given.length > 0) return given;
  const defaults = normalise(Json.object(), table);
  return defaults === null ? Json.object() : defaults;
}

/** Values in `HostConfig` itself take precedence. */
function takeOldPlaces(all: Json, host: Json): void {
  for (let i = 0; i < OLD_PLACES.length; i++) {
    const name = OLD_PLACES[i].name;
    const given = all.entry(name);
    all.remove(name);
    if (given === null || isZero(given)) continue;
    const place = name == "Cpuset" ? CPUSET : name;
    const chosen = host.entry(place);
    if (chosen === null || isZero(chosen)) host.set(place, given);
  }
}

function namesConfig(body: Json): bool {
  for (let i = 0; i < body.keys.length; i++) {
    if (CONFIG.place(body.keys[i]) >= 0) return true;
  }
  return false;
}

function refuseUnbuilt(create: CreateBody, version: i32): Refusal | null {
  const driver = unbuiltDriver(create.hostConfig);
  if (driver.length > 0) return notBuilt(`HostConfig.LogConfig.Type ${driver}`);
  let field = refusedField(create.config, CONFIG, "");
  if (field.length == 0) field = refusedField(create.hostConfig, HOST_CONFIG, "HostConfig");
  if (field.length > 0) return notBuilt(field);
  const endpoints = readEndpoints(create.config, create.hostConfig, create.endpoints, version);
  create.wishes = endpoints.endpoints;
  create.warnings = endpoints.warnings;
  return endpoints.refusal;
}
