// `Mounts` of a container as inspect and the list show them (surface §6.5).

import { JsonWriter } from "../../json/writer";
import { engine } from "../../state";
import { Container } from "../container";
import { propagationOf } from "../mounts/engine-binds";
import { MountKind, MountPoint } from "../mounts/mount-point";

/** `brief`: for the list, which does not show the location of anonymous volumes. */
export function writeMountPoints(json: JsonWriter, container: Container, brief: bool): void {
  json.beginArray();
  for (let i = 0; i < container.mounts.length; i++) {
    // As with BuildKit, whose steps have no containers that show them.
    if (container.mounts[i].kind != MountKind.Lent) writeMountPoint(json, container.mounts[i], brief);
  }
  json.endArray();
}

function writeMountPoint(json: JsonWriter, mount: MountPoint, brief: bool): void {
  const volume = mount.kind == MountKind.Volume;
  json.beginObject();
  json.stringField("Type", typeOf(mount));
  if (volume || mount.kind == MountKind.Image) json.stringField("Name", mount.name);
  json.stringField("Source", brief && mount.anonymous ? "" : sourceOf(mount));
  json.stringField("Destination", mount.destination);
  if (volume) json.stringField("Driver", "local");
  json.stringField("Mode", mount.mode);
  json.boolField("RW", !mount.readOnly);
  json.stringField("Propagation", propagationOf(mount));
  json.endObject();
}

/** The source on the machine; empty for a tmpfs. */
export function sourceOf(mount: MountPoint): string {
  if (mount.kind != MountKind.Volume) return mount.source;
  return `${engine.options.dataRoot}/volumes/${mount.name}/_data`;
}

function typeOf(mount: MountPoint): string {
  if (mount.kind == MountKind.Bind) return "bind";
  if (mount.kind == MountKind.Image) return "image";
  return mount.kind == MountKind.Volume ? "volume" : "tmpfs";
}
