// Sends layers to registries. A layer that came from a registry goes out as the blob that it came as; any other as its
// tar, compressed on the way. Its digest is kept beside the layer, so that a registry can be asked for it the next time.

import { randomUUID } from "node:crypto";
import { createReadStream } from "node:fs";
import { open, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { pipeline } from "node:stream";
import { createGzip } from "node:zlib";
import { mismatch, noSuch, sendOnOrAnew } from "../../../hosts/shared/index.js";
import type { Begun, Report, content, engine } from "../../../hosts/shared/index.js";
import { compressionOf } from "../../../hosts/streams/compression/index.js";
import type { LayerTars } from "../../../hosts/streams/tar/index.js";
import type { Registry } from "../registry.js";
import { PushProgress } from "../progress.js";
import { BegunUpload } from "./begun-upload.js";
import { BlobHash, isDigest } from "./digests.js";
import type { Layers } from "./layers.js";

type Bytes = AsyncIterable<Uint8Array>;

/** The name of the note in a layer's directory. */
const SENT = "sent.json";

export class Uploads {
  readonly #layers: Layers;
  readonly #tars: LayerTars;
  readonly #registry: Registry;

  constructor(layers: Layers, tars: LayerTars, registry: Registry) {
    [this.#layers, this.#tars, this.#registry] = [layers, tars, registry];
  }

  /** What registries have a layer as. Throws `no-such` if that is not known. */
  async blobOf(chain: string): Promise<engine.SentBlob> {
    const known = (await this.#kept(chain)) ?? (await this.#noted(chain));
    if (known === null) throw noSuch("blob", "");
    return known;
  }

  /**
   * Goes on where an earlier try has broken off, if the registry still has that. Otherwise it starts anew. `isSecond`:
   * the same layer is being sent there already. Its upload is not this one's.
   */
  async upload(
    command: content.Upload,
    isSecond: boolean,
    report: Report,
    signal: AbortSignal,
  ): Promise<engine.SentBlob> {
    const note = new BegunUpload(this.#layers.directory(command.chain), command.to, isSecond);
    try {
      return await sendOnOrAnew(note, (begun) => this.#send(command, note, begun, report, signal), signal);
    } finally {
      await note.end();
    }
  }

  async #send(
    { to, chain, ...patience }: content.Upload,
    note: BegunUpload,
    begun: Begun | undefined,
    report: Report,
    signal: AbortSignal,
  ): Promise<engine.SentBlob> {
    const kept = await this.#kept(chain);
    const seal = new Seal(await this.#bytes(chain, kept, report), kept?.digest);
    const reached = (newest: Begun): Promise<void> => note.reached(newest);
    const broke = (newest: Begun): Promise<void> => note.broke(newest);
    const sending = { bytes: seal, digest: () => seal.digest, patience, begun, reached, broke };
    await this.#registry.upload(to, sending, signal);
    if (kept !== null) return kept;
    const sent: engine.SentBlob = { digest: seal.digest, size: BigInt(seal.size), compression: "gzip" };
    await this.#note(chain, sent).catch(() => {});
    return sent;
  }

  /** Opens the bytes. */
  async #bytes(chain: string, kept: engine.SentBlob | null, report: Report): Promise<() => Bytes> {
    const total = await this.#tars.size(chain);
    const opened = (): Bytes => {
      const progress = new PushProgress(report, total);
      if (kept !== null) return counted(this.#bytesOf(kept), total / Math.max(1, Number(kept.size)), progress);
      const tar = lazily(() => this.#tars.tar(chain));
      return compressed(counted(tar, 1, progress));
    };
    return opened;
  }

  /** Opened only when it is read, since a registry may refuse before that. */
  async *#bytesOf({ digest }: engine.SentBlob): AsyncGenerator<Uint8Array> {
    yield* createReadStream(this.#layers.blob(digest), READ);
  }

  /** The blob that a layer came as, if a registry takes it as it is. */
  async #kept(chain: string): Promise<engine.SentBlob | null> {
    const record = this.#layers.record(chain);
    if (!record) throw noSuch("layer", chain);
    if (record.blob === null) return null;
    const path = this.#layers.blob(record.blob);
    const [{ size }, compression] = await Promise.all([stat(path), headOf(path)]);
    return compression === null ? null : { digest: record.blob, size: BigInt(size), compression };
  }

  async #noted(chain: string): Promise<engine.SentBlob | null> {
    const text = await readFile(this.#layers.directory(chain, SENT), "utf8").catch(() => "null");
    return parseNote(text);
  }

  /** Losing it costs time, but a broken one must not be read. Two pushes may send the same layer. */
  async #note(chain: string, { digest, size }: engine.SentBlob): Promise<void> {
    const path = this.#layers.directory(chain, SENT);
    const draft = `${path}.${randomUUID()}`;
    try {
      await writeFile(draft, JSON.stringify({ digest, size: Number(size) }), { mode: 0o600 });
      await rename(draft, path);
    } catch (error) {
      await rm(draft, { force: true });
      throw error;
    }
  }
}

function parseNote(text: string): engine.SentBlob | null {
  try {
    const { digest, size } = JSON.parse(text) as { digest: string; size: number };
    return isDigest(digest) && Number.isSafeInteger(size) ? { digest, size: BigInt(size), compression: "gzip" } : null;
  } catch {
    return null;
  }
}

/** Null for a compression that manifests have no media type for. */
async function headOf(path: string): Promise<engine.BlobCompression | null> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD), 0, HEAD, 0);
    const compression = compressionOf(buffer.subarray(0, bytesRead));
    return compression === "bzip2" || compression === "xz" ? null : compression;
  } finally {
    await file.close();
  }
}

/** `each`: for how many bytes of the tar a byte stands: clients see progress in those. */
async function* counted(
  source: AsyncIterable<Uint8Array>,
  each: number,
  progress: PushProgress,
): AsyncGenerator<Uint8Array> {
  let read = 0;
  for await (const piece of source) {
    read += piece.length * each;
    progress.at(Math.floor(read));
    yield piece;
  }
  progress.end();
}

async function* lazily(open: () => AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield* open();
}

/** The bytes of a blob, with the digest and the size of what the newest reader has read. */
class Seal {
  size = 0;
  readonly #open: () => Bytes;
  readonly #expected: string | undefined;
  #hash: BlobHash;

  /** With an `expected` digest it fails before the end if that is another one: the registry must not get a damaged blob. */
  constructor(open: () => Bytes, expected?: string) {
    [this.#open, this.#expected, this.#hash] = [open, expected, hashFor(expected)];
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    // An earlier reader may still wait for its next piece.
    const hash = hashFor(this.#expected);
    [this.size, this.#hash] = [0, hash];
    for await (const piece of this.#open()) {
      hash.update(piece);
      if (this.#hash === hash) this.size += piece.length;
      yield piece;
    }
    const expected = this.#expected;
    if (expected !== undefined && this.digest !== expected) throw mismatch("blob", expected, this.digest);
  }

  get digest(): string {
    return this.#hash.digest;
  }
}

/** `expected`: the digest that should come out, if it is known. */
function hashFor(expected: string | undefined): BlobHash {
  return expected === undefined ? new BlobHash() : BlobHash.like(expected);
}

/** zlib writes no time and no name into the header, so the same tar always gives the same bytes. */
async function* compressed(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const gzip = createGzip({ chunkSize: READ.highWaterMark });
  // Whoever reads it sees the error.
  pipeline(source, gzip, () => {});
  try {
    yield* gzip;
  } finally {
    gzip.destroy();
  }
}

const READ = { highWaterMark: 256 << 10 };
/** Enough to recognize a compression. */
const HEAD = 6;
