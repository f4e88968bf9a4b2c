// A file as a client describes it, as the entry of a tar.

import { NOTHING, bytesOf } from "../../streams/tar/index.js";
import type { EntryType, TarEntry } from "../../streams/tar/index.js";
import type { Fields } from "../messages/codec.js";
import {
  CHARACTER,
  DEVICE,
  DIRECTORY,
  IRREGULAR,
  PERMISSIONS,
  PIPE,
  SETGID,
  SETUID,
  SOCKET,
  STICKY,
  SYMLINK,
} from "./modes.js";

/** Null for what no tar holds: a socket, or something that is unknown. */
export function entryOf(stat: Fields): TarEntry | null {
  const mode = Number(stat.mode ?? 0);
  const target = String(stat.linkname ?? "");
  const type = typeOf(mode, target);
  if (type === null) return null;
  const path = String(stat.path ?? "");
  return {
    ...NOTHING,
    name: bytesOf(type === "directory" ? `${path}/` : path),
    type,
    mode: permissionsOf(mode),
    uid: Number(stat.uid ?? 0),
    gid: Number(stat.gid ?? 0),
    size: type === "file" ? Math.max(0, Number(stat.size ?? 0)) : 0,
    mtime: BigInt((stat.modTime as number | string | undefined) ?? 0),
    target: type === "link" || type === "symlink" ? bytesOf(target) : "",
    major: Number(stat.devmajor ?? 0),
    minor: Number(stat.devminor ?? 0),
    xattrs: attributesOf((stat.xattrs as Fields | undefined) ?? {}),
  };
}

/** Whether a client sends bytes for it. It may be a hard link, whose bytes are another file's. */
export function hasBytes(stat: Fields): boolean {
  return typeOf(Number(stat.mode ?? 0), "") === "file";
}

/** A file with a target is a hard link. */
function typeOf(mode: number, target: string): EntryType | null {
  if (mode >= DIRECTORY) return "directory";
  if (mode & SYMLINK) return "symlink";
  if (mode & DEVICE) return mode & CHARACTER ? "character" : "block";
  if (mode & PIPE) return "fifo";
  if (mode & (SOCKET | IRREGULAR | CHARACTER)) return null;
  return target === "" ? "file" : "link";
}

function permissionsOf(mode: number): number {
  const special = (mode & SETUID ? 0o4000 : 0) | (mode & SETGID ? 0o2000 : 0) | (mode & STICKY ? 0o1000 : 0);
  return (mode & PERMISSIONS) | special;
}

function attributesOf(values: Fields): Map<string, string> {
  const attributes = new Map<string, string>();
  for (const [name, value] of Object.entries(values)) {
    attributes.set(bytesOf(name), Array.from(value as Uint8Array, (byte) => String.fromCharCode(byte)).join(""));
  }
  return attributes;
}
