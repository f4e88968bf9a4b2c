// Builds what is mounted over a container's file system from the mounts of its OCI config (runtime spec, config.md).

import { noSuch, placeInVolume, refuseClosed } from "../../shared/index.js";
import type { processes } from "../../shared/index.js";
import { followed } from "../../streams/tar/index.js";
import { directoryOf } from "../programs/paths.js";
import { FileError } from "./file-system.js";
import { inode, type Inode } from "./inode.js";
import { lookup, type Mount, type MountTable } from "./lookup.js";
import { memoryTree, toldOptions } from "./memory.js";
import { MountedFiles } from "./mounted-files.js";
import { madeTree, mountsText, type MadeFiles } from "./special.js";
import { Room } from "./space.js";
import { own } from "./own.js";
import { programFile } from "./stubs.js";
import { Tree } from "./tree.js";

/** A mount as in config.json. For the sources of binds see `processes.launch`. */
export interface MountSpec {
  destination: string;
  type?: string;
  source?: string;
  options?: readonly string[];
}

export interface ViewSpec {
  mounts: readonly MountSpec[];
  /** Directories that no bind may expose. */
  closed?: readonly processes.ClosedPlace[];
  /** `root.readonly` of config.json. */
  readOnly?: boolean;
  /** Files of /proc below the usual ones, by their paths below it. Called when a process looks at /proc. */
  proc?: () => MadeFiles;
  /** The same for /sys. */
  sys?: () => MadeFiles;
}

/** Where the sources of binds are looked up. */
export interface Sources {
  now: () => bigint;
  /** Null if there is no such volume. */
  volume(name: string): { tree: Tree; root: Inode } | null;
  /** The mounted files of another container; null if there are none. */
  files(container: string): { tree: Tree; root: Inode } | null;
  /** The files of a chain; an empty name stands for none. Throws `no-such` if a layer is missing. */
  chain(chain: string): { tree: Tree; root: Inode };
  /** The shared memory of a running container; null if it has none. */
  memory(container: string): Tree | null;
  /** A file made for the container itself (`NAME`) or for another one (`CONTAINER/NAME`); null if there is none. */
  made(source: string): { tree: Tree; root: Inode } | null;
  /** The files of the simulated machine. */
  machine: MountTable;
}

/** All mounts of a container's run. Missing mount points are made in the container, as OCI runtimes do. */
export function mountContainer(container: Tree, spec: ViewSpec, sources: Sources): MountTable {
  const root: Mount = { tree: container, root: container.root, readOnly: false, ...ROOT };
  const mounts = new Map<string, Mount>([["/", root]]);
  for (const wanted of spec.mounts) {
    const mount = mountOf(wanted, spec, sources, mounts);
    const isDirectory = mount instanceof MadeMount || mount.root.kind === "directory";
    const files = new MountedFiles(mounts, sources.now);
    const { destination } = wanted;
    const path = placeOf(files, destination);
    refuseClosed({ destination, place: path, shows: (fileSystem) => mount.type === fileSystem }, spec.closed ?? []);
    makePlace(files, path, isDirectory);
    if (path !== "/") mounts.set(path, mount);
    for (const [below, more] of mountsBelow(wanted, sources.machine)) mounts.set(path + below, more);
  }
  root.readOnly = spec.readOnly ?? false;
  return mounts;
}

function mountOf(wanted: MountSpec, spec: ViewSpec, sources: Sources, mounts: MountTable): Mount {
  const { type = "bind", source = "", options = [] } = wanted;
  const isBind = type === "bind" || options.includes("bind") || options.includes("rbind");
  const readOnly = options.includes("ro");
  const from = source.startsWith("shm:") ? MEMORY : DISK;
  if (isBind) return { ...boundSource(source, sources), readOnly, ...from };
  const about = { readOnly, source: source || type, type, options: toldOptions(options) };
  if (type === "proc" || type === "sysfs") return new MadeMount(about, kernelFiles(type, spec, mounts));
  const tree = memoryTree(type, wanted.destination, options);
  return { tree, root: tree.root, ...about };
}

/** The files of /proc or /sys. */
function kernelFiles(type: "proc" | "sysfs", { proc, sys }: ViewSpec, mounts: MountTable): () => MadeFiles {
  if (type === "sysfs") return () => sys?.() ?? new Map();
  return () => new Map([["mounts", () => mountsText(mounts)], ...PROC, ...(proc?.() ?? [])]);
}

/**
 * Builds its tree when a process looks into it: few programs do, and the tree is larger than everything else of a
 * container.
 */
class MadeMount implements Mount {
  readonly readOnly: boolean;
  readonly source: string;
  readonly type: string;
  readonly options: string;
  readonly #files: () => MadeFiles;
  #tree: Tree | null = null;

  constructor({ readOnly, source, type, options }: Omit<Mount, "tree" | "root">, files: () => MadeFiles) {
    this.readOnly = readOnly;
    this.source = source;
    this.type = type;
    this.options = options;
    this.#files = files;
  }

  get tree(): Tree {
    return (this.#tree ??= madeTree(this.#files(), MADE));
  }

  get root(): Inode {
    return this.tree.root;
  }
}

function boundSource(source: string, sources: Sources): { tree: Tree; root: Inode } {
  if (source === "init:") return initProgram();
  if (source.startsWith("file:")) return containerFile(source.slice("file:".length), sources);
  if (source.startsWith("shm:")) return sharedMemory(source.slice("shm:".length), sources);
  const [, kind, name = "", path = ""] = /^(volume|files|chain):([^/]*)\/?(.*)$/s.exec(source) ?? [];
  if (kind === undefined) return machineFile(source, sources);
  const files = kind === "volume" ? sources.volume(name) : kind === "files" ? sources.files(name) : sources.chain(name);
  if (files === null) throw noSuch(kind === "volume" ? "volume" : "file-system", name);
  return path.length > 0 ? { ...files, root: below(files, kind === "volume" ? name : `${kind}:${name}`, path) } : files;
}

function sharedMemory(container: string, sources: Sources): { tree: Tree; root: Inode } {
  const tree = sources.memory(container);
  if (tree === null) throw noSuch("run", container);
  return { tree, root: tree.root };
}

/** No link leads out of the volume: links are resolved with the volume as the root. */
function below(files: { tree: Tree; root: Inode }, volume: string, path: string): Inode {
  const about = { ...files, readOnly: true, source: volume, type: "ext4", options: "" };
  try {
    const { place } = lookup(new Map([["/", about]]), `/${path}`, true, null);
    if (place !== null) return own(place, path);
  } catch (error) {
    throw error instanceof FileError ? placeInVolume(volume, path, error.code) : error;
  }
  throw placeInVolume(volume, path, "ENOENT");
}

/** The file of the init program. Nobody can change it. */
function initProgram(): { tree: Tree; root: Inode } {
  const tree = new Tree(MADE);
  return { tree, root: inode("file", null, { mode: 0o755, bytes: programFile("docker-init") }) };
}

function containerFile(name: string, { made }: Sources): { tree: Tree; root: Inode } {
  const file = made(name);
  if (file === null) throw noSuch("container-file", name);
  return file;
}

function machineFile(source: string, { machine }: Sources): { tree: Tree; root: Inode } {
  const { place } = lookup(machine, source, true, null);
  if (place === null) throw new FileError("ENOENT", source);
  return { tree: place.mount.tree, root: place.inode };
}

/** The volumes that a recursive bind of the machine's files (mount(8), --rbind) includes, by their paths below it. */
function mountsBelow({ source = "", options = [] }: MountSpec, machine: MountTable): [string, Mount][] {
  if (!source.startsWith("/") || !options.includes("rbind")) return [];
  const { path = "/" } = lookup(machine, source, true, null).place ?? {};
  const top = path === "/" ? "" : path;
  return [...machine]
    .filter(([place]) => place.startsWith(`${top}/`) && place !== "/")
    .map(([place, mount]) => [place.slice(top.length), mount]);
}

/** The path of a mount point, with links followed within the container. Parts that do not exist are kept by name. */
function placeOf(files: MountedFiles, destination: string): string {
  return followed(destination, (directory, name) =>
    targetOf(files, directory === "/" ? `/${name}` : `${directory}/${name}`),
  );
}

/** Undefined if the file is not a link. */
function targetOf(files: MountedFiles, path: string): string | undefined {
  const status = existing(() => files.linkStatus(path));
  return status?.kind === "symlink" ? status.target : undefined;
}

/** The path holds no links. */
function makePlace(files: MountedFiles, path: string, isDirectory: boolean): void {
  if (path === "/" || existing(() => files.status(path))) return;
  makePlace(files, directoryOf(path), true);
  if (isDirectory) files.makeDirectory(path);
  else files.write(path, new Uint8Array(0));
}

/** Undefined if the file does not exist. */
function existing<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch (error) {
    if (error instanceof FileError && (error.code === "ENOENT" || error.code === "ENOTDIR")) return undefined;
    throw error;
  }
}

const DISK = { source: "/dev/vda1", type: "ext4", options: "relatime" };
const MEMORY = { source: "shm", type: "tmpfs", options: "nosuid,nodev,noexec,relatime" };
const ROOT = { source: "overlay", type: "overlay", options: "relatime" };
/** Files that the kernel makes take no room on the disk. */
const MADE = new Room(Infinity);
const PROC: [string, () => string][] = [
  ["filesystems", () => "nodev\tsysfs\nnodev\ttmpfs\nnodev\tproc\nnodev\toverlay\n\text4\n"],
  ["version", () => "Linux version 6.1.0-coracle (simulated)\n"],
];
