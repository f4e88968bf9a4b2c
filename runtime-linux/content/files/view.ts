// A container's files as its own processes see them, for use from outside. It uses descriptors below the container's
// root, never paths through the machine's own root. So a process that replaces directories with links cannot lead us
// out of the container.

import * as fs from "node:fs";
import { malformed, noSuch } from "../../../hosts/shared/index.js";
import type { types } from "../../../hosts/shared/index.js";
import { bytesOf, followed } from "../../../hosts/streams/tar/index.js";
import { openConfined } from "../../confine.js";
import { MS_BIND, MS_RDONLY, MS_REC, MS_REMOUNT, O_PATH, type Kernel } from "../../kernel.js";
import { apart } from "../../mounts/mount-namespace.js";
import { Layers } from "../layers/layers.js";
import { mountLayers } from "../overlay.js";
import type { Paths } from "../../paths.js";
import { isAlive, Run } from "../../ends/run.js";
import { fileFailure } from "./file-failure.js";
import { mountedAt, mountIdOf, type Mounted } from "./mounted.js";

export interface Where {
  paths: Paths;
  kernel: Kernel;
}

/** Its paths are absolute. They are bytes, one for each character (see `tar/latin1.ts`). */
export class View {
  readonly #kernel: Kernel;
  readonly #root: number;
  /** The mount that has this id in the kernel. */
  readonly #mounted: (id: number) => Mounted | undefined;
  /** Descriptors that must stay open as long as the view. */
  readonly #held: number[];

  /** `held` starts with the root's descriptor. The others are closed along with it. */
  constructor(kernel: Kernel, mounted: (id: number) => Mounted | undefined, held: number[]) {
    this.#kernel = kernel;
    this.#root = held[0]!;
    this.#mounted = mounted;
    this.#held = held;
  }

  /** Opens a path; the caller closes it. Without O_NOFOLLOW, a link in the last component is followed. */
  open(path: string, flags: number): number {
    return openConfined(this.#kernel, this.#root, Buffer.from(path, "latin1"), flags);
  }

  /**
   * A descriptor that only refers to the path. If it is missing, it is made, and so are its parents, with mode 0755.
   * `call` is the call to name in failures. `owner`: of all that is made; null for root.
   */
  make(path: string, isDirectory: boolean, call: string, owner: { uid: number; gid: number } | null = null): number {
    try {
      return this.open(path, O_PATH);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw fileFailure(error, call, path);
    }
    const slash = path.lastIndexOf("/");
    const parent = this.make(path.slice(0, slash) || "/", true, call, owner);
    const made = Buffer.from(`/proc/self/fd/${parent}${path.slice(slash)}`, "latin1");
    try {
      if (isDirectory) fs.mkdirSync(made, 0o755);
      else fs.closeSync(fs.openSync(made, "wx", 0o755));
      if (owner !== null) fs.lchownSync(made, owner.uid, owner.gid);
    } catch (error) {
      throw fileFailure(error, call, path);
    } finally {
      fs.closeSync(parent);
    }
    return this.open(path, O_PATH);
  }

  /**
   * Where a path leads after all links are followed. Components that do not exist keep their names. The result is only
   * text.
   */
  locate(path: string): string {
    return followed(path, (directory, name) => this.#targetOf(directory, name));
  }

  /** The mount that an open file is on. */
  placeOf(fd: number): Mounted {
    return this.#mounted(mountIdOf(fd)) ?? { destination: "/", readOnly: false };
  }

  /** The device of the container's own files. */
  device(): bigint {
    return fs.fstatSync(this.#root, { bigint: true }).dev;
  }

  close(): void {
    for (const fd of this.#held.splice(0)) fs.closeSync(fd);
  }

  /** Undefined if the name is not a link. */
  #targetOf(directory: string, name: string): string | undefined {
    let parent: number;
    try {
      parent = this.open(directory, O_PATH | fs.constants.O_DIRECTORY);
    } catch {
      return undefined;
    }
    try {
      return fs.readlinkSync(Buffer.from(`/proc/self/fd/${parent}/${name}`, "latin1"), "latin1");
    } catch {
      return undefined;
    } finally {
      fs.closeSync(parent);
    }
  }
}

/** The caller closes it. */
export function openView(view: types.View, { paths, kernel }: Where): View {
  const seen = view.run === undefined ? undefined : viewOfRun(new Run(paths, view.container, view.run), kernel);
  if (seen) return seen;
  const rootfs = paths.rootfs(view.container);
  if (!fs.existsSync(rootfs)) throw noSuch("container", view.container);
  if (view.places.length > 0) return withPlaces(rootfs, view.places, { paths, kernel });
  return new View(kernel, () => undefined, [fs.openSync(rootfs, DIRECTORY)]);
}

/**
 * Opens the root of the run's first process. All mounts of the run come with it, and they stay as long as the view
 * does. Undefined if the run is over.
 */
function viewOfRun(run: Run, kernel: Kernel): View | undefined {
  const process = run.process();
  if (!process) return undefined;
  const { pid } = process;
  const held: number[] = [];
  try {
    held.push(fs.openSync(`/proc/${pid}/root/.`, DIRECTORY), fs.openSync(`/proc/${pid}/ns/mnt`, "r"));
  } catch (error) {
    for (const fd of held) fs.closeSync(fd);
    // A process that is just ending has no root and no mounts any more.
    if (["ENOENT", "ESRCH", "EACCES"].includes((error as NodeJS.ErrnoException).code ?? "")) return undefined;
    throw error;
  }
  // The pid may have been reused: check again that it is the same process, now that its root is open.
  if (isAlive(process)) return new View(kernel, (id) => mountedAt(pid, id), held);
  for (const fd of held) fs.closeSync(fd);
  return undefined;
}

/** Binds the container's mounts in a mount namespace of their own, which ends with the view or with our process. */
function withPlaces(rootfs: string, places: types.Place[], where: Where): View {
  const { kernel } = where;
  const home = fs.openSync("/proc/thread-self/ns/mnt", "r");
  try {
    return apart(kernel, home, () => {
      const mounted = new Map<number, Mounted>();
      const held = [fs.openSync(rootfs, DIRECTORY), fs.openSync("/proc/thread-self/ns/mnt", "r")];
      const view = new View(kernel, (id) => mounted.get(id), held);
      try {
        for (const place of places) mounted.set(bindPlace(view, rootfs, place, where), place);
      } catch (error) {
        view.close();
        throw error;
      }
      return view;
    });
  } finally {
    fs.closeSync(home);
  }
}

/** Returns the mount's id. Makes what is missing on either side, as a start would. */
function bindPlace(view: View, rootfs: string, place: types.Place, where: Where): number {
  const { kernel } = where;
  const source = place.source.startsWith("chain:")
    ? openLayers(place.source, rootfs, where)
    : openSource(place.source, where);
  try {
    const destination = bytesOf(place.destination);
    const target = view.make(destination, fs.fstatSync(source).isDirectory(), "open");
    try {
      kernel.mount(`/proc/self/fd/${source}`, `/proc/self/fd/${target}`, "", MS_BIND | MS_REC, "");
    } finally {
      fs.closeSync(target);
    }
    const top = view.open(destination, O_PATH);
    try {
      if (place.readOnly) kernel.mount("", `/proc/self/fd/${top}`, "", MS_BIND | MS_REMOUNT | MS_RDONLY, "");
      return mountIdOf(top);
    } finally {
      fs.closeSync(top);
    }
  } finally {
    fs.closeSync(source);
  }
}

function openSource(source: string, { paths, kernel }: Where): number {
  const [, volume, below] = /^volume:([^/]+)\/?(.*)$/s.exec(source) ?? [];
  const path = volume === undefined ? source : paths.volume(volume);
  if (path.includes("\0")) throw malformed("path", path);
  if (volume === undefined && !fs.existsSync(path)) fs.mkdirSync(path, { recursive: true });
  return openAt(fs.openSync(path, O_PATH), below ?? "", kernel, `${volume}/${below}`);
}

/**
 * Mounts the files of a chain where nobody else sees them: over the rootfs, which the view holds open below, in the
 * view's own mount namespace. An empty name stands for no files.
 */
function openLayers(source: string, rootfs: string, { paths, kernel }: Where): number {
  const [, chain = "", path = ""] = /^chain:([^/]*)\/?(.*)$/s.exec(source) ?? [];
  kernel.mount("tmpfs", rootfs, "tmpfs", 0, "mode=755");
  const [files, nothing] = [`${rootfs}/files`, `${rootfs}/nothing`];
  for (const directory of [files, nothing]) fs.mkdirSync(directory);
  if (chain !== "") mountLayers(kernel, files, [...new Layers(paths, kernel).stack(chain), nothing]);
  return openAt(fs.openSync(files, DIRECTORY), path, kernel, path);
}

/** A path below an open directory, which is closed; the directory itself for an empty path. `told`: for failures. */
function openAt(directory: number, path: string, kernel: Kernel, told: string): number {
  if (path === "") return directory;
  try {
    return kernel.openInRoot(directory, path, O_PATH);
  } catch (error) {
    throw fileFailure(error, "open", bytesOf(told));
  } finally {
    fs.closeSync(directory);
  }
}

const DIRECTORY = O_PATH | fs.constants.O_DIRECTORY;
