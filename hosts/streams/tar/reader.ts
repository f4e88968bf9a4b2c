// Reads a tar as it comes, a chunk at a time, and tells a sink what is in it. Not the tar-stream package: that decodes
// pax records as UTF-8, which loses the bytes of `security.capability`, and costs two streams an entry.

import { HostFailure } from "../../failure.js";
import { joined } from "../bytes.js";
import { BLOCK, type EntryType, type TarEntry } from "./entry.js";
import { malformed, parseHeader, type Header } from "./header.js";
import { latin1Of } from "./latin1.js";
import { parsePax, parseTime } from "./pax.js";

/** What is done with a tar's entries. May throw. */
export interface TarSink {
  /** A new entry. Of a file, `size` bytes follow by `data`. Nothing more is told before the promise resolves. */
  entry(entry: TarEntry): Promise<void> | void;
  /** A piece of the file's body, valid until the promise resolves; nothing more is told before. */
  data(piece: Uint8Array): Promise<void> | void;
  /** The file's body is whole. Nothing more is told before its promise resolves. */
  end(): Promise<void> | void;
}

/** What the bytes at hand belong to. */
enum Part {
  Header,
  /** Body of a pax or GNU header, kept in memory. */
  Extension,
  /** Body of a file. */
  Body,
  /** Zeros up to the next block. */
  Padding,
  /** Whatever comes after the end. */
  Rest,
}

export class TarReader {
  readonly #sink: TarSink;
  readonly #frame: (piece: Uint8Array) => void;
  #part = Part.Header;
  /** Bytes until the part ends; of a header: all of it. */
  #left = BLOCK;
  #padding = 0;
  /** Bytes of a header or an extension that came in several chunks. */
  #kept: Uint8Array[] = [];
  #extension = "";
  #zeroBlocks = 0;
  readonly #global = new Map<string, string>();
  #local: Map<string, string> | null = null;
  #longName = "";
  #longTarget = "";

  /** `frame` is told all bytes that are no file's body, those of an entry before the entry; valid while it is called. */
  constructor(sink: TarSink, frame: (piece: Uint8Array) => void = () => {}) {
    this.#sink = sink;
    this.#frame = frame;
  }

  /** Reads one chunk. Resolves when the next may come. */
  async push(chunk: Uint8Array): Promise<void> {
    for (let at = 0; at < chunk.length;) {
      const piece = chunk.subarray(at, at + this.#left);
      at += piece.length;
      const busy = this.#take(piece);
      if (busy) await busy;
    }
  }

  /** There is no more. */
  end(): void {
    const between = this.#part === Part.Header && this.#left === BLOCK && !this.#local && this.#longName === "";
    if (!between && this.#part !== Part.Rest) throw new HostFailure("corrupt", "unexpected EOF");
  }

  /** The next bytes of the current part, never more than it has left. */
  #take(piece: Uint8Array): Promise<void> | void {
    if (this.#part !== Part.Body) this.#frame(piece);
    if (this.#part === Part.Rest) return;
    this.#left -= piece.length;
    if (this.#part === Part.Body) {
      const busy = this.#sink.data(piece);
      if (this.#left > 0) return busy;
      if (busy) return busy.then(() => this.#endBody());
      return this.#endBody();
    }
    if (this.#part === Part.Padding) {
      if (this.#left === 0) this.#expectHeader();
      return;
    }
    if (this.#left > 0) return void this.#kept.push(new Uint8Array(piece));
    const whole = this.#kept.length === 0 ? piece : joined([...this.#kept, piece]);
    this.#kept = [];
    if (this.#part === Part.Header) return this.#header(whole);
    this.#extend(whole);
  }

  #expectHeader(): void {
    this.#part = Part.Header;
    this.#left = BLOCK;
  }

  /** Goes on after a body: padding, if there is any. */
  #pad(): void {
    if (this.#padding === 0) return this.#expectHeader();
    this.#part = Part.Padding;
    this.#left = this.#padding;
  }

  #endBody(): Promise<void> | void {
    const busy = this.#sink.end();
    if (busy) return busy.then(() => this.#pad());
    this.#pad();
  }

  #header(block: Uint8Array): Promise<void> | void {
    const header = parseHeader(block);
    this.#left = BLOCK;
    if (!header) {
      this.#zeroBlocks++;
      if (this.#zeroBlocks === 2) {
        this.#part = Part.Rest;
        this.#left = Infinity;
      }
      return;
    }
    if (this.#zeroBlocks > 0) throw malformed();
    if (!EXTENSIONS.has(header.flag)) return this.#entry(header);
    this.#begin(Part.Extension, header.size, header.flag);
  }

  #begin(part: Part, size: number, extension = ""): Promise<void> | void {
    if (size < 0 || (part === Part.Extension && size > LARGEST_EXTENSION)) throw malformed();
    this.#part = part;
    this.#left = size;
    this.#padding = (BLOCK - (size % BLOCK)) % BLOCK;
    this.#extension = extension;
    if (size > 0) return;
    if (part === Part.Body) return this.#endBody();
    this.#pad();
  }

  #extend(body: Uint8Array): void {
    if (this.#extension === "g") parsePax(body, this.#global);
    else if (this.#extension === "x") parsePax(body, (this.#local ??= new Map()));
    else if (this.#extension === "L") this.#longName = upToNul(body);
    else this.#longTarget = upToNul(body);
    this.#pad();
  }

  #entry(header: Header): Promise<void> | void {
    const records = this.#local ? new Map([...this.#global, ...this.#local]) : this.#global;
    if (this.#longName) header.name = this.#longName;
    if (this.#longTarget) header.target = this.#longTarget;
    this.#local = null;
    this.#longName = this.#longTarget = "";
    const entry = entryOf(header, records);
    const busy = this.#sink.entry(entry);
    if (busy) return busy.then(() => this.#body(entry));
    return this.#body(entry);
  }

  #body(entry: TarEntry): Promise<void> | void {
    // Only files have a body, whatever the size says: some writers put a link's target's size there.
    if (entry.type === "file") return this.#begin(Part.Body, entry.size);
  }
}

function entryOf(header: Header, records: Map<string, string>): TarEntry {
  const type = TYPE_OF_FLAG[header.flag];
  if (!type) throw new HostFailure("unsupported", refusalOf(header.flag));
  const xattrs = new Map<string, string>();
  for (const [key, value] of records) {
    if (key.startsWith("GNU.sparse.")) throw new HostFailure("unsupported", "sparse files in a tar are not supported");
    if (key.startsWith(XATTR)) xattrs.set(key.slice(XATTR.length), value);
  }
  const mtime = records.get("mtime");
  const name = records.get("path") ?? header.name;
  const target = records.get("linkpath") ?? header.target;
  if (name.includes("\0") || target.includes("\0")) throw malformed();
  const uid = pick(records, "uid", header.uid);
  const gid = pick(records, "gid", header.gid);
  if (uid < 0 || gid < 0 || uid > LARGEST_ID || gid > LARGEST_ID) throw malformed();
  return {
    name,
    type,
    mode: header.mode & 0o7777,
    uid,
    gid,
    size: type === "file" ? pick(records, "size", header.size) : 0,
    mtime: mtime === undefined ? BigInt(header.mtime) * 1_000_000_000n : parseTime(mtime),
    target,
    major: header.major,
    minor: header.minor,
    xattrs,
  };
}

function pick(records: Map<string, string>, key: string, otherwise: number): number {
  const value = records.get(key);
  if (value === undefined) return otherwise;
  if (!/^\d+$/.test(value) || !Number.isSafeInteger(Number(value))) throw malformed();
  return Number(value);
}

function upToNul(body: Uint8Array): string {
  const end = body.indexOf(0);
  return latin1Of(body, 0, end < 0 ? body.length : end);
}

function refusalOf(flag: string): string {
  if (flag === "S") return "sparse files in a tar are not supported";
  return `unhandled tar header type ${flag.charCodeAt(0)}`;
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
};
/** pax for one entry, pax for all that follow, GNU long name, GNU long link target. */
const EXTENSIONS = new Set(["x", "g", "L", "K"]);
const XATTR = "SCHILY.xattr.";
const LARGEST_EXTENSION = 1 << 20;
const LARGEST_ID = 0xffff_fffe;
