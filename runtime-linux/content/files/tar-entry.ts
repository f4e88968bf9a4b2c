// The tar entry for a file of this machine.

import { readlinkSync } from "node:fs";
import type { EntryType, TarEntry } from "../../../hosts/streams/tar/index.js";
import type { Kernel } from "../../kernel.js";
import { splitDevice } from "./copy.js";
import type { Found } from "./walk.js";

/** Remembers the first name of each file that has several. */
export class LinkNames {
  readonly #names = new Map<string, string>();

  /** Undefined for the first name. */
  firstOf(name: string, { dev, ino, nlink }: Found["stat"]): string | undefined {
    if (nlink === 1n) return undefined;
    const key = `${dev} ${ino}`;
    const first = this.#names.get(key);
    if (first === undefined) this.#names.set(key, name);
    return first;
  }
}

/** Undefined for a socket, which a tar cannot hold. `file` is the file's descriptor, or -1 if it is not open. */
export function entryOf(
  { name, path, stat }: Found,
  links: LinkNames,
  kernel: Kernel,
  file = -1,
): TarEntry | undefined {
  const type = typeOf(stat);
  if (!type) return undefined;
  const first = type === "directory" ? undefined : links.firstOf(name, stat);
  const { major, minor } = splitDevice(stat.rdev);
  const entry: TarEntry = {
    name: type === "directory" && !name.endsWith("/") ? `${name}/` : name,
    type: first === undefined ? type : "link",
    mode: Number(stat.mode) & 0o7777,
    uid: Number(stat.uid),
    gid: Number(stat.gid),
    size: type === "file" && first === undefined ? Number(stat.size) : 0,
    holes: 0,
    mtime: stat.mtimeNs,
    target: first ?? (type === "symlink" ? readlinkSync(path, "latin1") : ""),
    major,
    minor,
    xattrs: new Map(),
  };
  if (type !== "symlink" && first === undefined) addCapability(entry, path, file, kernel);
  return entry;
}

function addCapability({ xattrs }: TarEntry, path: Buffer, file: number, kernel: Kernel): void {
  const value = file >= 0 ? kernel.fgetxattr(file, CAPABILITY) : kernel.lgetxattr(path, CAPABILITY);
  if (value) xattrs.set(CAPABILITY, Buffer.from(value).toString("latin1"));
}

function typeOf(stat: Found["stat"]): EntryType | undefined {
  if (stat.isFile()) return "file";
  if (stat.isDirectory()) return "directory";
  if (stat.isSymbolicLink()) return "symlink";
  if (stat.isCharacterDevice()) return "character";
  if (stat.isBlockDevice()) return "block";
  return stat.isFIFO() ? "fifo" : undefined;
}

export const CAPABILITY = "security.capability";
