// Carries out `volumes` commands. Volumes are trees that outlive containers.

import { malformed, noSuch } from "../shared/index.js";
import type { Outcome, Perform, volumes } from "../shared/index.js";
import { roomed } from "./content/room.js";
import type { Disk, VolumeFiles } from "./files/disk.js";
import { FileError } from "./files/file-system.js";
import { copyOf, spaceOf, type Inode } from "./files/inode.js";
import { lookup } from "./files/lookup.js";
import type { Tree } from "./files/tree.js";

export interface SimulatedVolumes {
  perform: Perform<volumes.VolumeCommand>;
  /** For the inventory: existing volumes. */
  names(): string[];
}

export function simulatedVolumes(disk: Disk): SimulatedVolumes {
  return {
    perform: async (_op, command) => perform(disk, command),
    names: () => [...disk.volumes.keys()].sort(),
  };
}

function perform(disk: Disk, command: volumes.VolumeCommand): Outcome {
  switch (command.tag) {
    case "make":
      disk.makeVolume(checked(command.val));
      break;
    case "mount":
      checked(command.val.name);
      disk.mountVolume(command.val);
      break;
    case "unmount":
      disk.unmountVolume(command.val);
      break;
    case "populate":
      populate(disk, command.val);
      break;
    case "find":
      find(disk, command.val);
      break;
    case "measure":
      return { tag: "size", val: BigInt(disk.volumes.get(checked(command.val))?.share.used ?? 0) };
    case "drop":
      disk.dropVolume(command.val);
  }
  return { tag: "done" };
}

function find(disk: Disk, path: string): void {
  try {
    disk.machine.status(path);
  } catch (error) {
    if (error instanceof FileError) throw noSuch("machine-file", path);
    throw error;
  }
}

/** Copies files with their modes, owners and times. Into the disk's own files it does so completely or not at all. */
function populate(disk: Disk, command: volumes.Populate): void {
  const volume = disk.volumes.get(checked(command.name));
  if (!volume) throw noSuch("volume", command.name);
  fill(disk, volume, command);
  const { root } = command;
  if (root) Object.assign(volume.tree.root, { mode: root.mode, uid: root.user, gid: root.group });
}

function fill(disk: Disk, volume: VolumeFiles, { container, path, mount }: volumes.Populate): void {
  const source = directoryAt(disk, container, path);
  if (source === null) return;
  if (mount) disk.mountVolume(mount);
  const { tree, root } = volume.mounted ?? { tree: volume.tree, root: volume.tree.root };
  if (root.entries.size > 0) return;
  try {
    roomed(() => copyInto(tree, root, source, path, new Map()));
  } catch (error) {
    if (volume.mounted) throw error;
    root.entries.clear();
    volume.share.release();
    throw error;
  }
}

/** Null if there is no directory. */
function directoryAt(disk: Disk, container: string, path: string): Inode | null {
  const mounts = disk.mountsOf(container);
  if (mounts === null) return null;
  try {
    const found = lookup(mounts, path, true, null).place?.inode;
    return found?.kind === "directory" ? found : null;
  } catch (error) {
    if (error instanceof FileError) return null;
    throw error;
  }
}

/** Copies everything below a directory, and the directory's own attributes. */
function copyInto(tree: Tree, into: Inode, from: Inode, path: string, copies: Map<Inode, Inode>): void {
  const { mode, uid, gid, modified, xattrs } = from;
  Object.assign(into, { mode, uid, gid, modified, xattrs });
  for (const [name, file] of from.entries) {
    const place = `${path}/${name}`;
    const copy = copies.get(file) ?? copyOf(file, tree);
    into.entries.set(name, copy);
    if (copies.has(file)) copy.links++;
    else tree.space.take(spaceOf(copy), place);
    copies.set(file, copy);
    if (file.kind !== "directory") continue;
    copy.origin = null;
    copy.entries = new Map();
    copyInto(tree, copy, file, place, copies);
  }
}

function checked(name: string): string {
  if (!/^[a-zA-Z0-9][a-zA-Z0-9_.-]*$/.test(name)) throw malformed("volume-name", name);
  return name;
}
