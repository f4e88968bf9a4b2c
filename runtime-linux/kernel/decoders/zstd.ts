// Undoes zstd by libzstd, which is on every Debian, because dpkg itself needs it. It is ten times as fast as a script.

import { createRequire } from "node:module";
import type * as Koffi from "koffi";
import type { Decoded, Decoder } from "./decoder.js";

const require = createRequire(import.meta.url);

interface Library {
  create: () => unknown;
  free: (decoder: unknown) => void;
  /** `wrote` and `read` are counters of 64 bits that it advances. */
  decode: (
    decoder: unknown,
    into: Uint8Array,
    size: number,
    wrote: Uint8Array,
    from: Uint8Array,
    length: number,
    read: Uint8Array,
  ) => number | bigint;
  isError: (code: number | bigint) => number;
  errorName: (code: number | bigint) => string;
}

let library: Library | null | undefined;

/** Null if the machine has no libzstd, or no memory for it. */
export function zstdDecoder(): Decoder | null {
  if (library === undefined) library = load();
  const decoder: unknown = library?.create() ?? null;
  return library === null || decoder === null ? null : new StreamDecoder(library, decoder);
}

class StreamDecoder implements Decoder {
  readonly #library: Library;
  #decoder: unknown;
  readonly #wrote = Buffer.alloc(8);
  readonly #read = Buffer.alloc(8);

  constructor(library: Library, decoder: unknown) {
    [this.#library, this.#decoder] = [library, decoder];
  }

  decode(from: Uint8Array, at: number, into: Uint8Array): Decoded {
    const { decode, isError, errorName } = this.#library;
    this.#wrote.writeBigUInt64LE(0n);
    this.#read.writeBigUInt64LE(BigInt(at));
    const left = decode(this.#decoder, into, into.length, this.#wrote, from, from.length, this.#read);
    if (isError(left) !== 0) throw new Error(errorName(left));
    const [read, written] = [this.#read, this.#wrote].map((count) => Number(count.readBigUInt64LE()));
    return { read: read!, written: written!, isWhole: Number(left) === 0 };
  }

  close(): void {
    if (this.#decoder !== null) this.#library.free(this.#decoder);
    this.#decoder = null;
  }
}

function load(): Library | null {
  try {
    const koffi = require("koffi") as typeof Koffi;
    const zstd = koffi.load("libzstd.so.1");
    return {
      create: zstd.func("void *ZSTD_createDStream()"),
      free: zstd.func("size_t ZSTD_freeDStream(void *decoder)"),
      decode: zstd.func(
        "size_t ZSTD_decompressStream_simpleArgs(void *decoder, _Out_ uint8_t *into, size_t size, _Inout_ uint8_t *wrote, const uint8_t *from, size_t length, _Inout_ uint8_t *read)",
      ),
      isError: zstd.func("unsigned int ZSTD_isError(size_t code)"),
      errorName: zstd.func("const char *ZSTD_getErrorName(size_t code)"),
    };
  } catch {
    return null;
  }
}
