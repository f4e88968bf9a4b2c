// Something that stands in a container's file system besides its own files: what a client asked for when it was created.

import { Json } from "../../json/json";
import { Fields } from "../../records/fields";

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

/** In its container's record. */
export function mountPointFields(fields: Fields, given: MountPoint | null): MountPoint {
  const kind = fields.within("kind", given === null ? 0 : given.kind, 0, MountKind.Tmpfs);
  const destination = fields.text("destination", given === null ? "" : given.destination);
  const point = given === null ? new MountPoint(<MountKind>(<i32>kind), destination) : given;
  point.source = fields.text("source", point.source);
  point.name = fields.text("name", point.name);
  point.subpath = fields.text("subpath", point.subpath);
  point.mode = fields.text("mode", point.mode);
  point.readOnly = fields.bool("readOnly", point.readOnly);
  point.deeplyReadOnly = fields.bool("deeplyReadOnly", point.deeplyReadOnly);
  point.alone = fields.bool("alone", point.alone);
  point.propagation = fields.text("propagation", point.propagation);
  point.makesSource = fields.bool("makesSource", point.makesSource);
  point.anonymous = fields.bool("anonymous", point.anonymous);
  point.populated = fields.bool("populated", point.populated);
  point.options = fields.texts("options", point.options);
  point.shared = fields.optionalBool("shared", point.shared);
  point.added = fields.optionalBool("added", point.added);
  return point;
}
