// What is mounted as the files of volumes: directories of the machine, memory, and what servers keep.

import { parseMountOptions, refusedMount } from "../../shared/index.js";
import type { volumes } from "../../shared/index.js";
import { FileError } from "./file-system.js";
import { lookup, type Mount, type MountTable } from "./lookup.js";
import { memoryTree, toldOptions } from "./memory.js";
import { Room } from "./space.js";
import { Tree } from "./tree.js";

export class VolumeMounts {
  readonly #machine: MountTable;
  /** Directories of servers, by type and device. They outlive mounts, and machines that mount them. */
  readonly #shares = new Map<string, Tree>();

  constructor(machine: MountTable) {
    this.#machine = machine;
  }

  /** Throws `mount` if a machine would refuse it. */
  make(mount: volumes.VolumeMount, place: string): Mount {
    const { fileSystem, device, options } = mount;
    const { flags, data } = parseMountOptions(options);
    const about = { readOnly: options.split(",").includes("ro"), source: device, type: fileSystem };
    try {
      return { ...this.#files(mount, place), ...about, options: toldOptions(options.split(",")) };
    } catch (error) {
      if (!(error instanceof FileError)) throw error;
      throw refusedMount({ device, place, mountFlags: flags, data, host: "", error: error.code });
    }
  }

  #files({ fileSystem, device, options }: volumes.VolumeMount, place: string): Pick<Mount, "tree" | "root"> {
    const words = options.split(",");
    if (words.includes("bind") || words.includes("rbind")) return this.#directory(device);
    if (fileSystem === "tmpfs") return whole(memoryTree("tmpfs", place, words));
    if (SERVERS.has(fileSystem)) return whole(this.#share(`${fileSystem} ${device}`));
    throw new FileError("ENODEV", place);
  }

  #directory(path: string): Pick<Mount, "tree" | "root"> {
    const { place } = lookup(this.#machine, path, true, null);
    if (place === null) throw new FileError("ENOENT", path);
    if (place.inode.kind !== "directory") throw new FileError("ENOTDIR", path);
    return { tree: place.mount.tree, root: place.inode };
  }

  #share(name: string): Tree {
    const tree = this.#shares.get(name) ?? new Tree(new Room(Infinity));
    this.#shares.set(name, tree);
    return tree;
  }
}

function whole(tree: Tree): Pick<Mount, "tree" | "root"> {
  return { tree, root: tree.root };
}

/** File systems whose files are on another machine. */
const SERVERS: ReadonlySet<string> = new Set(["nfs", "nfs4", "cifs"]);
