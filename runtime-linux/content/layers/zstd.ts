// zstd for a Node that has none of its own: frame by frame and block by block (RFC 8878 §3.1), so that however much a few
// bytes stand for, no more than a block of it is in memory. What a block holds is fzstd's to decode.

import { setImmediate as turn } from "node:timers/promises";
import { Decompress } from "fzstd";
import { damaged, type HostFailure } from "../../../hosts/shared/failure.js";

/** What the frames hold, up to 128 KiB at a time. Throws what fzstd throws, and `damaged` when the source breaks off. */
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
    // The next head comes along: fzstd looks for it, and is slower ever after if it looks beyond the end.
    head = await input.take(isLast ? checksum : 3);
    decoder.push(Buffer.concat([content, head]), isLast);
    yield* ready.splice(0).filter(({ length }) => length > 0);
    // It moves the whole window for every block, and nothing else may have made us wait.
    if (performance.now() - turned < TURN_MS) continue;
    await turn();
    turned = performance.now();
  }
}

interface Header {
  bytes: Buffer;
  /** Bytes that blocks may refer back to. */
  window: number;
  /** Bytes of the checksum after the last block. */
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

/** Bytes by number. */
class Input {
  readonly #source: AsyncIterator<Uint8Array>;
  #rest: Uint8Array = new Uint8Array(0);

  constructor(source: AsyncIterable<Uint8Array>) {
    this.#source = source[Symbol.asyncIterator]();
  }

  /** Fewer only at the source's end. A copy. */
  async upTo(count: number): Promise<Buffer> {
    const parts: Uint8Array[] = [];
    for (let missing = count; missing > 0;) {
      const part = await this.#some(missing);
      if (!part) break;
      parts.push(part);
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

/** In fzstd's words, and in those of libzstd, which other Nodes have. */
const NO_ZSTD = "invalid zstd data";
const TOO_MUCH = "Frame requires too much memory for decoding";

const FRAME = 0xfd2fb528;
/** The first of sixteen. */
const SKIPPABLE = 0x184d2a50;
/** Block_Type of one byte that is repeated. */
const RLE = 1;
/** Block_Maximum_Size, where the window is no smaller. */
const BLOCK_MAX = 128 << 10;
/** What zstd(1) and Node's own decoder take without being told to take more. */
const WINDOW_MAX = 128 << 20;
const TURN_MS = 20;
