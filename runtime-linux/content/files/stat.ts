// Stat and mkdir at a path of a container.

import { closeSync, constants, fstatSync } from "node:fs";
import type { engine } from "../../../hosts/shared/index.js";
import type { Owner } from "./extractor.js";
import { absolutePath, bytesOf, lastPart, textOf } from "../../../hosts/streams/tar/index.js";
import { O_PATH } from "../../kernel.js";
import { fileFailure } from "./file-failure.js";
import type { View } from "./view.js";

/** Throws `call`: ENOENT, or ENOTDIR if a component on the way is not a directory. */
export function statIn(view: View, given: string, follow: boolean): engine.FileStat {
  const path = bytesOf(absolutePath(given));
  const fd = openAt(view, path, follow);
  try {
    const stat = fstatSync(fd, { bigint: true });
    const { destination, readOnly } = view.placeOf(fd);
    return {
      name: textOf(lastPart(path)),
      size: stat.size,
      mode: Number(stat.mode),
      modified: stat.mtimeNs,
      linkTarget: stat.isSymbolicLink() ? textOf(view.locate(path)) : "",
      place: destination,
      readOnly,
    };
  } finally {
    closeSync(fd);
  }
}

/**
 * Makes a directory unless something is there, and describes what is there then. `owner`: of all directories that are made;
 * null for root. Throws `call` with ENOTDIR if a component on the way is not a directory.
 */
export function makeDirectoryIn(view: View, given: string, owner: Owner | null): engine.FileStat {
  const path = view.locate(bytesOf(absolutePath(given)));
  closeSync(view.make(path, true, "lstat", owner));
  return statIn(view, textOf(path), false);
}

/** A descriptor that refers to a file without opening it for reading (O_PATH). */
export function openAt(view: View, path: string, follow: boolean): number {
  try {
    return view.open(path, O_PATH | (follow ? 0 : constants.O_NOFOLLOW));
  } catch (error) {
    throw fileFailure(error, "lstat", path);
  }
}
