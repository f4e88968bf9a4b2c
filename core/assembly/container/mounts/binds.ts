// Entries of `HostConfig.Binds`: `source:destination[:options]`, or `destination` alone (surface §2.14).

import { cleanPath } from "../../text/path";
import { volumeNameProblem } from "../../volume/name";
import { anonymousVolume, MountKind, MountPoint } from "./mount-point";

/** The mount that an entry asks for, or why the entry is invalid, in Docker's words. */
export class Bind {
  problem: string = "";

  constructor(readonly point: MountPoint) {}
}

const PROPAGATIONS: string[] = ["shared", "rshared", "slave", "rslave", "private", "rprivate"];

/** The first version in which read-only binds are recursively read-only. */
export const DEEP_SINCE: i32 = 44;

export function isPropagation(word: string): bool {
  return PROPAGATIONS.includes(word);
}

/** `version`: minor API version of the request. */
export function readBind(text: string, version: i32): Bind {
  const parts = text.split(":");
  const lone = parts.length == 1;
  const destination = cleanPath(lone ? parts[0] : parts[1]);
  const bind = new Bind(pointOf(lone ? "" : parts[0], destination));
  const invalid = `invalid volume specification: '${text}'`;
  if (parts.length > 3 || destination.length == 0 || (!lone && parts[0].length == 0)) bind.problem = invalid;
  else if (parts.length == 2 && isMode(parts[1])) bind.problem = invalid;
  if (bind.problem.length > 0) return bind;
  if (parts.length == 3) readMode(bind, parts[2]);
  const point = bind.point;
  point.deeplyReadOnly = point.kind == MountKind.Bind && point.readOnly && version >= DEEP_SINCE;
  const problem = bind.problem.length > 0 ? "" : placeProblem(point);
  if (problem.length > 0) bind.problem = `${invalid}: invalid mount config for type "${typeOf(point)}": ${problem}`;
  if (bind.problem.length == 0 && point.name.length > 0) bind.problem = volumeNameProblem(point.name);
  return bind;
}

/** A source that is not a path is the name of a volume. */
function pointOf(source: string, destination: string): MountPoint {
  if (source.length == 0) {
    const point = anonymousVolume(destination);
    point.mode = "z";
    return point;
  }
  if (!source.startsWith("/")) {
    const point = new MountPoint(MountKind.Volume, destination);
    point.name = source;
    // Docker's mode for a volume when the client chose no label.
    point.mode = "z";
    return point;
  }
  const point = new MountPoint(MountKind.Bind, destination);
  point.source = cleanPath(source);
  point.makesSource = true;
  return point;
}

function typeOf(point: MountPoint): string {
  return point.kind == MountKind.Bind ? "bind" : "volume";
}

function placeProblem(point: MountPoint): string {
  const destination = point.destination;
  if (!destination.startsWith("/")) return `invalid mount path: '${destination}' mount path must be absolute`;
  if (destination == "/") return "invalid specification: destination can't be '/'";
  const words = point.mode.split(",");
  if (point.kind == MountKind.Bind) return words.includes("nocopy") ? "field VolumeOptions must not be specified" : "";
  return point.propagation.length > 0 ? "field BindOptions must not be specified" : "";
}

function isMode(mode: string): bool {
  return modeProblem(mode).length == 0;
}

function readMode(bind: Bind, mode: string): void {
  if (mode.length == 0) return;
  bind.problem = modeProblem(mode);
  if (bind.problem.length > 0) return;
  const point = bind.point;
  point.mode = mode;
  const words = mode.split(",");
  for (let i = 0; i < words.length; i++) {
    if (words[i] == "ro") point.readOnly = true;
    if (words[i] == "nocopy") point.populated = true;
    if (isPropagation(words[i])) point.propagation = words[i];
  }
}

/** At most one word of each kind: access, label, propagation, `nocopy`, consistency. */
export function modeProblem(mode: string): string {
  const seen: string[] = [];
  const words = mode.split(",");
  for (let i = 0; i < words.length; i++) {
    const sort = sortOf(words[i]);
    if (sort.length == 0 || seen.includes(sort)) return `invalid mode: ${mode}`;
    seen.push(sort);
  }
  return "";
}

function sortOf(word: string): string {
  if (word == "ro" || word == "rw") return "access";
  if (word == "z" || word == "Z") return "label";
  if (word == "nocopy") return "copy";
  if (word == "consistent" || word == "cached" || word == "delegated" || word == "default") return "consistency";
  return isPropagation(word) ? "propagation" : "";
}
