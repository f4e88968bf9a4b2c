// A container's files as its processes see them, from outside: by descriptors below its root, never by names that lead
// through the machine's own. A process that swaps directories for links meanwhile gets whoever looks nowhere else.

import * as fs from "node:fs";
import { malformed, noSuch } from "../../../hosts/shared/failure.js";
import type { types } from "../../../hosts/shared/host.js";
import { followed } from "../../../hosts/streams/tar/archive-names.js";
import { bytesOf } from "../../../hosts/streams/tar/latin1.js";
import { openConfined } from "../../confine.js";
import { MS_BIND, MS_RDONLY, MS_REC, MS_REMOUNT, O_PATH, type Kernel } from "../../kernel.js";
import { apart } from "../../mounts/mount-namespace.js";
import type { Paths } from "../../paths.js";
import { isAlive, Run } from "../../ends/run.js";
import { fileFailure } from "./file-failure.js";
import { mountedAt, mountIdOf, type Mounted } from "./mounted.js";

export interface Where {
  paths: Paths;
  kernel: Kernel;
}

/** Paths in it are absolute, bytes, one per character (see `tar/latin1.ts`). */
export class View {
  readonly #kernel: Kernel;
  readonly #root: number;
  /** What is mounted where, by the kernel's number of the mount. */
  readonly #mounted: (id: number) => Mounted | undefined;
  /** Descriptors that it lives by. */
  readonly #held: number[];

  /** `held`: its root's descriptor, and others that are to be closed with it. */
  constructor(kernel: Kernel, mounted: (id: number) => Mounted | undefined, held: number[]) {
    this.#kernel = kernel;
    this.#root = held[0]!;
    this.#mounted = mounted;
    this.#held = held;
  }

  /** Opens a path; the caller closes it. Without O_NOFOLLOW a link in the last place is followed. */
  open(path: string, flags: number): number {
    return openConfined(this.#kernel, this.#root, Buffer.from(path, "latin1"), flags);
  }

  /**
   * The same, to name it; made like that if it is not there, its directories of mode 0755. `call`: what a failure is told
   * of.
   */
  make(path: string, isDirectory: boolean, call: string): number {
    try {
      return this.open(path, O_PATH);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw fileFailure(error, call, path);
    }
    const slash = path.lastIndexOf("/");
    const parent = this.make(path.slice(0, slash) || "/", true, call);
    const made = Buffer.from(`/proc/self/fd/${parent}${path.slice(slash)}`, "latin1");
    try {
      if (isDirectory) fs.mkdirSync(made, 0o755);
      else fs.closeSync(fs.openSync(made, "wx", 0o755));
    } catch (error) {
      throw fileFailure(error, call, path);
    } finally {
      fs.closeSync(parent);
    }
    return this.open(path, O_PATH);
  }

  /** Where a path leads once all links are followed; what does not exist is kept by name. A text, and no more. */
  locate(path: string): string {
    return followed(path, (directory, name) => this.#targetOf(directory, name));
  }

  /** In which place an open file is. */
  placeOf(fd: number): Mounted {
    return this.#mounted(mountIdOf(fd)) ?? { destination: "/", readOnly: false };
  }

  /** The device of its own files. */
  device(): bigint {
    return fs.fstatSync(this.#root, { bigint: true }).dev;
  }

  close(): void {
    for (const fd of this.#held.splice(0)) fs.closeSync(fd);
  }

  /** Undefined for what is no link. */
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
 * Its first process's root: with it come all mounts of the run, which stay as long as the view does. Undefined for a run
 * that is over.
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
    // One that is just ending has neither any more.
    if (["ENOENT", "ESRCH", "EACCES"].includes((error as NodeJS.ErrnoException).code ?? "")) return undefined;
    throw error;
  }
  // Now that it is open it must still be the process that was meant.
  if (isAlive(process)) return new View(kernel, (id) => mountedAt(pid, id), held);
  for (const fd of held) fs.closeSync(fd);
  return undefined;
}

/** Binds its places in a mount namespace of their own, which ends with the view, or with us. */
function withPlaces(rootfs: string, places: types.Place[], where: Where): View {
  const { kernel } = where;
  const home = fs.openSync("/proc/thread-self/ns/mnt", "r");
  try {
    return apart(kernel, home, () => {
      const mounted = new Map<number, Mounted>();
      const held = [fs.openSync(rootfs, DIRECTORY), fs.openSync("/proc/thread-self/ns/mnt", "r")];
      const view = new View(kernel, (id) => mounted.get(id), held);
      try {
        for (const place of places) mounted.set(bindPlace(view, place, where), place);
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

/** The number of the mount. What is missing on either side is made, as a start would. */
function bindPlace(view: View, place: types.Place, where: Where): number {
  const { kernel } = where;
  const source = openSource(place.source, where);
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
  const fd = fs.openSync(path, O_PATH);
  if (!below) return fd;
  try {
    return kernel.openInRoot(fd, below, O_PATH);
  } catch (error) {
    throw fileFailure(error, "open", bytesOf(`${volume}/${below}`));
  } finally {
    fs.closeSync(fd);
  }
}

const DIRECTORY = O_PATH | fs.constants.O_DIRECTORY;
