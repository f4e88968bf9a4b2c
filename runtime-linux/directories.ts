// Directories that the engine makes for itself and takes away again.

import { rmdirSync } from "node:fs";

/** Removes a directory unless something is in it, or mounted on it. */
export function removeEmpty(directory: string): void {
  try {
    rmdirSync(directory);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== "ENOENT" && code !== "ENOTEMPTY" && code !== "EBUSY") throw error;
  }
}
