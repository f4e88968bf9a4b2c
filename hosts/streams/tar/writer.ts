// Writes tar headers: ustar if possible, with pax records for values that do not fit.

import { BLOCK, type EntryType, type TarEntry } from "./entry.js";
import { sumOf } from "./header.js";
import { isAscii, latin1Bytes } from "./latin1.js";
import { formatTime, paxRecord } from "./pax.js";
import { joined } from "../../shared/index.js";

/** All blocks before the entry's body. Owners are numeric only. */
export function headerOf(entry: TarEntry): Uint8Array {
  const records = recordsOf(entry);
  if (records === "") return block(entry, FLAG_OF_TYPE[entry.type]);
  const body = latin1Bytes(records);
  const name = `PaxHeaders.0/${entry.name.replace(/\/$/, "").split("/").pop() ?? ""}`.slice(0, 100);
  const extension = { ...NOTHING, name: ascii(name), mode: 0o644, size: body.length };
  return joined([block(extension, "x"), body, paddingOf(body.length), block(entry, FLAG_OF_TYPE[entry.type])]);
}

/** Zeros from the end of a body to the next block. */
export function paddingOf(size: number): Uint8Array {
  return new Uint8Array((BLOCK - (size % BLOCK)) % BLOCK);
}

/** The end of an archive: two blocks of zeros. */
export function endOfArchive(): Uint8Array {
  return new Uint8Array(2 * BLOCK);
}

function recordsOf(entry: TarEntry): string {
  const records: string[] = [];
  const add = (key: string, value: string): void => void records.push(paxRecord(key, value));
  if (!splitName(entry.name)) add("path", entry.name);
  if (entry.target.length > 100 || !isAscii(entry.target)) add("linkpath", entry.target);
  if (entry.size > MOST_OCTAL_11) add("size", String(entry.size));
  if (entry.uid > MOST_OCTAL_7) add("uid", String(entry.uid));
  if (entry.gid > MOST_OCTAL_7) add("gid", String(entry.gid));
  if (!fitsSeconds(entry.mtime)) add("mtime", formatTime(entry.mtime));
  for (const name of [...entry.xattrs.keys()].sort()) add(`SCHILY.xattr.${name}`, entry.xattrs.get(name) ?? "");
  return records.join("");
}

/** A value that does not fit is left out, because a pax record has it. */
function block(entry: TarEntry, flag: string): Uint8Array {
  const made = new Uint8Array(BLOCK);
  const { prefix, name } = splitName(entry.name) ?? { prefix: "", name: ascii(entry.name).slice(0, 100) };
  latin1Bytes(name, made, 0);
  octal(made, entry.mode, 100, 7);
  octal(made, entry.uid > MOST_OCTAL_7 ? 0 : entry.uid, 108, 7);
  octal(made, entry.gid > MOST_OCTAL_7 ? 0 : entry.gid, 116, 7);
  octal(made, entry.size > MOST_OCTAL_11 ? 0 : entry.size, 124, 11);
  const seconds = Number(entry.mtime / 1_000_000_000n);
  octal(made, seconds < 0 || seconds > MOST_OCTAL_11 ? 0 : seconds, 136, 11);
  latin1Bytes(flag, made, 156);
  latin1Bytes(ascii(entry.target).slice(0, 100), made, 157);
  latin1Bytes("ustar\x0000", made, 257);
  octal(made, entry.major, 329, 7);
  octal(made, entry.minor, 337, 7);
  latin1Bytes(prefix, made, 345);
  octal(made, sumOf(made), 148, 6);
  latin1Bytes(" ", made, 155);
  return made;
}

function octal(into: Uint8Array, value: number, at: number, digits: number): void {
  latin1Bytes(value.toString(8).padStart(digits, "0"), into, at);
  into[at + digits] = 0;
}

/** ustar stores up to 155 bytes of directories and up to 100 bytes of name; null if the name does not fit. */
function splitName(name: string): { prefix: string; name: string } | null {
  if (!isAscii(name)) return null;
  if (name.length <= 100) return { prefix: "", name };
  const slash = name.lastIndexOf("/", 155);
  const first = name.indexOf("/", name.length - 101);
  const at = first > 0 && first <= slash ? first : -1;
  return at > 0 && at < name.length - 1 ? { prefix: name.slice(0, at), name: name.slice(at + 1) } : null;
}

function fitsSeconds(time: bigint): boolean {
  return time >= 0n && time % 1_000_000_000n === 0n && time / 1_000_000_000n <= BigInt(MOST_OCTAL_11);
}

function ascii(bytes: string): string {
  return bytes.replace(/[\u0080-\uffff]/g, "_");
}

const MOST_OCTAL_7 = 0o7777777;
const MOST_OCTAL_11 = 0o77777777777;
/** Defaults for an entry without other metadata: owned by root, in 1970. */
export const NOTHING: TarEntry = {
  name: "",
  type: "file",
  mode: 0,
  uid: 0,
  gid: 0,
  size: 0,
  holes: 0,
  mtime: 0n,
  target: "",
  major: 0,
  minor: 0,
  xattrs: new Map(),
};
const FLAG_OF_TYPE: Record<EntryType, string> = {
  file: "0",
  link: "1",
  symlink: "2",
  character: "3",
  block: "4",
  directory: "5",
  fifo: "6",
};
