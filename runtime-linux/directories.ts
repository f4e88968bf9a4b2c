// Directories that the engine makes for itself and takes away again.

import { chmodSync, mkdirSync, readdirSync, rmdirSync } from "node:fs";
import { dirname } from "node:path";

/** Makes a directory that other users cannot get into, if it is not there. Through those above it they can pass. */
export function makePrivate(directory: string): void {
  mkdirSync(dirname(directory), { recursive: true, mode: 0o711 });
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  chmodSync(directory, 0o700);
}

/** Removes a directory unless something is in it, or mounted on it. */
export function removeEmpty(directory: string): void {
  try {
    rmdirSync(directory);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== "ENOENT" && code !== "ENOTEMPTY" && code !== "EBUSY") throw error;
  }
}

/** What is in a directory; nothing if it is not there. */
export function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}
