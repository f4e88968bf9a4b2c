// Makes an entry from its header block and the pax records that apply to it.

import { damaged } from "../../shared/index.js";
import type { EntryType, TarEntry } from "./entry.js";
import { malformed, ownerOf, type Header } from "./header.js";
import { parseTime } from "./pax.js";

export function entryOf(header: Header, records: ReadonlyMap<string, string>): TarEntry {
  const name = records.get("path") ?? header.name;
  const type = typeOf(header.flag, name);
  const xattrs = new Map<string, string>();
  for (const [key, value] of records) {
    if (key.startsWith(XATTR)) xattrs.set(key.slice(XATTR.length), value);
  }
  const mtime = records.get("mtime");
  const target = records.get("linkpath") ?? header.target;
  if (name.includes("\0") || target.includes("\0")) throw malformed();
  return {
    name,
    type,
    mode: header.mode & 0o7777,
    uid: ownerIn(records, "uid", header.uid),
    gid: ownerIn(records, "gid", header.gid),
    size: type === "file" ? sizeIn(records, header.size) : 0,
    holes: 0,
    mtime: mtime === undefined ? BigInt(header.mtime) * 1_000_000_000n : parseTime(mtime),
    target,
    major: header.major,
    minor: header.minor,
    xattrs,
  };
}

/**
 * v7 has no type for directories, so the end of the complete name decides: a block may hold only the beginning of a
 * long name.
 */
function typeOf(flag: string, name: string): EntryType {
  const type = TYPE_OF_FLAG[flag];
  if (!type) throw damaged("tar-type", String(flag.charCodeAt(0)));
  return (flag === "0" || flag === "7") && name.endsWith("/") ? "directory" : type;
}

function sizeIn(records: ReadonlyMap<string, string>, otherwise: number): number {
  const value = records.get("size");
  if (value === undefined) return otherwise;
  if (!/^\d+$/.test(value) || !Number.isSafeInteger(Number(value))) throw malformed();
  return Number(value);
}

/** Any 64-bit number; the kernel uses 32 bits of it. */
function ownerIn(records: ReadonlyMap<string, string>, key: string, otherwise: number): number {
  const value = records.get(key);
  if (value === undefined) return otherwise;
  if (!/^[+-]?\d{1,40}$/.test(value)) throw malformed();
  const number = BigInt(value.replace("+", ""));
  if (BigInt.asIntN(64, number) !== number) throw malformed();
  return ownerOf(number);
}

const TYPE_OF_FLAG: Record<string, EntryType> = {
  "0": "file",
  "1": "link",
  "2": "symlink",
  "3": "character",
  "4": "block",
  "5": "directory",
  "6": "fifo",
  "7": "file",
  S: "file",
};
const XATTR = "SCHILY.xattr.";
