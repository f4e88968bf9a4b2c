// Undoes gzip by ISA-L (Debian's libisal2), if the machine has it: in less than half of the processor time that zlib
// takes. The fields that it shares with its caller are at fixed offsets of a structure (igzip_lib.h, `inflate_state`).

import { createRequire } from "node:module";
import { gzipSync } from "node:zlib";
import type * as Koffi from "koffi";
import type { Decoded, Decoder } from "./decoder.js";

const require = createRequire(import.meta.url);

// Offsets in the structure, the same in all versions of libisal.so.2 so far. `load` tries them.
const NEXT_OUT = 0;
const AVAIL_OUT = 8;
const NEXT_IN = 16;
const AVAIL_IN = 32;
const BLOCK_STATE = 21160;
const CRC_FLAG = 21172;
/** With room to spare: it is 86 KiB. */
const STATE_BYTES = 128 << 10;

/** `crc_flag`: no header, and gzip's trailer, whose checksum is verified. */
const ISAL_GZIP_NO_HDR_VER = 6;
/** `block_state`: the trailer was read. */
const ISAL_BLOCK_FINISH = 5;

interface Library {
  /** Of memory that JavaScript does not move. */
  addressOf: (bytes: Uint8Array) => bigint;
  init: (state: Uint8Array) => void;
  reset: (state: Uint8Array) => void;
  inflate: (state: Uint8Array) => number;
}

let library: Library | null | undefined;

/** Null if the machine has no ISA-L, or one that works differently. */
export function gzipDecoder(): Decoder | null {
  if (library === undefined) library = load();
  return library === null ? null : new MemberDecoder(library);
}

class MemberDecoder implements Decoder {
  readonly #library: Library;
  readonly #state = Buffer.alloc(STATE_BYTES);
  #isWhole = false;
  /** Zeros follow the last member, which gzip(1) and zlib ignore, and whatever is behind them. */
  #isOver = false;
  /** What has arrived of the member's header; null once it is read. ISA-L loses its place in one that comes in pieces. */
  #header: Buffer | null = Buffer.alloc(0);

  constructor(library: Library) {
    this.#library = library;
    library.init(this.#state);
    this.#state.writeUInt32LE(ISAL_GZIP_NO_HDR_VER, CRC_FLAG);
  }

  decode(from: Uint8Array, at: number, into: Uint8Array): Decoded {
    this.#isOver ||= this.#isWhole && from[at] === 0;
    if (this.#isOver) return { read: from.length, written: 0, isWhole: true };
    if (this.#isWhole) this.#begin();
    const read = this.#header === null ? at : this.#readHeader(this.#header, from, at);
    return this.#header === null ? this.#inflate(from, read, into) : { read, written: 0, isWhole: false };
  }

  close(): void {}

  /** How far it has read. */
  #readHeader(before: Buffer, from: Uint8Array, at: number): number {
    const bytes = Buffer.concat([before, from.subarray(at)]);
    const length = headerLength(bytes);
    this.#header = length === null ? bytes : null;
    return length === null ? from.length : at + length - before.length;
  }

  #inflate(from: Uint8Array, at: number, into: Uint8Array): Decoded {
    const { addressOf, inflate } = this.#library;
    const state = this.#state;
    state.writeBigUInt64LE(addressOf(into), NEXT_OUT);
    state.writeUInt32LE(into.length, AVAIL_OUT);
    state.writeBigUInt64LE(addressOf(from) + BigInt(at), NEXT_IN);
    state.writeUInt32LE(from.length - at, AVAIL_IN);
    const code = inflate(state);
    if (code !== 0) throw new Error(FAULTS.get(code) ?? `ISA-L: error ${code}`);
    this.#isWhole = state.readUInt32LE(BLOCK_STATE) === ISAL_BLOCK_FINISH;
    const [read, written] = [from.length - state.readUInt32LE(AVAIL_IN), into.length - state.readUInt32LE(AVAIL_OUT)];
    return { read, written, isWhole: this.#isWhole };
  }

  /** The next member. */
  #begin(): void {
    this.#library.reset(this.#state);
    this.#state.writeUInt32LE(ISAL_GZIP_NO_HDR_VER, CRC_FLAG);
    this.#isWhole = false;
    this.#header = Buffer.alloc(0);
  }
}

/** Bytes of a member's header (RFC 1952 §2.3); null if it is not whole yet. Throws if it is none. */
function headerLength(bytes: Buffer): number | null {
  const isOther = bytes.subarray(0, MAGIC.length).some((byte, at) => byte !== MAGIC[at]);
  if (isOther || bytes.length > MOST_HEADER) throw new Error("incorrect header check");
  if (bytes.length < FIXED) return null;
  const flags = bytes[MAGIC.length]!;
  if (flags & RESERVED) throw new Error("unknown header flags set");
  let length: number | null = FIXED;
  if (flags & FEXTRA) length = bytes.length < FIXED + 2 ? null : FIXED + 2 + bytes.readUInt16LE(FIXED);
  for (const text of [FNAME, FCOMMENT]) {
    if (!(flags & text) || length === null) continue;
    const end = bytes.indexOf(0, length);
    length = end < 0 ? null : end + 1;
  }
  if (length === null) return null;
  length += flags & FHCRC ? 2 : 0;
  return length > bytes.length ? null : length;
}

/** With the method, which is always deflate. */
const MAGIC = [0x1f, 0x8b, 8];
const FIXED = 10;
const FHCRC = 2;
const FEXTRA = 4;
const FNAME = 8;
const FCOMMENT = 16;
const RESERVED = 0xe0;
const MOST_HEADER = 1 << 20;

function load(): Library | null {
  try {
    const koffi = require("koffi") as typeof Koffi;
    const isal = koffi.load("libisal.so.2");
    const move = koffi.load(null).func("uint64_t memmove(uint8_t *to, const uint8_t *from, size_t length)");
    const found: Library = {
      // memmove(3) returns where it has moved the bytes to, here none.
      addressOf: (bytes) => BigInt(move(bytes, bytes, 0) as number | bigint),
      init: isal.func("void isal_inflate_init(_Inout_ uint8_t *state)"),
      reset: isal.func("void isal_inflate_reset(_Inout_ uint8_t *state)"),
      inflate: isal.func("int isal_inflate(_Inout_ uint8_t *state)"),
    };
    return works(found) ? found : null;
  } catch {
    return null;
  }
}

/** Whether it undoes what zlib has done, and finds a wrong checksum. */
function works(library: Library): boolean {
  const text = Buffer.alloc(5000, "a text that is longer than one line");
  const bytes = gzipSync(text);
  const into = Buffer.alloc(text.length + 1);
  const { read, written, isWhole } = new MemberDecoder(library).decode(bytes, 0, into);
  if (!isWhole || read !== bytes.length || !into.subarray(0, written).equals(text)) return false;
  bytes[bytes.length - 5]! ^= 1;
  try {
    new MemberDecoder(library).decode(bytes, 0, into);
    return false;
  } catch {
    return true;
  }
}

/** Error codes (igzip_lib.h), in the words of zlib. */
const FAULTS: ReadonlyMap<number, string> = new Map([
  [-1, "invalid block type"],
  [-2, "invalid code lengths set"],
  [-3, "invalid distance too far back"],
  [-4, "incorrect header check"],
  [-5, "unknown compression method"],
  [-6, "incorrect data check"],
]);
