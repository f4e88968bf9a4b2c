// Entries of `HostConfig.Mounts`: which are valid, and what is
// mounted for them (surface §2.14, §6.2; gates by version: §3).

import { imageStore } from "../../image/store";
import { Json } from "../../json/json";
import { badParameter, notBuilt, notFound, Refusal } from "../../refusal";
import { cleanPath } from "../../text/path";
import { volumeNameProblem } from "../../volume/name";
import { DEEP_SINCE, isPropagation } from "./binds";
import { canBeDeep } from "./deep-mounts";
import { MountKind, MountPoint } from "./mount-point";

/**
 * The options of each type, and the version from which another
 * type's options are refused. Earlier versions ignore them.
 */
const OPTIONS: string[] = ["BindOptions", "VolumeOptions", "ImageOptions", "TmpfsOptions", "ClusterOptions"];
const STRICT_SINCE: i32 = 42;
const SUBPATH_SINCE: i32 = 45;
const IMAGE_SINCE: i32 = 48;

/** The mount that an entry asks for, or why it is refused. */
export class AskedMount {
  point: MountPoint = new MountPoint(MountKind.Bind, "");
  refusal: Refusal | null = null;
}

/** `version`: minor API version of the request. */
export function readMount(mount: Json, version: i32): AskedMount {
  const asked = new AskedMount();
  const type = mount.stringOf("Type");
  if (version < STRICT_SINCE) dropOtherOptions(mount, type);
  asked.refusal = refuseVersion(mount, version);
  if (asked.refusal !== null) return asked;
  const problem = problemOf(mount, type);
  if (problem.length > 0) {
    asked.refusal = badParameter(`invalid mount config for type "${type}": ${problem}`);
  } else if (type == "cluster") {
    asked.refusal = notBuilt("HostConfig.Mounts of type cluster");
  } else if (type == "volume") {
    asked.refusal = refuseVolume(mount);
  } else if (type == "image") {
    asked.refusal = imageStore.lookUp(mount.stringOf("Source")).refusal;
  }
  if (asked.refusal === null) asked.point = pointOf(mount, type, version);
  return asked;
}

function ownOptions(type: string): string {
  return type.length == 0 ? "" : type.charAt(0).toUpperCase() + type.slice(1) + "Options";
}

function dropOtherOptions(mount: Json, type: string): void {
  for (let i = 0; i < OPTIONS.length; i++) if (OPTIONS[i] != ownOptions(type)) mount.remove(OPTIONS[i]);
}

function refuseVersion(mount: Json, version: i32): Refusal | null {
  const bind = mount.entry("BindOptions");
  if (version < DEEP_SINCE && bind !== null && bind.boolOf("ReadOnlyForceRecursive")) {
    return badParameter("BindOptions.ReadOnlyForceRecursive needs API v1.44 or newer");
  }
  const volume = mount.entry("VolumeOptions");
  if (version < SUBPATH_SINCE && volume !== null && volume.stringOf("Subpath").length > 0) {
    return badParameter("VolumeOptions.Subpath needs API v1.45 or newer");
  }
  if (version < IMAGE_SINCE && mount.stringOf("Type") == "image") {
    return badParameter('Mount type "Image" needs API v1.48 or newer');
  }
  return null;
}

function problemOf(mount: Json, type: string): string {
  const target = mount.stringOf("Target");
  if (target.length == 0) return "field Target must not be empty";
  if (cleanPath(target) == "/") return "invalid specification: destination can't be '/'";
  if (!target.startsWith("/")) return `invalid mount path: '${target}' mount path must be absolute`;
  if (!["bind", "volume", "tmpfs", "image", "cluster"].includes(type)) return "mount type unknown";
  for (let i = 0; i < OPTIONS.length; i++) {
    const given = mount.entry(OPTIONS[i]);
    if (given !== null && OPTIONS[i] != ownOptions(type)) return `field ${OPTIONS[i]} must not be specified`;
  }
  if (type == "bind") return bindProblem(mount);
  if (type == "tmpfs") return tmpfsProblem(mount);
  if (type == "image") return imageProblem(mount);
  return type == "volume" ? volumeProblem(mount) : "";
}

function bindProblem(mount: Json): string {
  const source = mount.stringOf("Source");
  if (source.length == 0) return "field Source must not be empty";
  const options = mount.entry("BindOptions");
  const problem = options === null ? "" : bindOptionsProblem(options, mount.boolOf("ReadOnly"));
  if (problem.length > 0) return problem;
  return source.startsWith("/") ? "" : `invalid mount path: '${source}' mount path must be absolute`;
}

function bindOptionsProblem(options: Json, readOnly: bool): string {
  const propagation = options.stringOf("Propagation");
  if (propagation.length > 0 && !isPropagation(propagation)) return `invalid propagation mode: ${propagation}`;
  const shallow = options.boolOf("ReadOnlyNonRecursive");
  const deep = options.boolOf("ReadOnlyForceRecursive");
  if (!readOnly && shallow) return "mount options conflict: !ReadOnly && BindOptions.ReadOnlyNonRecursive";
  if (!readOnly && deep) return "mount options conflict: !ReadOnly && BindOptions.ReadOnlyForceRecursive";
  if (shallow && deep) return "mount options conflict: ReadOnlyNonRecursive && BindOptions.ReadOnlyForceRecursive";
  return deep && !canBeDeep() ? "ReadOnlyForceRecursive needs Linux 5.12 or newer" : "";
}

function volumeProblem(mount: Json): string {
  if (mount.stringOf("Source").length == 0 && mount.boolOf("ReadOnly")) {
    return "must not set ReadOnly mode when using anonymous volumes";
  }
  const options = mount.entry("VolumeOptions");
  return isOutside(options) ? "subpath must be a relative path within the volume" : "";
}

function imageProblem(mount: Json): string {
  if (mount.stringOf("Source").length == 0) return "field Source must not be empty";
  return isOutside(mount.entry("ImageOptions")) ? "subpath must be a relative path within the image" : "";
}

/** Whether the options of a mount have a `Subpath` that leads out of it. */
function isOutside(options: Json | null): bool {
  const subpath = options === null ? "" : options.stringOf("Subpath");
  return subpath.startsWith("/") || subpath.split("/").includes("..");
}

function tmpfsProblem(mount: Json): string {
  if (mount.stringOf("Source").length > 0) return "field Source must not be specified";
  const options = mount.entry("TmpfsOptions");
  const words: Json | null = options === null ? null : options.entry("Options");
  if (words === null || words.isNull) return "";
  if (!words.isArray) return "invalid option array";
  for (let i = 0; i < words.items.length; i++) {
    const pair = words.items[i].strings();
    if (pair.length < 1 || pair.length > 2) return "invalid option array length";
    if (pair.length > 1 || (pair[0] != "exec" && pair[0] != "noexec")) return `invalid option: ${pair.join("=")}`;
  }
  return "";
}

function refuseVolume(mount: Json): Refusal | null {
  const name = mount.stringOf("Source");
  const problem = name.length == 0 ? "" : volumeNameProblem(name);
  if (problem.length > 0) return badParameter(problem);
  const options = mount.entry("VolumeOptions");
  const config: Json | null = options === null ? null : options.entry("DriverConfig");
  const driver = config === null ? "" : config.stringOf("Name");
  return refuseDriver(driver, name);
}

/** Checks the driver of a volume that has to be made. */
export function refuseDriver(driver: string, name: string): Refusal | null {
  if (driver.length == 0 || driver == "local") return null;
  return notFound(`create ${name}: error looking up volume plugin ${driver}: plugin "${driver}" not found`);
}

function pointOf(mount: Json, type: string, version: i32): MountPoint {
  const point = new MountPoint(kindOf(type), cleanPath(mount.stringOf("Target")));
  const kind = point.kind;
  point.readOnly = mount.boolOf("ReadOnly");
  if (kind == MountKind.Bind) takeBind(point, mount, version);
  else if (kind == MountKind.Volume) takeVolume(point, mount);
  else if (kind == MountKind.Image) takeImage(point, mount);
  else takeTmpfs(point, mount);
  return point;
}

function kindOf(type: string): MountKind {
  if (type == "bind") return MountKind.Bind;
  if (type == "image") return MountKind.Image;
  return type == "volume" ? MountKind.Volume : MountKind.Tmpfs;
}

/** Nobody can write to an image, whatever the client asks for. */
function takeImage(point: MountPoint, mount: Json): void {
  point.name = mount.stringOf("Source");
  const image = imageStore.lookUp(point.name).image;
  point.source = image === null ? "" : image.id;
  point.readOnly = true;
  const options = mount.entry("ImageOptions");
  if (options !== null) point.subpath = relativePath(options.stringOf("Subpath"));
}

function takeBind(point: MountPoint, mount: Json, version: i32): void {
  point.source = cleanPath(mount.stringOf("Source"));
  point.deeplyReadOnly = point.readOnly && version >= DEEP_SINCE;
  const options = mount.entry("BindOptions");
  if (options === null) return;
  point.propagation = options.stringOf("Propagation");
  point.alone = options.boolOf("NonRecursive");
  point.makesSource = options.boolOf("CreateMountpoint");
  if (options.boolOf("ReadOnlyNonRecursive")) point.deeplyReadOnly = false;
}

function takeVolume(point: MountPoint, mount: Json): void {
  point.name = mount.stringOf("Source");
  point.anonymous = point.name.length == 0;
  point.mode = "z";
  const options = mount.entry("VolumeOptions");
  if (options === null) return;
  point.subpath = relativePath(options.stringOf("Subpath"));
  point.populated = options.boolOf("NoCopy") || point.subpath.length > 0;
  point.labels = options.entry("Labels");
  const driver = options.entry("DriverConfig");
  if (driver !== null) point.driverOptions = driver.entry("Options");
}

function relativePath(path: string): string {
  return cleanPath("/" + path).slice(1);
}

function takeTmpfs(point: MountPoint, mount: Json): void {
  if (point.readOnly) point.options.push("ro");
  const options = mount.entry("TmpfsOptions");
  if (options === null) return;
  const mode = options.i64Of("Mode");
  if (mode != 0) point.options.push(`mode=${(<u64>mode).toString(8)}`);
  const size = options.i64Of("SizeBytes");
  if (size != 0) point.options.push(`size=${size.toString()}`);
  const words = options.entry("Options");
  if (words === null) return;
  for (let i = 0; i < words.items.length; i++) point.options.push(words.items[i].strings()[0]);
}
