// The tar of a build's context as one file: written while it arrives, and read in place of the unpacked files.

import * as fs from "node:fs";
import { interrupted } from "../../../hosts/shared/index.js";
import { TarReader, UNLIMITED, nameBelow, refuseInPlace } from "../../../hosts/streams/tar/index.js";
import type { TarEntry, TarLimits, TarSink } from "../../../hosts/streams/tar/index.js";
import { decompressed } from "../layers/decompress.js";
import { HeldTree } from "./tree.js";

/** What has arrived. `plain`: its files can be read from the tar. */
export interface Arrival {
  size: number;
  plain: boolean;
}

/** Writes a tar to a new file, without its compression. Fails as unpacking it would fail at its bytes. */
export async function holdTar(
  file: string,
  body: AsyncIterable<Uint8Array>,
  limits: TarLimits,
  signal: AbortSignal,
): Promise<Arrival> {
  const index = new Indexing(limits);
  const fd = fs.openSync(file, "wx", 0o600);
  try {
    for await (const chunk of decompressed(body)) {
      if (signal.aborted) throw interrupted("given-up");
      await index.push(chunk);
      for (let done = 0; done < chunk.length;) done += fs.writeSync(fd, chunk, done);
    }
    const tree = index.end();
    if (tree !== null) remember(file, tree);
    return { size: index.size, plain: tree !== null };
  } finally {
    fs.closeSync(fd);
  }
}

/** The tree of such a file; each thread keeps the newest few. The file has only one content as long as it is there. */
export async function treeOf(file: string): Promise<HeldTree> {
  const known = trees.get(file);
  if (known !== undefined) return known;
  const index = new Indexing(UNLIMITED);
  for await (const chunk of fs.createReadStream(file, { highWaterMark: CHUNK })) await index.push(chunk as Buffer);
  const tree = index.end();
  if (tree === null) throw new Error(`${file} was held although it is not plain`);
  remember(file, tree);
  return tree;
}

function remember(file: string, tree: HeldTree): void {
  for (const oldest of [...trees.keys()].slice(0, Math.max(0, trees.size + 1 - MOST_TREES))) trees.delete(oldest);
  trees.set(file, tree);
}

/** Notes which file is where in a tar. */
class Indexing {
  readonly #sink: IndexSink;
  readonly #reader: TarReader;

  constructor(limits: TarLimits) {
    this.#sink = new IndexSink(limits);
    this.#reader = new TarReader(this.#sink, (piece) => void (this.#sink.size += piece.length));
  }

  /** Bytes so far. */
  get size(): number {
    return this.#sink.size;
  }

  push(chunk: Uint8Array): Promise<void> {
    return this.#reader.push(chunk);
  }

  /** Null if the tar is not plain. */
  end(): HeldTree | null {
    this.#reader.end();
    return this.#sink.tree;
  }
}

class IndexSink implements TarSink {
  size = 0;
  tree: HeldTree | null = new HeldTree(BigInt(Date.now()) * 1_000_000n);
  #entries = 0;

  constructor(readonly limits: TarLimits) {}

  entry(entry: TarEntry): void {
    const name = nameBelow("/", entry.name);
    if (name === "") return refuseInPlace(entry);
    const fits = ++this.#entries <= MOST_ENTRIES && this.tree?.put(name, entry, this.size) === true;
    if (!fits) this.tree = null;
  }

  data(piece: Uint8Array): void {
    this.size += piece.length;
  }

  hole(): void {
    this.tree = null;
  }

  end(): void {}
}

const trees = new Map<string, HeldTree>();
const MOST_TREES = 2;
const CHUNK = 512 << 10;
/** A tree takes some 500 bytes for each. */
const MOST_ENTRIES = 100_000;
