// Reads a launch's `config.json` (OCI runtime spec): the user, the files and the limits of its processes, and what they
// see of the kernel.

import { identify, malformed, resolvConf } from "../../shared/index.js";
import type { Identity, processes } from "../../shared/index.js";
import type { MountSpec, ViewSpec } from "../files/disk.js";
import { FileError, type FileSystem } from "../files/file-system.js";
import type { MountedFiles } from "../files/mounted-files.js";
import { directoryOf } from "../programs/paths.js";
import { procFiles, sysFiles, type Seen } from "./kernel-files.js";
import type { Resources, Spec } from "./oci-spec.js";
import type { Limits, ResourceLimit } from "./kernel.js";

export function parseSpec(bytes: Uint8Array): Spec {
  return JSON.parse(new TextDecoder().decode(bytes)) as Spec;
}

/** Memory of a container without a limit: as much as the simulating process can afford. */
const MEMORY_MAX = 512 * 1024 ** 2;

export function limitsOf({ linux, process }: Spec): Limits {
  const resources = (process?.rlimits ?? []).map(({ type, soft, hard }): [string, ResourceLimit] => [
    type,
    { soft, hard },
  ]);
  return { ...groupLimits(linux?.resources ?? {}), resources: new Map(resources) };
}

/** Limits that apply to all processes together. */
export function groupLimits({ memory, pids }: Resources): Omit<Limits, "resources"> {
  return {
    memory: Math.min(positive(memory?.limit), MEMORY_MAX),
    ...(memory?.limit !== undefined && memory.limit > 0 && { memoryAsked: memory.limit }),
    pids: positive(pids?.limit),
  };
}

function positive(limit: number | undefined): number {
  return limit !== undefined && limit > 0 ? limit : Infinity;
}

/** Bytes of the files made for a container; `own` returns the machine's file of a name. */
export function filesOf(
  spec: Spec,
  launch: processes.Launch,
  own: (name: string) => Uint8Array,
): [name: string, bytes: Uint8Array][] {
  const apart = (spec.linux?.namespaces ?? []).some(({ type }) => type === "network");
  return launch.files.map(({ name, content }) => [
    name,
    name === "resolv.conf" ? resolverFile(content, own(name), apart, launch.publicServers) : (content ?? own(name)),
  ]);
}

/** Mounts and the contents of /proc and /sys, for the content code. */
export function viewOf(spec: Spec, launch: processes.Launch, seen: Seen): ViewSpec {
  // The callbacks live as long as the container's processes, so they must not keep the launch's bytes and mounts alive.
  const { user, seccomp } = launch;
  const told = toldOf(spec);
  return {
    mounts: (spec.mounts ?? []).filter(isOwnMount),
    closed: launch.closed,
    readOnly: spec.root?.readonly ?? false,
    proc: () => procFiles(told, { user, seccomp }, seen),
    sys: () => sysFiles(seen),
  };
}

function resolverFile(
  asked: Uint8Array | undefined,
  own: Uint8Array,
  apart: boolean,
  others: readonly string[],
): Uint8Array {
  const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);
  return new TextEncoder().encode(resolvConf(asked && text(asked), text(own), apart, others));
}

/** The parts of the spec that /proc and /sys show. */
function toldOf({ hostname = "", process = {}, linux = {} }: Spec): Spec {
  const { capabilities = {}, noNewPrivileges = false, oomScoreAdj = 0 } = process;
  const { sysctl = {}, maskedPaths = [], namespaces = [], cgroupsPath = "" } = linux;
  // With a cgroup namespace of its own, a container sees its cgroup as the root.
  const group = namespaces.some(({ type }) => type === "cgroup") ? "/" : cgroupsPath;
  return {
    hostname,
    process: { capabilities, noNewPrivileges, oomScoreAdj },
    linux: { sysctl, maskedPaths, cgroupsPath: group.startsWith("/") ? group : `/coracle/${group}` },
  };
}

/** cgroup mounts are part of the tree of /sys. */
function isOwnMount({ type }: MountSpec): boolean {
  return type !== "cgroup" && type !== "cgroup2";
}

/** Makes directories that binds need and that the machine lacks. An existing file is fine too. */
export function makeDirectories(paths: readonly string[], machine: FileSystem): void {
  for (const path of paths) {
    if (path.includes("\0")) throw malformed("path", path);
    if (!exists(machine, path)) makeDirectory(machine, path);
  }
}

/** `owner`: of all directories that are made; null for root. */
export function makeDirectory(
  files: FileSystem,
  path: string,
  owner: { uid: number; gid: number } | null = null,
): void {
  if (exists(files, path)) return;
  makeDirectory(files, directoryOf(path), owner);
  files.makeDirectory(path);
  if (owner !== null) files.changeOwner(path, owner.uid, owner.gid);
}

function exists(files: FileSystem, path: string): boolean {
  try {
    files.status(path);
    return true;
  } catch (error) {
    if (error instanceof FileError && error.code === "ENOENT") return false;
    throw error;
  }
}

/** The user of the process, from the container's own files. */
export function identityOf(
  { user, groups }: Pick<processes.Launch, "user" | "groups">,
  files: Pick<MountedFiles, "read">,
): Identity {
  const read = (path: string): string => {
    try {
      return new TextDecoder().decode(files.read(path));
    } catch (error) {
      if (error instanceof FileError) return "";
      throw error;
    }
  };
  return identify(user, groups, read("/etc/passwd"), read("/etc/group"));
}

/** Environment variables. HOME is added if it is missing or empty. The last value of a name counts. */
export function environmentOf(lines: readonly string[], home: string): Map<string, string> {
  const env = new Map<string, string>();
  for (const line of lines) {
    const equals = line.indexOf("=");
    if (equals > 0) env.set(line.slice(0, equals), line.slice(equals + 1));
  }
  if (!env.get("HOME")) env.set("HOME", home);
  return env;
}
