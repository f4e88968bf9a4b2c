// Something that stands in a container's file system besides its own files: what a client asked for when it was created.

import { Json } from "../../json/json";
import { JsonWriter } from "../../json/writer";

export enum MountKind {
  Bind,
  Volume,
  Tmpfs,
}

export class MountPoint {
  /** Bind: an absolute path of the machine. */
  source: string = "";
  /** Volume: its name; empty as long as nobody has thought of one. */
  name: string = "";
  /** Volume: the directory in it that is mounted; empty for all of it. */
  subpath: string = "";
  /** Options as inspect shows them. */
  mode: string = "";
  readOnly: bool = false;
  /** What is mounted below a read-only bind is read-only, too. */
  deeplyReadOnly: bool = false;
  /** What is mounted below the source of a bind stays away. */
  alone: bool = false;
  /** As asked for; empty for none. */
  propagation: string = "";
  /** Bind: a directory that is missing is made. */
  makesSource: bool = false;
  /** Volume: nobody has named it, so a removal may take it along. */
  anonymous: bool = false;
  /** Volume: it has had its chance to be filled with what the image has at its place, or is not to have any. */
  populated: bool = false;
  /** Tmpfs: its own options. */
  options: string[] = [];
  /** It is another container's, too: `VolumesFrom`. */
  shared: bool = false;
  /** Volume: it was added for this container, and nobody was told of either: it goes with it. */
  added: bool = false;

  // ---------------------------------------------------------------- not in the record
  /** Volume: labels for one that is made for this; null for none. */
  labels: Json | null = null;

  constructor(
    readonly kind: MountKind,
    readonly destination: string,
  ) {}

  /** Another container's mount, at the same place. */
  share(): MountPoint {
    const copy = new MountPoint(this.kind, this.destination);
    copy.source = this.source;
    copy.name = this.name;
    copy.subpath = this.subpath;
    copy.readOnly = this.readOnly;
    copy.deeplyReadOnly = this.deeplyReadOnly;
    copy.alone = this.alone;
    copy.propagation = this.propagation;
    copy.makesSource = this.makesSource;
    copy.anonymous = this.anonymous;
    copy.options = this.options;
    copy.populated = true;
    copy.shared = true;
    return copy;
  }
}

export function anonymousVolume(destination: string): MountPoint {
  const point = new MountPoint(MountKind.Volume, destination);
  point.anonymous = true;
  return point;
}

export function writeMountPointRecord(json: JsonWriter, point: MountPoint): void {
  json.beginObject();
  json.i64Field("kind", point.kind);
  json.stringField("destination", point.destination);
  json.stringField("source", point.source);
  json.stringField("name", point.name);
  json.stringField("subpath", point.subpath);
  json.stringField("mode", point.mode);
  json.boolField("readOnly", point.readOnly);
  json.boolField("deeplyReadOnly", point.deeplyReadOnly);
  json.boolField("alone", point.alone);
  json.stringField("propagation", point.propagation);
  json.boolField("makesSource", point.makesSource);
  json.boolField("anonymous", point.anonymous);
  json.boolField("populated", point.populated);
  json.stringArrayField("options", point.options);
  if (point.shared) json.boolField("shared", true);
  if (point.added) json.boolField("added", true);
  json.endObject();
}

export function readMountPointRecord(json: Json): MountPoint {
  const point = new MountPoint(<MountKind>(<i32>json.i64Of("kind")), json.stringOf("destination"));
  point.source = json.stringOf("source");
  point.name = json.stringOf("name");
  point.subpath = json.stringOf("subpath");
  point.mode = json.stringOf("mode");
  point.readOnly = json.boolOf("readOnly");
  point.deeplyReadOnly = json.boolOf("deeplyReadOnly");
  point.alone = json.boolOf("alone");
  point.propagation = json.stringOf("propagation");
  point.makesSource = json.boolOf("makesSource");
  point.anonymous = json.boolOf("anonymous");
  point.populated = json.boolOf("populated");
  point.options = json.stringsOf("options");
  point.shared = json.boolOf("shared");
  point.added = json.boolOf("added");
  return point;
}
