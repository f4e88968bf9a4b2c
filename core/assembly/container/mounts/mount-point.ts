// Something mounted in a container's file system, as the client asked for it at create.

import { Json } from "../../json/json";
import { Fields } from "../../records/fields";

export enum MountKind {
  Bind,
  Volume,
  Tmpfs,
  /** The files of an image. */
  Image,
  /** Something that a build lends to the container of a step. */
  Lent,
}

export class MountPoint {
  /** Bind: an absolute path on the machine. Image: its id. Lent: as in `processes.launch`. */
  source: string = "";
  /** Volume: its name; empty until one is generated. Image: as the client named it. */
  name: string = "";
  /** Volume, image: the path inside that is mounted; empty for all of it. */
  subpath: string = "";
  /** Options as inspect shows them. */
  mode: string = "";
  readOnly: bool = false;
  /** Mounts below a read-only bind are read-only, too. */
  deeplyReadOnly: bool = false;
  /** Mounts below the source of a bind are not included. */
  alone: bool = false;
  /** As the client gave it; empty if it gave none. */
  propagation: string = "";
  /** Bind: a missing source directory is created. */
  makesSource: bool = false;
  /** Volume: it has no name from a client, so a removal may include it. */
  anonymous: bool = false;
  /** Volume: it has been filled from the image's files at its destination, or is not to be filled. */
  populated: bool = false;
  /** Tmpfs: the options that the client gave. Lent: further ones of the mount. */
  options: string[] = [];
  /** The mount comes from another container: `VolumesFrom`. */
  shared: bool = false;
  /**
   * Volume: it was added for this container during a creation that
   * has not been reported yet. If the creation fails, both go.
   */
  added: bool = false;

  // ---------------------------------------------------------------- not in the record
  /** Volume: labels in case the volume has to be made; null for none. */
  labels: Json | null = null;
  /** Volume: options of its driver in that case; null for none. */
  driverOptions: Json | null = null;

  constructor(
    readonly kind: MountKind,
    readonly destination: string,
  ) {}

  /** The same mount in another container, at the same destination. */
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

/** Reads or writes a mount in its container's record. */
export function mountPointFields(fields: Fields, given: MountPoint | null): MountPoint {
  const kind = fields.within("kind", given === null ? 0 : given.kind, 0, MountKind.Lent);
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
