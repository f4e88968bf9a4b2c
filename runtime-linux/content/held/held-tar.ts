// The tar of a build's context as one file: written while it arrives, and read in place of the unpacked files.

import * as fs from "node:fs";
import { interrupted, turn } from "../../../hosts/shared/index.js";
import { TarReader, UNLIMITED, nameBelow, refuseInPlace } from "../../../hosts/streams/tar/index.js";
import type { TarEntry, TarLimits, TarSink } from "../../../hosts/streams/tar/index.js";
import { fileFailure } from "../files/file-failure.js";
import { decompressed } from "../layers/decompress.js";
import { HeldTree, LONGEST_PATH } from "./tree.js";

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
  const made = Math.floor(Date.now() / 1000);
  const index = new Indexing(limits, BigInt(made) * SECOND);
  const fd = fs.openSync(file, "wx", 0o600);
  try {
    for await (const chunk of decompressed(body)) {
      if (signal.aborted) throw interrupted("given-up");
      await index.push(chunk);
      write(fd, chunk, index.path);
    }
    const tree = index.end();
    // Every later index finds the time of the directories that no entry names here.
    fs.futimesSync(fd, made, made);
    if (tree !== null) remember(file, tree);
    return { size: index.size, plain: tree !== null };
  } finally {
    fs.closeSync(fd);
  }
}

/** `path`: whose bytes are written, as far as the client can tell. */
function write(fd: number, chunk: Uint8Array, path: string): void {
  try {
    for (let done = 0; done < chunk.length;) done += fs.writeSync(fd, chunk, done);
  } catch (error) {
    throw fileFailure(error, "write", path);
  }
}

/**
 * The tree of such a file; each thread keeps the newest few. The file has only one content as long as it is there. `fd`:
 * the open file, which may lose its name meanwhile.
 */
export async function treeOf(file: string, fd: number): Promise<HeldTree> {
  const known = trees.get(file);
  if (known !== undefined) return known;
  const index = new Indexing(UNLIMITED, fs.fstatSync(fd, { bigint: true }).mtimeNs);
  const chunk = Buffer.allocUnsafe(CHUNK);
  for (let at = 0; ; at = index.size) {
    const read = fs.readSync(fd, chunk, 0, CHUNK, at);
    if (read === 0) break;
    await index.push(chunk.subarray(0, read));
    await index.pass();
    await turn();
  }
  const tree = index.end();
  if (tree === null) throw new Error(`${file} was held although it is not plain`);
  remember(file, tree);
  return tree;
}

/** The file is there no longer. Another thread hears of it when it remembers its next tree, or ends before that. */
export function forgetTree(file: string): void {
  trees.delete(file);
}

function remember(file: string, tree: HeldTree): void {
  for (const known of trees.keys()) if (!fs.existsSync(known)) trees.delete(known);
  for (const oldest of [...trees.keys()].slice(0, Math.max(0, trees.size + 1 - MOST_TREES))) trees.delete(oldest);
  trees.set(file, tree);
}

/** Notes which file is where in a tar. */
class Indexing {
  readonly #sink: IndexSink;
  readonly #reader: TarReader;

  /** `made`: see `HeldTree`. */
  constructor(limits: TarLimits, made: bigint) {
    this.#sink = new IndexSink(limits, new HeldTree(made));
    this.#reader = new TarReader(this.#sink, (piece) => void (this.#sink.size += piece.length));
  }

  /** Bytes so far. */
  get size(): number {
    return this.#sink.size;
  }

  /** The newest entry, as a container names it. */
  get path(): string {
    return this.#sink.path;
  }

  push(chunk: Uint8Array): Promise<void> {
    return this.#reader.push(chunk);
  }

  /** Passes over the rest of a file's bytes, whatever they are. */
  async pass(): Promise<void> {
    for (let left = this.#sink.left; left > 0; left = this.#sink.left) await this.push(ANY.subarray(0, left));
  }

  /** Null if the tar is not plain. */
  end(): HeldTree | null {
    this.#reader.end();
    return this.#sink.tree;
  }
}

class IndexSink implements TarSink {
  size = 0;
  tree: HeldTree | null;
  path = "/";
  #bodyEnd = 0;

  constructor(
    readonly limits: TarLimits,
    tree: HeldTree,
  ) {
    this.tree = tree;
  }

  /** Bytes of the current file that are still to come. */
  get left(): number {
    return this.#bodyEnd - this.size;
  }

  /** What is not plain is looked at again when it is unpacked. */
  entry(entry: TarEntry): void {
    if (this.tree === null) return;
    const isLong = entry.name.length > LONGEST_PATH;
    const name = isLong ? "" : nameBelow("/", entry.name);
    if (!isLong && name === "") return refuseInPlace(entry);
    this.path = `/${name}`;
    if (!isLong && this.tree.put(name, entry, this.size)) this.#bodyEnd = this.size + entry.size;
    else this.tree = null;
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
const CHUNK = 128 << 10;
const ANY = new Uint8Array(1 << 20);
const SECOND = 1_000_000_000n;
