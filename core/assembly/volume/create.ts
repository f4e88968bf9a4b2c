// POST /volumes/create (surface §2.25): describes a volume that exists
// already. Making one without a container is not implemented yet.

import { readObject } from "../api/json-body";
import { Call } from "../call";
import { refuseDriver } from "../container/mounts/mounts";
import { Json } from "../json/json";
import { Field, FieldType, Table } from "../json/table";
import { JsonWriter } from "../json/writer";
import { badParameter, conflict, notBuilt, Refusal } from "../refusal";
import { line, sendJson } from "../reply";
import { writeVolume } from "./inspect";
import { volumeNameProblem } from "./name";
import { volumeStore } from "./store";
import { tellVolume } from "./untold";
import { takerOf } from "./use";

const CREATE: Table = new Table(
  "CreateOptions",
  [
    new Field("Driver", FieldType.String, '""'),
    new Field("DriverOpts", FieldType.StringMap, "null").mapped("map[string]string"),
    new Field("Labels", FieldType.StringMap, "null").mapped("map[string]string"),
    new Field("Name", FieldType.String, '""'),
  ],
  "volume.CreateOptions",
);

/** Options of the driver `local`. */
const OPTIONS: string[] = ["type", "o", "device", "size"];

export function createVolume(call: Call): Refusal | null {
  const body = readObject(call, CREATE);
  const wish = body.json;
  if (wish === null) return body.refusal;
  const name = wish.stringOf("Name");
  const volume = volumeStore.find(name);
  if (volume === null) return refuseVolume(call, wish, name);
  const driver = wish.stringOf("Driver");
  if (driver.length > 0 && driver != "local") {
    return conflict(`create ${name}: driver 'local' already has volume '${name}': volume name must be unique`);
  }
  const taker = takerOf([name]);
  if (taker !== null) {
    // Only after the removal is it known whether the volume still exists.
    taker.queue.push(call);
    return null;
  }
  tellVolume(volume);
  const json = new JsonWriter();
  writeVolume(json, volume);
  sendJson(call, 201, line(json));
  return null;
}

function refuseVolume(call: Call, wish: Json, name: string): Refusal {
  const driver = refuseDriver(wish.stringOf("Driver"), name);
  if (driver !== null) return driver;
  const problem = name.length == 0 ? "" : volumeNameProblem(name);
  if (problem.length > 0) return badParameter(problem);
  const options = wish.entry("DriverOpts");
  for (let i = 0; options !== null && i < options.keys.length; i++) {
    if (OPTIONS.includes(options.keys[i])) continue;
    return badParameter(`create ${name}: invalid option: "${options.keys[i]}"`);
  }
  return notBuilt(`${call.request.method} ${call.path}`);
}
