// `Mounts` of a container, as inspect and the list show them (surface §6.5).

import { JsonWriter } from "../json/writer";
import { engine } from "../state";
import { Container } from "./container";
import { MountKind, MountPoint } from "./mount-point";

export function writeMountPoints(json: JsonWriter, container: Container): void {
  json.beginArray();
  for (let i = 0; i < container.mounts.length; i++) writeMountPoint(json, container.mounts[i]);
  json.endArray();
}

function writeMountPoint(json: JsonWriter, mount: MountPoint): void {
  const volume = mount.kind == MountKind.Volume;
  json.beginObject();
  json.stringField("Type", typeOf(mount));
  if (volume) json.stringField("Name", mount.name);
  json.stringField("Source", volume ? `${engine.options.dataRoot}/volumes/${mount.name}/_data` : mount.source);
  json.stringField("Destination", mount.destination);
  if (volume) json.stringField("Driver", "local");
  json.stringField("Mode", mount.mode);
  json.boolField("RW", !mount.readOnly);
  json.stringField("Propagation", propagationOf(mount));
  json.endObject();
}

function typeOf(mount: MountPoint): string {
  if (mount.kind == MountKind.Bind) return "bind";
  return mount.kind == MountKind.Volume ? "volume" : "tmpfs";
}

function propagationOf(mount: MountPoint): string {
  return mount.kind == MountKind.Bind && mount.propagation.length == 0 ? "rprivate" : mount.propagation;
}
