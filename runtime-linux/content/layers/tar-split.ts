// The file that keeps the frame of a layer's tar, which is everything but the contents of its files
// (hosts/streams/tar/split.ts). It is a compressed sequence of parts. A part holds the tar's bytes before a
// file's content, and the file's name. All numbers are little-endian: 4 bytes for the length of the bytes, 2 for the
// length of the name, 6 for the file's size. Then come the bytes and the name. If a part has no name, the next part
// continues the frame.

import { createReadStream } from "node:fs";
import { open, type FileHandle } from "node:fs/promises";
import { promisify } from "node:util";
import * as zlib from "node:zlib";
import { damaged } from "../../../hosts/shared/index.js";
import { malformed } from "../../../hosts/streams/tar/index.js";
import type { SplitPart } from "../../../hosts/streams/tar/index.js";
import { decompressed } from "./decompress.js";

/** Writes a frame as it arrives. */
export class TarSplitFile {
  readonly #file: FileHandle;
  #pieces: Uint8Array[] = [];
  #size = 0;

  private constructor(file: FileHandle) {
    this.#file = file;
  }

  /** Makes a new file. */
  static async make(path: string): Promise<TarSplitFile> {
    return new TarSplitFile(await open(path, "wx", 0o600));
  }

  async add(parts: readonly SplitPart<string>[]): Promise<void> {
    for (const part of parts) {
      const name = Buffer.from(part.place ?? "", "latin1");
      this.#pieces.push(headOf(part, name.length), part.bytes, name);
      this.#size += HEAD + part.bytes.length + name.length;
    }
    if (this.#size >= PIECE) await this.#flush();
  }

  /** Call this at the end of the frame. */
  async end(): Promise<void> {
    await this.#flush();
    await this.#file.close();
  }

  /** Drops an unfinished file. */
  async abandon(): Promise<void> {
    await this.#file.close();
  }

  /** Several gzip members in a row are one gzip file (RFC 1952, section 2.2). */
  async #flush(): Promise<void> {
    const bytes = await gzip(Buffer.concat(this.#pieces), { level: zlib.constants.Z_BEST_SPEED });
    [this.#pieces, this.#size] = [[], 0];
    await this.#file.writeFile(bytes);
  }
}

/** Reads a frame back. */
export async function* readTarSplit(path: string): AsyncGenerator<SplitPart<string>> {
  let held: Buffer = Buffer.alloc(0);
  for await (const chunk of decompressed(createReadStream(path))) {
    held = held.length === 0 ? chunk : Buffer.concat([held, chunk]);
    for (let size = sizeAt(held); size <= held.length; size = sizeAt(held)) {
      yield partOf(held);
      held = held.subarray(size);
    }
  }
  if (held.length > 0) throw damaged("cut");
}

function headOf({ bytes, size }: SplitPart<string>, nameLength: number): Buffer {
  // No file system holds a file that large.
  if (size > LARGEST) throw malformed();
  const head = Buffer.alloc(HEAD);
  head.writeUInt32LE(bytes.length, 0);
  head.writeUInt16LE(nameLength, 4);
  head.writeUIntLE(size, 6, 6);
  return head;
}

/** Size in bytes of the part that begins here. */
function sizeAt(held: Buffer): number {
  return held.length < HEAD ? Infinity : HEAD + held.readUInt32LE(0) + held.readUInt16LE(4);
}

function partOf(held: Buffer): SplitPart<string> {
  const end = HEAD + held.readUInt32LE(0);
  const name = held.toString("latin1", end, end + held.readUInt16LE(4));
  return { bytes: held.subarray(HEAD, end), place: name === "" ? null : name, size: held.readUIntLE(6, 6) };
}

const gzip = promisify(zlib.gzip) as (bytes: Uint8Array, options: zlib.ZlibOptions) => Promise<Buffer>;
const HEAD = 12;
/** The largest number in six bytes. */
const LARGEST = 2 ** 48 - 1;
const PIECE = 1 << 20;
