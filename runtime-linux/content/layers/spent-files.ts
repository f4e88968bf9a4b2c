// Files that a layer takes over from the place where its tar was made of them. A rename costs less than making the file
// anew and removing the old one. Removals also slow down what comes after them: for minutes, ext4 passes over the number
// of each removed file whenever it looks for a free one.

import { lstatSync, renameSync } from "node:fs";
import { bytesOf } from "../../../hosts/streams/tar/index.js";
import type { TarEntry } from "../../../hosts/streams/tar/index.js";
import type { Kernel } from "../../kernel.js";

export class SpentFiles {
  readonly #root: string;
  readonly #kernel: Kernel;

  constructor(root: string, kernel: Kernel) {
    this.#root = bytesOf(root);
    this.#kernel = kernel;
  }

  /**
   * Moves a file, with its owner, mode and attributes, to a free path. False if it has to be made of the tar, because
   * it is another file than the tar says: a layer must be the same wherever it is unpacked. `name`: as in the tar.
   * Otherwise says whether its time of access is the one of a new file, too.
   */
  move(name: string, entry: TarEntry, to: Buffer): { isFresh: boolean } | false {
    const from = Buffer.from(`${this.#root}/${name}`, "latin1");
    try {
      const there = lstatSync(from, { bigint: true, throwIfNoEntry: false });
      if (there?.isFile() !== true || Number(there.size) !== entry.size || there.mtimeNs !== entry.mtime) return false;
      // Tars of commits do not tell all attributes, such as `user.*` and access lists.
      const known = (attribute: string): boolean => entry.xattrs.has(attribute) || OF_MACHINE.has(attribute);
      if (!this.#kernel.llistxattr(from).every(known)) return false;
      renameSync(from, to);
      return { isFresh: there.atimeNs === entry.mtime };
    } catch (error) {
      if (ELSEWHERE.has((error as NodeJS.ErrnoException).code ?? "")) return false;
      throw error;
    }
  }
}

/** Attributes that are the machine's and no image's: where overlayfs copied a file from, and SELinux's label. */
const OF_MACHINE = new Set(["trusted.overlay.origin", "security.selinux"]);
/** The file is gone, is on another file system or in another quota's project, or cannot be asked for attributes. */
const ELSEWHERE = new Set(["ENOENT", "ENOTDIR", "EXDEV", "ENOTSUP", "EOPNOTSUPP"]);
