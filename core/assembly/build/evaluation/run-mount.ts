// `RUN --mount=type=cache,target=/root/.cache`: what a command sees, and no layer has.

import { decimalOf } from "../../text/decimal";
import { BuildState } from "./build-state";

export enum MountType {
  Bind,
  Cache,
  Tmpfs,
  Secret,
  Ssh,
}

const TYPES: string[] = ["bind", "cache", "tmpfs", "secret", "ssh"];

export class Mount {
  type: MountType = MountType.Bind;
  /** An absolute path; relative ones begin at the working directory. */
  target: string = "";
  /** Bind, cache: a path in the context or in `from`. */
  source: string = "";
  /** Bind, cache: a stage or an image; empty: the context for bind, nothing for cache. */
  from: string = "";
  /** Bind: a here-document that names its interpreter by `#!`; it is the file `source`. Empty if there is none. */
  script: string = "";
  readOnly: bool = false;
  /** The client says whether it is read-only. */
  isAsked: bool = false;
  /** Cache: which one; secret and ssh: which one of the client's. */
  id: string = "";
  /** Cache: `shared`, `private` or `locked`. */
  sharing: string = "shared";
  /** Octal digits; empty: 0755 for a cache, 0400 for a secret, 0600 for an agent. */
  mode: string = "";
  owner: i32 = 0;
  group: i32 = 0;
  /** Tmpfs: as it is written; empty: no limit. */
  size: string = "";
  /** Secret, ssh: whether the build fails without it. */
  required: bool = false;
  /** Secret: the variable that gets it; empty: it is a file. */
  variable: string = "";
}

/** A mount, or what is wrong with it. */
export class ReadMount {
  readonly mount: Mount = new Mount();
  problem: string = "";
}

/** Reads the value of `--mount`. Variables are substituted in the values of its fields: none of them adds a field. */
export function readMount(text: string, state: BuildState): ReadMount {
  const read = new ReadMount();
  const fields = fieldsOf(text);
  for (let i = 0; i < fields.length && read.problem.length == 0; i++) {
    read.problem = take(read.mount, fields[i], text, state);
  }
  if (read.problem.length == 0) read.problem = finish(read.mount);
  return read;
}

/** The stage or image that a `--mount` names, before anything is substituted: no variable may be in it. */
export function mountSource(text: string): string {
  return mountField(text, "from");
}

/** Whether a `--mount` takes files of the context: not known if a variable says what it is. */
export function mountsContext(text: string): bool {
  if (mountSource(text).length > 0) return false;
  const type = mountField(text, "type").toLowerCase();
  return type == "bind" || !TYPES.includes(type);
}

/** The last value of a field, before anything is substituted. */
export function mountField(text: string, field: string): string {
  const fields = fieldsOf(text);
  let value = "";
  for (let i = 0; i < fields.length; i++) {
    const equals = fields[i].indexOf("=");
    if (equals > 0 && fields[i].slice(0, equals).toLowerCase() == field) value = fields[i].slice(equals + 1);
  }
  return value;
}

/** Comma-separated; a field in double quotes may have commas, and a doubled quote for one. */
function fieldsOf(text: string): string[] {
  const fields: string[] = [];
  let at = 0;
  while (at <= text.length) {
    if (at == text.length || text.charCodeAt(at) != 0x22) {
      const comma = text.indexOf(",", at);
      const end = comma < 0 ? text.length : comma;
      fields.push(text.slice(at, end));
      at = end + 1;
      continue;
    }
    let end = at + 1;
    while (end < text.length && (text.charCodeAt(end) != 0x22 || text.charCodeAt(end + 1) == 0x22)) {
      end += text.charCodeAt(end) == 0x22 ? 2 : 1;
    }
    fields.push(text.slice(at + 1, min(end, text.length)).replaceAll('""', '"'));
    at = end + 2;
  }
  return fields;
}

function take(mount: Mount, field: string, text: string, state: BuildState): string {
  const equals = field.indexOf("=");
  const key = (equals < 0 ? field : field.slice(0, equals)).toLowerCase();
  const value = equals < 0 ? "" : state.expand(field.slice(equals + 1));
  if (key == "readonly" || key == "ro" || key == "readwrite" || key == "rw" || key == "required") {
    return takeSwitch(mount, key, equals < 0 ? "true" : value.toLowerCase());
  }
  if (equals < 0) return `invalid field '${field}' must be a key=value pair`;
  if (key == "type") return takeType(mount, value.toLowerCase());
  if (key == "target" || key == "dst" || key == "destination") mount.target = value;
  else if (key == "source" || key == "src") mount.source = value;
  else if (key == "from") mount.from = value;
  else if (key == "id") mount.id = value;
  else if (key == "size") mount.size = value;
  else if (key == "env") mount.variable = value;
  else if (key == "sharing") return takeSharing(mount, value.toLowerCase());
  else return takeNumber(mount, key, value, text);
  return "";
}

function takeSwitch(mount: Mount, key: string, value: string): string {
  if (value != "true" && value != "false") return `invalid value for ${key}: ${value}`;
  const on = value == "true";
  if (key == "required") {
    mount.required = on;
    return "";
  }
  mount.isAsked = true;
  mount.readOnly = key == "readonly" || key == "ro" ? on : !on;
  return "";
}

function takeType(mount: Mount, value: string): string {
  const place = TYPES.indexOf(value);
  if (place < 0) return `unsupported mount type "${value}"`;
  mount.type = <MountType>place;
  return "";
}

function takeSharing(mount: Mount, value: string): string {
  if (value != "shared" && value != "private" && value != "locked") return `unsupported sharing value "${value}"`;
  mount.sharing = value;
  return "";
}

function takeNumber(mount: Mount, key: string, value: string, text: string): string {
  if (key != "mode" && key != "uid" && key != "gid") return `unexpected key '${key}' in '${text}'`;
  const number = decimalOf(value, i32.MAX_VALUE);
  if (number < 0) return `invalid value ${value} for ${key}`;
  if (key == "mode") mount.mode = value;
  else if (key == "uid") mount.owner = number;
  else mount.group = number;
  return "";
}

/** A bind is read-only unless the client says otherwise. */
function finish(mount: Mount): string {
  if (!mount.isAsked) mount.readOnly = mount.type == MountType.Bind;
  const isFile = mount.type == MountType.Secret || mount.type == MountType.Ssh;
  if (mount.target.length == 0 && !isFile) return "mount target not specified";
  if (mount.type == MountType.Cache && mount.id.length == 0) mount.id = mount.target;
  if (mount.type == MountType.Ssh) return finishAgent(mount);
  return mount.type == MountType.Secret ? finishSecret(mount) : "";
}

/** As the client calls the agent that it means without a name. */
const DEFAULT_AGENT: string = "default";

/** One without a target gets its own, by the number of the agent in its step. */
function finishAgent(mount: Mount): string {
  if (mount.source.length > 0) return "ssh does not support source";
  if (mount.id.length == 0) mount.id = DEFAULT_AGENT;
  return "";
}

/** `source` is another name of `id`. One that only becomes a variable is mounted nowhere. */
function finishSecret(mount: Mount): string {
  if (mount.source.length > 0) mount.id = mount.source;
  if (mount.id.length == 0) mount.id = lastPart(mount.target);
  if (mount.id.length == 0) return "one of source, target required";
  if (mount.target.length == 0 && mount.variable.length == 0) mount.target = `/run/secrets/${lastPart(mount.id)}`;
  return "";
}

function lastPart(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}
