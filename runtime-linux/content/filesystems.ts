// Containers' file systems: overlayfs over a chain's layers. Each container writes to its own upper directory.

import * as fs from "node:fs";
import { rm, rmdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { HostFailure, malformed } from "../../hosts/shared/index.js";
import type { content } from "../../hosts/shared/index.js";
import { makePrivate, namesIn, removeAll, removeEmpty } from "../directories.js";
import { mountsBelow } from "./files/mounted.js";
import { MNT_DETACH, MS_NODEV, MS_NOEXEC, MS_NOSUID, type Kernel } from "../kernel.js";
import type { Paths } from "../paths.js";
import type { Layers } from "./layers/layers.js";
import { mountOverlay } from "./overlay.js";
import { makeStubs } from "./stubs.js";
import { bytesBelow } from "./measure.js";

export class Filesystems {
  readonly #paths: Paths;
  readonly #kernel: Kernel;
  readonly #layers: Layers;

  constructor(paths: Paths, kernel: Kernel, layers: Layers) {
    this.#paths = paths;
    this.#kernel = kernel;
    this.#layers = layers;
  }

  /** Mounts a container's file system unless it is mounted already. */
  async mount({ container, chain, bare }: content.Mount): Promise<void> {
    const target = this.#paths.rootfs(checked(container));
    if (isMountPoint(target)) return;
    const layers = chain === undefined ? [] : this.#layers.stack(chain);
    const stubs = bare ? undefined : await this.#stubs(chain, layers);
    const [upper, work] = [this.#paths.upper(container), this.#paths.work(container)];
    makePrivate(this.#paths.container(container));
    fs.mkdirSync(work, { recursive: true, mode: 0o700 });
    const bottom = stubs ?? (layers.length === 0 ? this.#nothing(container) : undefined);
    if (fs.mkdirSync(upper, { recursive: true })) fs.chmodSync(upper, 0o755);
    makePrivate(this.#paths.liveContainer(container));
    fs.mkdirSync(target, { recursive: true, mode: 0o700 });
    try {
      await mountOverlay(this.#kernel, target, {
        lower: bottom === undefined ? layers : [bottom, ...layers],
        upper,
        work,
      });
    } catch (error) {
      await this.#removeMountPoint(container);
      throw error;
    }
  }

  /** Unmounts it if it is mounted. */
  async unmount(container: string): Promise<void> {
    const target = this.#paths.rootfs(checked(container));
    if (isMountPoint(target)) await this.#detach(container, target);
    await this.#removeMountPoint(container);
  }

  /** Mounts a container that is nothing but a secret, which is overwritten. */
  async holdSecret({ container, owner, group, mode }: HeldSecret, bytes: Uint8Array): Promise<void> {
    try {
      await this.mountInMemory(container, () => {
        const file = this.#paths.heldSecret(container);
        fs.writeFileSync(file, bytes, { mode: 0o600, flag: "wx" });
        fs.chownSync(file, owner, group);
        fs.chmodSync(file, mode);
      });
    } finally {
      bytes.fill(0);
    }
  }

  /**
   * Mounts a container that is only ever in memory, and fills it. Unlike a tmpfs, a ramfs never goes to a swap area (tmpfs
   * in the kernel's documentation).
   */
  async mountInMemory(container: string, fill: (directory: string) => void | Promise<void>): Promise<void> {
    const target = this.#paths.rootfs(checked(container));
    makePrivate(this.#paths.liveContainer(container));
    fs.mkdirSync(target, { recursive: true, mode: 0o700 });
    try {
      if (!isMountPoint(target)) this.#kernel.mount("ramfs", target, "ramfs", NO_PROGRAMS, "mode=0700");
      await fill(target);
    } catch (error) {
      await this.unmount(container);
      throw error;
    }
  }

  /** Whether nothing is below what a container writes. */
  isAlone(container: string): boolean {
    return fs.existsSync(this.#nothingOf(checked(container)));
  }

  /** Bytes that a container has written. */
  measure(container: string): Promise<bigint> {
    return bytesBelow(this.#paths.upper(checked(container)));
  }

  /**
   * Unmounts a container's file system and removes everything it has on disk. After a crash, `containers` still lists
   * it.
   */
  async drop(container: string): Promise<void> {
    const live = this.#paths.liveContainer(checked(container));
    // A container that never ran has nothing: to ask costs less than to try.
    if (fs.existsSync(live)) await this.#dropLive(container, live);
    const kept = this.#paths.container(container);
    if (!fs.existsSync(kept)) return;
    await rmdir(join(this.#paths.work(container), OVERLAYS)).catch(() => {});
    await removeAll(kept);
  }

  async #dropLive(container: string, live: string): Promise<void> {
    await this.unmount(container);
    if (!fs.existsSync(live)) return;
    await this.#unmountBelow(live);
    await removeAll(live);
  }

  /** Containers whose file system is mounted. */
  mounts(): string[] {
    return namesIn(this.#paths.live()).filter((name) => isId(name) && isMountPoint(this.#paths.rootfs(name)));
  }

  /** Containers that have anything on disk. */
  containers(): string[] {
    const names = new Set([...namesIn(this.#paths.containers()), ...namesIn(this.#paths.live())]);
    return [...names].filter(isId).sort();
  }

  /** Unmounts as often as something is mounted there. */
  async #detach(container: string, target: string): Promise<void> {
    for (let times = 0; times < MOST_MOUNTS && isMountPoint(target); times++) {
      if (fs.statfsSync(target).type === RAMFS_MAGIC) erase(this.#paths.heldSecret(container));
      await this.#unmountOnce(target);
    }
    if (isMountPoint(target)) throw busyMount(target);
  }

  async #unmountOnce(target: string): Promise<void> {
    try {
      await this.#kernel.umountAside(target, 0);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EBUSY") throw error;
      this.#kernel.umount(target, MNT_DETACH);
    }
  }

  /**
   * A run that could not be cleaned up may still have mounts here. Their files belong to somebody else and must not be
   * removed with the directory.
   */
  async #unmountBelow(directory: string): Promise<void> {
    for (const place of mountsBelow(directory).reverse()) this.#kernel.umount(place, MNT_DETACH);
    const [left] = mountsBelow(directory);
    if (left !== undefined) throw busyMount(left);
  }

  /** Also removes the container's directory, unless a run is in it. */
  async #removeMountPoint(container: string): Promise<void> {
    await removeEmpty(this.#paths.rootfs(container));
    await removeEmpty(this.#paths.liveContainer(container));
  }

  /** An empty directory: overlayfs needs at least one lower one. */
  #nothing(container: string): string {
    const nothing = this.#nothingOf(container);
    fs.mkdirSync(nothing, { recursive: true, mode: 0o755 });
    return nothing;
  }

  #nothingOf(container: string): string {
    return join(this.#paths.container(container), "nothing");
  }

  /** The directory of a chain's stubs, which is made once. */
  async #stubs(chain: string | undefined, layers: readonly string[]): Promise<string> {
    const stubs = this.#layers.stubs(chain);
    if (fs.existsSync(stubs)) return stubs;
    const draft = await this.#layers.scratch();
    fs.mkdirSync(`${draft}/stubs`);
    makeStubs(`${draft}/stubs`, layers, this.#kernel);
    fs.mkdirSync(dirname(stubs), { recursive: true, mode: 0o700 });
    // Two containers may start at once; either's stubs will do.
    if (!fs.existsSync(stubs)) fs.renameSync(`${draft}/stubs`, stubs);
    await rm(draft, { recursive: true, force: true });
    return stubs;
  }
}

/** What a secret needs, besides its bytes. */
type HeldSecret = Pick<content.SoughtSecret, "container" | "owner" | "group" | "mode">;

const NO_PROGRAMS = MS_NOSUID | MS_NODEV | MS_NOEXEC;

/** A file system of this type holds a secret or an agent's socket (statfs(2), `f_type`). */
export const RAMFS_MAGIC = 0x858458f6;

/** Crashes of several engines can have left mounts on top of each other. */
const MOST_MOUNTS = 16;

/** The directory that overlayfs makes for itself in a work directory. It keeps nothing in it. */
const OVERLAYS = "work";

/**
 * Overwrites and removes a secret. Unmounting is not enough: whoever has the file open, or the file system mounted
 * elsewhere, keeps it, as a container with a bind of it or a private copy of the machine's mounts.
 */
function erase(file: string): void {
  const size = fs.lstatSync(file, { throwIfNoEntry: false })?.size;
  if (size === undefined) return; // it was never written
  const held = fs.openSync(file, fs.constants.O_WRONLY | fs.constants.O_NOFOLLOW);
  try {
    fs.writeFileSync(held, Buffer.alloc(size));
    fs.ftruncateSync(held);
  } finally {
    fs.closeSync(held);
  }
  fs.unlinkSync(file);
}

/** Something is still mounted there. */
function busyMount(path: string): HostFailure {
  return new HostFailure({ tag: "call", val: { call: "unmount", path, inside: false, error: "EBUSY" } });
}

/** A mount point's device differs from its parent's. */
function isMountPoint(path: string): boolean {
  const at = fs.lstatSync(path, { throwIfNoEntry: false });
  return at !== undefined && at.dev !== fs.lstatSync(`${path}/..`).dev;
}

function isId(name: string): boolean {
  return /^[0-9a-f]{64}$/.test(name);
}

/** The id, if it is safe as a directory's name. */
export function checked(container: string): string {
  if (!isId(container)) throw malformed("container-id", container);
  return container;
}
