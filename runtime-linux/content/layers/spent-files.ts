// Files that a layer takes over from the place where its tar was made of them. A rename costs less than making the file
// anew and removing the old one. Removals also slow down what comes after them: for minutes, ext4 passes over the number
// of each removed file whenever it looks for a free one.

import { lstatSync, renameSync } from "node:fs";
import { bytesOf } from "../../../hosts/streams/tar/index.js";

export class SpentFiles {
  readonly #root: string;

  constructor(root: string) {
    this.#root = bytesOf(root);
  }

  /**
   * Moves a file, with its owner, mode and attributes, to a free path. False if it has to be made of the tar. `name`: as
   * in the tar.
   */
  move(name: string, size: number, to: Buffer): boolean {
    const from = Buffer.from(`${this.#root}/${name}`, "latin1");
    try {
      const there = lstatSync(from, { throwIfNoEntry: false });
      if (there?.isFile() !== true || there.size !== size) return false;
      renameSync(from, to);
      return true;
    } catch (error) {
      if (ELSEWHERE.has((error as NodeJS.ErrnoException).code ?? "")) return false;
      throw error;
    }
  }
}

/** The file is gone, or is on another file system or in another quota's project. */
const ELSEWHERE = new Set(["ENOENT", "ENOTDIR", "EXDEV"]);
