// Where copies are put, and the directories that are made for them.

import type { content } from "../../shared/index.js";
import { bytesOf } from "../tar/index.js";
import type { TarEntry } from "../tar/index.js";
import { joinedPath, relative } from "./below.js";
import type { CopyTarget } from "./source.js";

/** What the copies get instead of their own. */
export interface CopiedAttributes {
  owner: Owner | null;
  mode: readonly content.ModeChange[];
}

export interface Owner {
  uid: number;
  gid: number;
}

/** All are paths from the root, without a slash at either end. */
export interface FoundPlace {
  /** Of the copy, with the links of its directory resolved. */
  path: string;
  /** The directory that has it, if the copy has a name; otherwise the path. */
  directory: string;
  /** Below the directory; "" if it has none. */
  name: string;
}

export function placeOf({ path, name = "" }: content.CopyPlace, target: CopyTarget): FoundPlace {
  const directory = relative(target.locate(path));
  const clean = relative(name);
  return { path: joinedPath(directory, clean), directory, name: clean };
}

/** Makes a directory and those above it, as far as they are missing. */
export async function makeDirectories(directory: string, target: CopyTarget, owner: Owner | null): Promise<void> {
  for (let end = directory.indexOf("/"); end !== -1; end = directory.indexOf("/", end + 1)) {
    await makeDirectory(directory.slice(0, end), target, owner);
  }
  if (directory !== "") await makeDirectory(directory, target, owner);
}

async function makeDirectory(path: string, target: CopyTarget, owner: Owner | null): Promise<void> {
  if (target.has(`/${path}`)) return;
  await target.sink.entry({ ...madeEntry(path, target, owner), type: "directory", mode: 0o755 });
}

/** An entry for a file that is made here. */
export function madeEntry(
  path: string,
  target: CopyTarget,
  owner: Owner | null,
): Omit<TarEntry, "type" | "mode"> & { mode: number } {
  const { uid, gid } = owner ?? { uid: 0, gid: 0 };
  const nothing = { size: 0, holes: 0, target: "", major: 0, minor: 0, xattrs: new Map<string, string>() };
  return { ...nothing, name: bytesOf(path), mode: 0, uid, gid, mtime: target.now() };
}

/** The directory above a path; "" for the root. */
export function directoryOf(path: string): string {
  return path.slice(0, Math.max(path.lastIndexOf("/"), 0));
}
