// Carries out `volumes` commands: directories that outlive containers.

import * as fs from "node:fs";
import { copyFile as copyBeside, mkdtemp, open, rename } from "node:fs/promises";
import { dirname } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import { malformed, noSuch } from "../hosts/shared/index.js";
import type { Operation, Outcome, Perform, volumes } from "../hosts/shared/index.js";
import { confine } from "./confine.js";
import { bytesOf } from "../hosts/streams/tar/index.js";
import { copyAttributes, copyFile, hasHoles, piecesCopied } from "./content/files/copy.js";
import { namesIn, removeTree, syncPath } from "./directories.js";
import { bytesBelow } from "./content/measure.js";
import { walk, type Found } from "./content/files/walk.js";
import type { Kernel } from "./kernel.js";
import { mountVolume, refuseMounted, unmountVolume } from "./mounts/volume-mounts.js";
import type { Paths } from "./paths.js";
import { UNTOLD, type Swept } from "./swept.js";
import { throwIfGivenUp, UnderWay, unlessGivenUp } from "./under-way.js";

export interface LinuxVolumes {
  perform: Perform<volumes.VolumeCommand>;
  /** Aborts the filling of a volume; the next one starts from the beginning. */
  abandon(op: Operation): void;
  /** Finishes removals of volumes that a crash has interrupted. Call it when nothing is in flight. */
  sweep(): Promise<void>;
  /** For the inventory: existing volumes. */
  names(): string[];
}

export interface VolumesNeeds {
  paths: Paths;
  kernel: Kernel;
  swept?: Swept;
}

export function linuxVolumes({ paths, kernel, swept = UNTOLD }: VolumesNeeds): LinuxVolumes {
  const directories = new Volumes(paths, kernel);
  return {
    perform: (op, command) => directories.perform(op, command),
    abandon: (op) => directories.underWay.abandon(op),
    sweep: () => directories.sweep(swept),
    names: () => namesIn(paths.volumes()).filter(isName),
  };
}

class Volumes {
  readonly underWay = new UnderWay();

  constructor(
    readonly paths: Paths,
    readonly kernel: Kernel,
  ) {}

  async perform(op: Operation, command: volumes.VolumeCommand): Promise<Outcome> {
    switch (command.tag) {
      case "make":
        this.#make(command.val);
        break;
      case "mount":
        this.#make(command.val.name);
        await mountVolume(this.kernel, command.val, this.paths.volume(command.val.name));
        break;
      case "unmount":
        unmountVolume(this.kernel, this.paths.volume(checked(command.val)));
        break;
      case "populate":
        await this.underWay.run(op, (signal) => this.#populate(command.val, signal));
        if (command.val.root) await this.#own(command.val.name, command.val.root);
        break;
      case "find":
        this.#find(command.val);
        break;
      case "measure":
        return { tag: "size", val: await this.#measure(command.val) };
      case "drop":
        await this.#drop(command.val);
    }
    return { tag: "done" };
  }

  async sweep(swept: Swept): Promise<void> {
    for (const name of namesIn(this.paths.volumes())) {
      if (!name.startsWith(TRASH)) continue;
      const place = `${this.paths.volumes()}/${name}`;
      swept(place, "a volume was being removed");
      // A file that cannot be deleted must not keep the engine from starting. The next start tries again.
      await removeTree(place).catch((error: unknown) => swept(place, `it cannot be deleted: ${String(error)}`));
    }
  }

  #make(name: string): void {
    const data = this.paths.volume(checked(name));
    fs.mkdirSync(dirname(data), { recursive: true, mode: 0o701 });
    try {
      fs.mkdirSync(data);
    } catch (error) {
      // Nothing else looks at it: a file system may be mounted on it whose server does not answer.
      if ((error as NodeJS.ErrnoException).code === "EEXIST") return;
      throw error;
    }
    fs.chmodSync(data, 0o755);
  }

  #find(path: string): void {
    if (path.includes("\0") || !fs.existsSync(path)) throw noSuch("machine-file", path);
  }

  /**
   * If a crash or an abort interrupts the copy, the next one for the same container starts from the beginning. A mark
   * beside the files names the container. It is on disk before the files. It is removed once they are complete and before
   * that container may write to them. Another container may have written to files of an interrupted copy, so its own copy
   * keeps them, as it keeps all files that it finds.
   */
  async #populate({ name, container, path, mount }: volumes.Populate, signal: AbortSignal): Promise<void> {
    const data = this.paths.volume(checked(name));
    const mark = `${dirname(data)}/populating`;
    const source = confine(this.paths.rootfs(container), path);
    if (!isDirectory(source)) return;
    if (mount) return this.#fillMounted(mount, source, signal);
    if (fs.readdirSync(data).length > 0) {
      if (!fs.existsSync(mark)) return;
      if (fs.readFileSync(mark, "utf8") !== container) return fs.rmSync(mark);
      await this.#empty(data);
    }
    if (fs.readdirSync(source).length === 0) return copyAttributes(Buffer.from(source), Buffer.from(data), this.kernel);
    fs.writeFileSync(mark, container);
    await syncPath(dirname(data));
    await this.#copy(source, data, signal);
    fs.rmSync(mark);
    await syncPath(dirname(data));
  }

  /** Gives the volume's own directory an owner and a mode. They are on disk before a record says that it has them. */
  async #own(name: string, { user, group, mode }: volumes.DirectoryOwner): Promise<void> {
    const data = this.paths.volume(checked(name));
    fs.chownSync(data, user, group);
    fs.chmodSync(data, mode);
    for (const directory of [data, dirname(data), this.paths.volumes()]) await syncPath(directory);
  }

  /**
   * What is mounted may be used by others at any time: files are never removed from it. So a copy that was interrupted
   * is not repeated.
   */
  async #fillMounted(mount: volumes.VolumeMount, source: string, signal: AbortSignal): Promise<void> {
    const data = this.paths.volume(mount.name);
    await mountVolume(this.kernel, mount, data);
    if (fs.readdirSync(data).length > 0 || fs.readdirSync(source).length === 0) return;
    await this.#copy(source, data, signal);
  }

  /** Removes the old contents by moving them to another directory. */
  async #empty(data: string): Promise<void> {
    const trash = await mkdtemp(`${this.paths.volumes()}/${TRASH}`);
    for (const name of fs.readdirSync(data, "buffer"))
      fs.renameSync(Buffer.concat([Buffer.from(`${data}/`), name]), Buffer.concat([Buffer.from(`${trash}/`), name]));
    await removeTree(trash);
  }

  /** Resolves when the copy is on disk. A failed write is told only to files that were open before (syncfs(2)). */
  async #copy(source: string, data: string, signal: AbortSignal): Promise<void> {
    const before = await open(data);
    let flushed = Promise.resolve();
    try {
      await copyTree(source, data, this.kernel, signal);
      flushed = this.kernel.syncfs(before.fd);
      await unlessGivenUp(signal, flushed);
    } finally {
      void flushed.catch(() => {}).then(() => before.close());
    }
  }

  async #measure(name: string): Promise<bigint> {
    const data = this.paths.volume(checked(name));
    if (!fs.existsSync(data)) throw noSuch("volume", name);
    return bytesBelow(data);
  }

  async #drop(name: string): Promise<void> {
    const place = `${this.paths.volumes()}/${checked(name)}`;
    if (!fs.existsSync(place)) return;
    unmountVolume(this.kernel, this.paths.volume(name));
    refuseMounted(place);
    // One rename, so that a crash does not leave half of it.
    const trash = await mkdtemp(`${this.paths.volumes()}/${TRASH}`);
    await rename(place, `${trash}/volume`);
    // The volume is gone. What cannot be deleted of it is tried again at the next start.
    await removeTree(trash).catch(() => {});
  }
}

/** Copies everything below a directory, and the directory's own attributes. */
async function copyTree(from: string, to: string, kernel: Kernel, signal: AbortSignal): Promise<void> {
  const root = bytesOf(to);
  const at = (name: string): Buffer => Buffer.from(`${root}/${name}`, "latin1");
  /** The first copy of each file that has several names. */
  const copies = new Map<bigint, Buffer>();
  const directories: [from: Buffer, to: Buffer][] = [[Buffer.from(from), Buffer.from(to)]];
  const source = bytesOf(from);
  for await (const found of walk(from)) {
    throwIfGivenUp(signal);
    const target = at(found.name);
    if (found.stat.isDirectory()) {
      fs.mkdirSync(target);
      directories.push([Buffer.from(`${source}/${found.name}`, "latin1"), target]);
    } else {
      await copyOne(found, target, copies, kernel, signal);
    }
  }
  // At the end, the deepest first, since every file that is put into a directory changes its times.
  for (const [directory, copy] of directories.reverse()) copyAttributes(directory, copy, kernel);
}

async function copyOne(
  { path, stat }: Found,
  to: Buffer,
  copies: Map<bigint, Buffer>,
  kernel: Kernel,
  signal: AbortSignal,
): Promise<void> {
  const copy = stat.nlink > 1n ? copies.get(stat.ino) : undefined;
  if (copy) return fs.linkSync(copy, to);
  copies.set(stat.ino, to);
  if (hasHoles(stat)) {
    for (const _ of piecesCopied(path, to, kernel)) await unlessGivenUp(signal, turn());
    return copyAttributes(path, to, kernel);
  }
  if (stat.isFile() && stat.size > LARGE) {
    const how = fs.constants.COPYFILE_EXCL | fs.constants.COPYFILE_FICLONE;
    await unlessGivenUp(signal, copyBeside(path, to, how));
    return copyAttributes(path, to, kernel);
  }
  copyFile(path, to, kernel);
}

function isDirectory(path: string): boolean {
  try {
    return fs.lstatSync(path).isDirectory();
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes((error as NodeJS.ErrnoException).code ?? "")) return false;
    throw error;
  }
}

function isName(name: string): boolean {
  return /^[a-zA-Z0-9][a-zA-Z0-9_.-]*$/.test(name);
}

/** The name, if it is safe as a directory's name. */
function checked(name: string): string {
  if (!isName(name)) throw malformed("volume-name", name);
  return name;
}

/** No volume's name starts like this. */
const TRASH = ".dropped-";
/** A file of this size or more is copied off the main thread. */
const LARGE = 1n << 20n;
