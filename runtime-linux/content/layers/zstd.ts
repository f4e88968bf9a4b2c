// A zstd decoder for Node versions that have none. It works frame by frame and block by block (RFC 8878 §3.1), so
// memory never holds more than one block, however much a few bytes expand to. fzstd decodes each block's contents.

import { setImmediate as turn } from "node:timers/promises";
import { Decompress } from "fzstd";
import { damaged } from "../../../hosts/shared/index.js";
import type { HostFailure } from "../../../hosts/shared/index.js";

/** The frames' contents, up to 128 KiB at a time. Throws fzstd's errors, and `damaged` if the source breaks off. */
export async function* zstdInScript(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const input = new Input(source);
  try {
    for (let magic = await input.upTo(4); magic.length > 0; magic = await input.upTo(4)) {
      if (magic.length < 4) throw cut();
      const number = magic.readUInt32LE();
      if (number === FRAME) yield* frame(magic, input);
      else if ((number & 0xfffffff0) >>> 0 === SKIPPABLE) await input.skip((await input.take(4)).readUInt32LE());
      else throw corrupt(NO_ZSTD);
    }
  } finally {
    await input.close();
  }
}

async function* frame(magic: Buffer, input: Input): AsyncGenerator<Uint8Array> {
  const { bytes, window, checksum } = await header(magic, input);
  if (window > WINDOW_MAX) throw corrupt(TOO_MUCH);
  const ready: Uint8Array[] = [];
  const decoder = new Decompress((chunk) => ready.push(chunk));
  let head = await input.take(3);
  decoder.push(Buffer.concat([bytes, head]));
  let turned = performance.now();
  for (let isLast = false; !isLast;) {
    const value = head.readUIntLE(0, 3);
    const [type, size] = [(value >> 1) & 3, value >> 3];
    isLast = (value & 1) === 1;
    if (size > Math.min(window, BLOCK_MAX)) throw corrupt(NO_ZSTD);
    const content = await input.take(type === RLE ? 1 : size);
    // Also take the next header: fzstd looks for it, and stays slow if it once looks beyond the end.
    head = await input.take(isLast ? checksum : 3);
    decoder.push(Buffer.concat([content, head]), isLast);
    yield* ready.splice(0).filter(({ length }) => length > 0);
    // fzstd moves the whole window for every block, and perhaps nothing else has yielded to other work.
    if (performance.now() - turned < TURN_MS) continue;
    await turn();
    turned = performance.now();
  }
}

interface Header {
  bytes: Buffer;
  /** How far back blocks may refer, in bytes. */
  window: number;
  /** Size in bytes of the checksum after the last block. */
  checksum: number;
}

/** RFC 8878 §3.1.1.1 */
async function header(magic: Buffer, input: Input): Promise<Header> {
  const first = await input.take(1);
  const descriptor = first[0]!;
  const isSingle = (descriptor & 0x20) !== 0;
  const before = (isSingle ? 0 : 1) + [0, 1, 2, 4][descriptor & 3]!;
  const sizeBytes = [isSingle ? 1 : 0, 2, 4, 8][descriptor >> 6]!;
  const rest = await input.take(before + sizeBytes);
  const base = 2 ** (10 + (rest[0]! >> 3));
  const window = isSingle ? contentSize(rest.subarray(before)) : base + (base / 8) * (rest[0]! & 7);
  return { bytes: Buffer.concat([magic, first, rest]), window, checksum: descriptor & 4 };
}

function contentSize(bytes: Buffer): number {
  if (bytes.length === 8) return Number(bytes.readBigUInt64LE());
  return bytes.readUIntLE(0, bytes.length) + (bytes.length === 2 ? 256 : 0);
}

/** Reads a source by number of bytes. */
class Input {
  readonly #source: AsyncIterator<Uint8Array>;
  #rest: Uint8Array = new Uint8Array(0);

  constructor(source: AsyncIterable<Uint8Array>) {
    this.#source = source[Symbol.asyncIterator]();
  }

  /** Returns fewer bytes only at the source's end. The buffer is a copy. */
  async upTo(count: number): Promise<Buffer> {
    const parts: Uint8Array[] = [];
    for (let missing = count; missing > 0;) {
      const part = await this.#some(missing);
      if (!part) break;
      parts.push(part.length < missing ? Buffer.from(part) : part);
      missing -= part.length;
    }
    return Buffer.concat(parts);
  }

  async take(count: number): Promise<Buffer> {
    const bytes = await this.upTo(count);
    if (bytes.length < count) throw cut();
    return bytes;
  }

  async skip(count: number): Promise<void> {
    for (let left = count; left > 0;) {
      const part = await this.#some(left);
      if (!part) throw cut();
      left -= part.length;
    }
  }

  async close(): Promise<void> {
    await this.#source.return?.();
  }

  async #some(most: number): Promise<Uint8Array | undefined> {
    while (this.#rest.length === 0) {
      const next = await this.#source.next();
      if (next.done) return undefined;
      this.#rest = next.value;
    }
    const part = this.#rest.subarray(0, most);
    this.#rest = this.#rest.subarray(part.length);
    return part;
  }
}

function cut(): HostFailure {
  return damaged("cut");
}

function corrupt(said: string): HostFailure {
  return damaged("compression", said);
}

/** The error texts of fzstd, and of libzstd, which other Node versions have. */
const NO_ZSTD = "invalid zstd data";
const TOO_MUCH = "Frame requires too much memory for decoding";

const FRAME = 0xfd2fb528;
/** The first of sixteen magic numbers. */
const SKIPPABLE = 0x184d2a50;
/** Block_Type for one repeated byte. */
const RLE = 1;
/** Block_Maximum_Size, unless the window is smaller. */
const BLOCK_MAX = 128 << 10;
/** The default limit of zstd(1) and of Node's own decoder. */
const WINDOW_MAX = 128 << 20;
const TURN_MS = 20;
