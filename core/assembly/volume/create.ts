// POST /volumes/create (surface §2.25). Options of a volume are not implemented yet.

import { readObject } from "../api/json-body";
import { Call } from "../call";
import { refuseDriver } from "../container/mounts/mounts";
import { Json } from "../json/json";
import { Field, FieldType, Table } from "../json/table";
import { badParameter, notBuilt, Refusal } from "../refusal";
import { engine } from "../state";
import { VolumeMaking } from "./making";
import { volumeNameProblem } from "./name";
import { volumeStore } from "./store";
import { takerOf } from "./use";
import { Volume } from "./volume";

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
  const driver = refuseDriver(wish.stringOf("Driver"), name);
  if (driver !== null) return driver;
  const volume = volumeStore.find(name);
  if (volume === null) return addVolume(call, wish, name);
  const taker = takerOf([name]);
  // Only after its removal is it known whether the volume still exists.
  if (taker !== null) taker.queue.push(call);
  else if (volume.removing) volume.queue.push(call);
  else new VolumeMaking(call, volume).begin();
  return null;
}

function addVolume(call: Call, wish: Json, name: string): Refusal | null {
  const refusal = refuseVolume(call, wish, name);
  if (refusal !== null) return refusal;
  const isNamed = name.length > 0;
  const volume = new Volume(isNamed ? name : engine.ids.next(), engine.now.wall, !isNamed);
  volume.label(wish.entry("Labels"));
  volume.untold = true;
  volumeStore.add(volume);
  new VolumeMaking(call, volume).begin();
  return null;
}

function refuseVolume(call: Call, wish: Json, name: string): Refusal | null {
  const problem = name.length == 0 ? "" : volumeNameProblem(name);
  if (problem.length > 0) return badParameter(problem);
  const options = wish.entry("DriverOpts");
  if (options === null || options.keys.length == 0) return null;
  for (let i = 0; i < options.keys.length; i++) {
    if (OPTIONS.includes(options.keys[i])) continue;
    return badParameter(`create ${name}: invalid option: "${options.keys[i]}"`);
  }
  return notBuilt("a volume with options");
}
