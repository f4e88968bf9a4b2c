// What stands at a path of a container.

import { closeSync, constants, fstatSync } from "node:fs";
import type { engine } from "../../../hosts/shared/host.js";
import { absolutePath, lastPart } from "../../../hosts/streams/tar/archive-names.js";
import { bytesOf, textOf } from "../../../hosts/streams/tar/latin1.js";
import { O_PATH } from "../../kernel.js";
import { fileFailure } from "./file-failure.js";
import type { View } from "./view.js";

/** Throws `call`: ENOENT, or ENOTDIR when something on the way is no directory. */
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

/** What stands there then, a directory or not. Throws `call` with ENOTDIR when something on the way is no directory. */
export function makeDirectoryIn(view: View, given: string): engine.FileStat {
  const path = view.locate(bytesOf(absolutePath(given)));
  closeSync(view.make(path, true, "lstat"));
  return statIn(view, textOf(path), false);
}

/** A descriptor that names a file and does not read it (O_PATH). */
export function openAt(view: View, path: string, follow: boolean): number {
  try {
    return view.open(path, O_PATH | (follow ? 0 : constants.O_NOFOLLOW));
  } catch (error) {
    throw fileFailure(error, "lstat", path);
  }
}
