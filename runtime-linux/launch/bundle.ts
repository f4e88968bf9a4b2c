// The OCI bundle of a run: the core's spec, with names turned into paths, and completed with what only this machine
// knows.

import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { release } from "node:os";
import { join } from "node:path";
import { ACCOUNTS_BYTES_MAX, identify, malformed, withRates } from "../../hosts/shared/index.js";
import type { Identity, processes } from "../../hosts/shared/index.js";
import { atStart, available, type Capabilities } from "../capabilities.js";
import { chooseGroup } from "../cgroups/chosen-groups.js";
import { readConfined } from "../confine.js";
import { fileFailure } from "../content/files/file-failure.js";
import { secretOf, sourceOfFile, writeFile } from "./container-files.js";
import { allDevices, devicesOf, numberOf, type Resources, type SpecDevice } from "./devices.js";
import { requireInit } from "./init.js";
import type { Kernel } from "../kernel.js";
import { placeMounts } from "../mounts/places.js";
import { makePoints } from "../mounts/points.js";
import type { Paths } from "../paths.js";
import { choosePropagation } from "../mounts/propagation.js";
import type { Runtime } from "./runtimes.js";
import { parseLimited, specText, type Limit } from "./spec-text.js";
import { DEFAULT_PROFILE } from "../seccomp/default-profile.js";
import { compileFilter } from "../seccomp/filter.js";
import { applyProfile, parseProfile, type Seccomp } from "../seccomp/profile.js";
import { bytesOf } from "../../hosts/streams/tar/index.js";

/** The parts of the spec's `config.json` that are read or written here. Everything else passes through. */
export interface Spec {
  process?: {
    terminal?: boolean;
    consoleSize?: { height: number; width: number };
    user?: object;
    cwd?: string;
    args?: string[];
    env?: string[];
    capabilities?: Capabilities;
    rlimits?: Limit[];
  };
  root?: { path: string };
  mounts?: { destination: string; type?: string; source?: string; options?: string[] }[];
  linux?: {
    cgroupsPath?: string;
    rootfsPropagation?: string;
    namespaces?: { type: string; path?: string }[];
    maskedPaths?: string[];
    readonlyPaths?: string[];
    seccomp?: Seccomp;
    devices?: SpecDevice[];
    resources?: Resources;
  };
  annotations?: Record<string, string>;
  hooks?: Record<string, unknown[]>;
}

/** Names for things that are made or looked up for this run. Undefined: it is another kind of name. */
export interface Names {
  /** Path of a mount's source. */
  source(source: string, options: readonly string[]): string | undefined;
  /** Path of a namespace. */
  namespace(name: string): string | undefined;
}

/**
 * Writes the bundle into the run's directory, which must exist. Returns the spec. The written file has weights of block
 * devices only if the runtime is to set them.
 */
export function writeBundle(
  launch: processes.Launch,
  paths: Paths,
  runtime: Runtime,
  kernel: Kernel,
  weights = true,
  names?: Names,
): Spec {
  const directory = paths.run(launch.container, launch.run);
  const asked = parseLimited<Spec>(launch.spec, ({ process }) => process?.rlimits);
  const apart = (asked.linux?.namespaces ?? []).some(({ type }) => type === "network");
  for (const file of launch.files)
    writeFile(paths.containerFile(launch.container, file.name), file, apart, launch.publicServers);
  for (const path of launch.directories) makeDirectory(path);
  choosePropagation(asked);
  const spec = resolveSpec(asked, launch, paths, kernel, names);
  const root = paths.rootfs(launch.container);
  makePoints(placeMounts(spec.mounts ?? [], root, launch.closed, runtime.kind === "runc"), kernel);
  applySeccomp(spec, launch.seccomp, runtime);
  writeFileSync(join(directory, "config.json"), specText(weights ? spec : withoutWeights(spec)), { mode: 0o600 });
  return spec;
}

/** Turns names into paths. The container's file system must be mounted, because users are looked up in it. */
export function resolveSpec(spec: Spec, launch: processes.Launch, paths: Paths, kernel: Kernel, names?: Names): Spec {
  const { container } = launch;
  const root = paths.rootfs(container);
  spec.root = { ...spec.root, path: root };
  for (const mount of spec.mounts ?? []) {
    refuseNul(mount.destination);
    refuseNul(mount.source ?? "");
    const made = names?.source(mount.source ?? "", mount.options ?? []);
    if (made !== undefined) mount.source = made;
    else if (mount.source?.startsWith("file:")) mount.source = sourceOfFile(paths, container, mount.source.slice(5));
    else if (mount.source === "init:") mount.source = requireInit();
    else if (mount.source?.startsWith("volume:")) mount.source = paths.volume(mount.source.slice(7));
  }
  for (const namespace of spec.linux?.namespaces ?? [])
    if (namespace.path === "network:") namespace.path = paths.namespace(container);
    else if (namespace.path !== undefined) namespace.path = names?.namespace(namespace.path) ?? namespace.path;
  spec.linux = { ...spec.linux, cgroupsPath: chooseGroup(paths, container, spec.linux?.cgroupsPath) };
  addDevices(spec.linux, launch);
  if (spec.process) addVariables(spec.process, launch, paths);
  if (spec.process) resolveProcess(spec.process, launch, root, kernel);
  if (spec.process && launch.allDevices) spec.process.capabilities = available(spec.process.capabilities ?? {});
  return spec;
}

/** SECRET: they are in the process, and while it runs in the run's bundle and in the runtime's copy of it, both in memory. */
function addVariables(process: NonNullable<Spec["process"]>, { variables }: processes.Launch, paths: Paths): void {
  if (variables.length === 0) return;
  const held = new Set(variables.map(({ name }) => name));
  const others = (process.env ?? []).filter((line) => !held.has(line.split("=", 1)[0]!));
  const own = variables.map(({ name, container }) => `${name}=${readFileSync(secretOf(container, paths), "utf8")}`);
  process.env = [...others, ...own];
}

function withoutWeights(spec: Spec): Spec {
  const { weight, weightDevice, ...blockIO } = spec.linux?.resources?.blockIO ?? {};
  if (weight === undefined && weightDevice === undefined) return spec;
  return { ...spec, linux: { ...spec.linux, resources: { ...spec.linux?.resources, blockIO } } };
}

function addDevices(linux: NonNullable<Spec["linux"]>, launch: processes.Launch): void {
  const { devices, rules } = devicesOf(launch.devices);
  const all = [...(launch.allDevices ? allDevices() : []), ...devices];
  if (all.length > 0) linux.devices = all;
  const given = linux.resources ?? {};
  const blockIO = withRates(given.blockIO, launch.rates, numberOf);
  if (rules.length === 0 && !blockIO) return;
  linux.resources = { ...given, devices: [...(given.devices ?? []), ...rules], ...(blockIO && { blockIO }) };
}

/** For a launch or an exec. `root`: where the container's file system is. */
export function resolveProcess(
  process: NonNullable<Spec["process"]>,
  asked: Asked,
  root: string,
  kernel: Kernel,
): void {
  const { uid, gid, groups, home } = identityOf(asked, root, kernel);
  process.user = { ...process.user, uid, gid, additionalGids: groups };
  if (process.capabilities) process.capabilities = atStart(uid, process.capabilities);
  process.terminal = asked.tty;
  // An empty one counts as missing, as with runc.
  process.env = (process.env ?? []).filter((line) => line !== "HOME=");
  if (!process.env.some((line) => line.startsWith("HOME="))) process.env.push(`HOME=${home}`);
  if (asked.tty && asked.rows > 0 && asked.columns > 0)
    process.consoleSize = { height: asked.rows, width: asked.columns };
}

type Asked = Pick<processes.Launch, "user" | "groups" | "tty" | "rows" | "columns">;

/** The user and groups according to the container's own files. */
export function identityOf({ user, groups }: Pick<Asked, "user" | "groups">, root: string, kernel: Kernel): Identity {
  const read = (path: string): string => readConfined(kernel, root, path, ACCOUNTS_BYTES_MAX);
  const [passwd, group] = ["/etc/passwd", "/etc/group"].map(read);
  return identify(user, groups, passwd ?? "", group ?? "");
}

function makeDirectory(path: string): void {
  refuseNul(path);
  try {
    mkdirSync(path, { recursive: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return; // a file is as good for a bind
    throw fileFailure(error, "mkdir", bytesOf(path));
  }
}

/** The kernel and runtimes written in C end a path at a NUL, so they would use another path. */
function refuseNul(path: string): void {
  if (path.includes("\0")) throw malformed("path", path);
}

const ARCHITECTURES: Partial<Record<NodeJS.Architecture, string>> = { x64: "amd64", ia32: "386" };

/**
 * Compiled filters in base64, by profiles and the capabilities that these depend on. Undefined: there is nothing to
 * compile them with.
 */
const compiled = new Map<string, string | undefined>();
const COMPILED_MAX = 64;

function applySeccomp(spec: Spec, profile: string, runtime: Runtime): void {
  if (profile === "unconfined") return;
  const capabilities = spec.process?.capabilities?.bounding ?? [];
  const architecture = ARCHITECTURES[process.arch] ?? process.arch;
  const chosen = profile === "default" ? DEFAULT_PROFILE : parseProfile(profile);
  const seccomp = applyProfile(chosen, { capabilities, architecture, kernel: release() });
  spec.linux = { ...spec.linux, seccomp };
  if (runtime.kind !== "crun") return;
  const key = keyOf(profile, capabilities);
  if (compiled.size >= COMPILED_MAX) compiled.clear();
  if (!compiled.has(key)) compiled.set(key, base64(compileFilter(seccomp)));
  const filter = compiled.get(key);
  // crun loads this filter as it is and skips the rules. A runtime that does not know the annotation compiles them.
  if (filter) spec.annotations = { ...spec.annotations, "run.oci.seccomp_bpf_data": filter };
}

/** The architecture and the kernel are the same for all filters. */
function keyOf(profile: string, capabilities: readonly string[]): string {
  const named = profile === "default" ? profile : createHash("sha256").update(profile).digest("hex");
  return `${named} ${capabilities.join(" ")}`;
}

function base64(bytes: Uint8Array | undefined): string | undefined {
  return bytes && Buffer.from(bytes).toString("base64");
}
