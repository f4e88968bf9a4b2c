// POST /volumes/create (surface §2.25).

import { readObject } from "../api/json-body";
import { cacheStore } from "../build/caches/cache-store";
import { Call } from "../call";
import { refuseDriver } from "../container/mounts/mounts";
import { Json } from "../json/json";
import { Field, FieldType, Table } from "../json/table";
import { badParameter, Refusal } from "../refusal";
import { engine } from "../state";
import { VolumeMaking } from "./making";
import { volumeNameProblem } from "./name";
import { volumeOptionsProblem } from "./options";
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

export function createVolume(call: Call): Refusal | null {
  const body = readObject(call, CREATE);
  const wish = body.json;
  if (wish === null) return body.refusal;
  const name = wish.stringOf("Name");
  const driver = refuseDriver(wish.stringOf("Driver"), name);
  if (driver !== null) return driver;
  const taker = takerOf([name]);
  const volume = volumeStore.find(name);
  // Only after its removal is it known whether the volume still exists.
  if (taker !== null) taker.queue.push(call);
  else if (volume === null) return addVolume(call, wish, name);
  else if (volume.removing) volume.queue.push(call);
  else new VolumeMaking(call, volume).begin();
  return null;
}

function addVolume(call: Call, wish: Json, given: string): Refusal | null {
  const isNamed = given.length > 0;
  const name = isNamed ? given : engine.ids.next();
  const options = wish.entry("DriverOpts");
  let problem = cacheStore.find(name) !== null ? `create ${name}: it is the build cache's` : volumeNameProblem(name);
  if (problem.length == 0) problem = volumeOptionsProblem(name, options);
  if (problem.length > 0) return badParameter(problem);
  const volume = new Volume(name, engine.now.wall, !isNamed);
  volume.label(wish.entry("Labels"));
  volume.takeOptions(options);
  volume.untold = true;
  volumeStore.add(volume);
  new VolumeMaking(call, volume).begin();
  return null;
}
