// Mounts that the engine makes itself, beside the bundle of a run, for the runtime to bind. They are removed along with
// the run.

import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join, relative } from "node:path";
import { failureOf, noSuch, placeInVolume } from "../../hosts/shared/index.js";
import { checked } from "../content/filesystems.js";
import { Layers } from "../content/layers/layers.js";
import { mountLayers } from "../content/overlay.js";
import type { Names } from "../launch/bundle.js";
import { confine } from "../confine.js";
import { joinedNamespace, runningOf } from "../launch/joined-namespaces.js";
import { MNT_DETACH, MS_BIND, MS_NODEV, MS_NOEXEC, MS_NOSUID, MS_REC, type Kernel } from "../kernel.js";
import type { Paths } from "../paths.js";
import { hasMount } from "./volume-mounts.js";
import type { Run } from "../ends/run.js";

/** A descriptor that only refers to a path (open(2)). */
const O_PATH = 0o10000000;

export class OwnMounts implements Names {
  readonly #directory: string;

  /** `sharedBytes`: size of the memory that the run shares; 0 for none. */
  constructor(
    readonly run: Run,
    readonly sharedBytes: bigint,
    readonly paths: Paths,
    readonly kernel: Kernel,
  ) {
    this.#directory = directoryOf(run);
  }

  /**
   * Handles non-recursive binds, volumes on which something is mounted, `volume:NAME/PATH` (a path in a volume),
   * `files:CONTAINER/PATH`, `chain:CHAIN/PATH`, and `shm:CONTAINER` (memory that a container shares).
   */
  source(source: string, options: readonly string[]): string | undefined {
    if (source.startsWith("/") && options.includes("bind")) return this.#alone(source);
    if (source.startsWith("shm:")) return this.#memory(source.slice("shm:".length));
    const [, kind, name = "", path] = /^(volume|files|chain):([^/]*)(?:\/(.+))?$/s.exec(source) ?? [];
    if (kind === "files") return this.#below(filesOf(name, this.paths), `files:${name}`, path ?? "");
    if (kind === "chain") {
      const files = this.#layers(name);
      return path === undefined ? files : this.#below(files, `chain:${name}`, path);
    }
    if (kind === undefined) return undefined;
    const volume = this.paths.volume(name);
    return path === undefined ? this.#mounted(volume) : this.#below(volume, name, path);
  }

  namespace(name: string): string | undefined {
    return joinedNamespace(name, this.paths);
  }

  /** The memory lives as long as somebody has it mounted. No container can join it after its owner has gone. */
  #memory(container: string): string {
    if (container !== this.run.container) return memoryPlace(runningOf(container, this.paths).run);
    const target = memoryPlace(this.run);
    mkdirSync(target, { recursive: true });
    const data = `mode=1777,size=${this.sharedBytes}`;
    this.kernel.mount("shm", target, "tmpfs", MS_NOSUID | MS_NODEV | MS_NOEXEC, data);
    return target;
  }

  /**
   * Binds what is mounted on a volume. The runtime may start in a copy of the mount namespace that has only mounts below
   * the exec root (launch/hybrid.ts). Undefined if nothing is mounted there.
   */
  #mounted(files: string): string | undefined {
    if (!hasMount(files)) return undefined;
    const target = this.#place(true);
    this.kernel.mount(files, target, "", MS_BIND | MS_REC, "");
    return target;
  }

  /** Mounts the files of a chain, which nobody can change. An empty name stands for no files. */
  #layers(chain: string): string {
    const target = this.#place(true);
    if (chain === "") return target;
    const layers = new Layers(this.paths, this.kernel).stack(chain);
    // overlayfs needs two directories, and one alone might have marks of its own.
    mountLayers(this.kernel, target, [...layers, this.#place(true)]);
    return target;
  }

  /** Binds it without the mounts below it: crun would always take them along. */
  #alone(source: string): string {
    const target = this.#place(statSync(source).isDirectory());
    this.kernel.mount(source, target, "", MS_BIND, "");
    return target;
  }

  /**
   * Binds a path in a volume or in other files while it is held open. So a process that writes to them cannot replace it
   * with a link that leads out.
   */
  #below(root: string, name: string, path: string): string {
    const held = openBelow(root, path, name);
    try {
      const target = this.#place(fstatSync(held).isDirectory());
      this.kernel.mount(`/proc/self/fd/${held}`, target, "", MS_BIND | MS_REC, "");
      return target;
    } finally {
      closeSync(held);
    }
  }

  #place(isDirectory: boolean): string {
    mkdirSync(this.#directory, { recursive: true, mode: 0o700 });
    const target = join(this.#directory, String(readdirSync(this.#directory).length));
    if (isDirectory) mkdirSync(target);
    else writeFileSync(target, "");
    return target;
  }
}

/** The mounted files of a container. */
function filesOf(container: string, paths: Paths): string {
  const files = paths.rootfs(checked(container));
  if (!existsSync(files)) throw noSuch("file-system", container);
  return files;
}

function memoryPlace(run: Run): string {
  return join(directoryOf(run), "shm");
}

/** Call this before the run's directory is removed: otherwise the contents of the mounts would be deleted. */
export function unmountOwn(run: Run, kernel: Kernel): void {
  const directory = directoryOf(run);
  if (!existsSync(directory)) return;
  for (const name of readdirSync(directory)) unmount(join(directory, name), kernel);
}

/** A path that is not mounted is no error. */
export function unmount(path: string, kernel: Kernel): void {
  try {
    kernel.umount(path, MNT_DETACH);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EINVAL") throw error; // a crash came before the mount
  }
}

function directoryOf(run: Run): string {
  return join(run.directory, "mounts");
}

/** Opens the path name by name. None of the names is a link at the moment when it is opened. */
function openBelow(root: string, path: string, volume: string): number {
  let held = openSync(root, O_PATH | constants.O_DIRECTORY);
  try {
    for (const name of relative(root, confine(root, path)).split("/").filter(Boolean)) {
      const next = openSync(`/proc/self/fd/${held}/${name}`, O_PATH | constants.O_NOFOLLOW);
      closeSync(held);
      held = next;
      if (fstatSync(held).isSymbolicLink()) throw placeInVolume(volume, path, "ELOOP");
    }
    return held;
  } catch (error) {
    closeSync(held);
    const { tag, val } = failureOf(error);
    throw tag === "call" && NOTHING_THERE.includes(val.error) ? placeInVolume(volume, path, val.error) : error;
  }
}

const NOTHING_THERE: readonly string[] = ["ENOENT", "ENOTDIR", "ELOOP"];
