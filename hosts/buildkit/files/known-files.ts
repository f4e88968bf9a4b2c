// What a client sent the last time. A file that it lists just as it was then is not asked for again: its bytes are taken
// from the tar of that time. BuildKit compares the same facts (moby/buildkit, source/local; tonistiigi/fsutil).

import { damaged, type SentBefore } from "../../shared/index.js";
import { TarReader, UNLIMITED, type TarEntry, type TarSink } from "../../streams/tar/index.js";

/** A file that need not be asked for: where its bytes are. */
export interface Known {
  at: number;
  size: number;
}

/** Reads the tar from its beginning to its end, once: clients list their files in the same order each time. */
export class KnownFiles {
  readonly #before: SentBefore;
  readonly #files: AsyncGenerator<Placed[]>;
  readonly #window: Window;
  /** Those that were read and not looked at yet, the next one last. */
  #read: Placed[] = [];
  #isOver = false;

  constructor(before: SentBefore) {
    this.#before = before;
    this.#files = filesIn(before);
    this.#window = new Window(before);
  }

  /** Null if the file was not there, or was another one. `entry`: a file with bytes. */
  find(entry: TarEntry): Known | null | Promise<Known | null> {
    for (let next = this.#read.at(-1); next !== undefined; next = this.#read.at(-1)) {
      if (next.entry.name !== entry.name && !isBefore(next.entry.name, entry.name)) return null;
      this.#read.pop();
      if (next.entry.name === entry.name)
        return this.#isUnchanged(next, entry) ? { at: next.at, size: entry.size } : null;
    }
    return this.#isOver ? null : this.#readOn().then(() => this.find(entry));
  }

  #isUnchanged(before: Placed, entry: TarEntry): boolean {
    return isSame(before.entry, entry) && entry.mtime < this.#before.settled;
  }

  async #readOn(): Promise<void> {
    const next = await this.#files.next();
    if (next.done === true) this.#isOver = true;
    else this.#read = next.value.reverse();
  }

  /** All bytes of a file if they were read ahead, valid until more is asked for; otherwise null. */
  held({ at, size }: Known): Uint8Array | null {
    return this.#window.held(at, size);
  }

  /** The bytes of a file, each piece a copy. */
  async *bytes({ at, size }: Known): AsyncGenerator<Uint8Array> {
    for (let done = 0; done < size;) {
      const piece = await this.#window.piece(at + done, size - done);
      yield piece;
      done += piece.length;
    }
  }
}

interface Placed {
  entry: TarEntry;
  /** Of its bytes in the tar. */
  at: number;
}

/** The files in a tar, but not their bytes. A tar that cannot be read, or is cut, has no more files. */
async function* filesIn(before: SentBefore): AsyncGenerator<Placed[]> {
  const placing = new Placing();
  const reader = new TarReader(placing, (piece) => void (placing.size += piece.length));
  let chunk = new Uint8Array(FIRST_CHUNK);
  let end = 0;
  for (;;) {
    try {
      const read = await before.read(chunk, placing.size);
      if (read === 0) return;
      end = placing.size + read;
      await reader.push(chunk.subarray(0, read));
      while (placing.left > 0) await reader.push(ANY.subarray(0, placing.left));
      chunk = larger(chunk);
    } catch {
      return;
    }
    yield placing.take(end);
  }
}

class Placing implements TarSink {
  readonly limits = UNLIMITED;
  /** Bytes so far. */
  size = 0;
  #files: Placed[] = [];
  #bodyEnd = 0;

  /** Bytes of the current file that are still to come: whatever they are, they are passed over. */
  get left(): number {
    return this.#bodyEnd - this.size;
  }

  /** Those whose bytes are all there, as the tar has been read up to `end`. Of the last one that is not known before. */
  take(end: number): Placed[] {
    const isCut = this.#bodyEnd > end;
    return this.#files.splice(0, this.#files.length - (isCut ? 1 : 0));
  }

  entry(entry: TarEntry): void {
    if (entry.type !== "file") return;
    this.#files.push({ entry, at: this.size });
    this.#bodyEnd = this.size + entry.size;
  }

  data(piece: Uint8Array): void {
    this.size += piece.length;
  }

  /** Such a tar was made here, without holes. */
  hole(): void {
    throw damaged("cut");
  }

  end(): void {}
}

/** Bytes of the tar that were read ahead: many small files come from one read. */
class Window {
  readonly #before: SentBefore;
  #bytes = new Uint8Array(FIRST_CHUNK);
  #from = 0;
  #length = 0;

  constructor(before: SentBefore) {
    this.#before = before;
  }

  /** Null if not all of them were read. */
  held(at: number, size: number): Uint8Array | null {
    const begin = at - this.#from;
    return begin >= 0 && begin + size <= this.#length ? this.#bytes.subarray(begin, begin + size) : null;
  }

  /** Up to `most` bytes from `at` on, but at least one. */
  async piece(at: number, most: number): Promise<Uint8Array> {
    if (at < this.#from || at >= this.#from + this.#length) {
      if (this.#length > 0) this.#bytes = larger(this.#bytes);
      this.#from = at;
      this.#length = await this.#before.read(this.#bytes, at);
      if (this.#length === 0) throw damaged("cut");
    }
    const begin = at - this.#from;
    return this.#bytes.slice(begin, Math.min(begin + most, this.#length));
  }
}

function isSame(one: TarEntry, other: TarEntry): boolean {
  const keys = ["name", "type", "size", "mtime", "mode", "uid", "gid"] as const;
  return keys.every((key) => one[key] === other[key]) && haveSameAttributes(one.xattrs, other.xattrs);
}

function haveSameAttributes(one: ReadonlyMap<string, string>, other: ReadonlyMap<string, string>): boolean {
  return one.size === other.size && [...one].every(([name, value]) => other.get(name) === value);
}

/** A directory comes just before what is in it. */
function isBefore(one: string, other: string): boolean {
  return one.replaceAll("/", "\0") < other.replaceAll("/", "\0");
}

/** Most directories are small: a tar is read in chunks that grow. */
function larger(chunk: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  return chunk.length < CHUNK ? new Uint8Array(2 * chunk.length) : chunk;
}

const FIRST_CHUNK = 32 << 10;
const CHUNK = 256 << 10;
const ANY = new Uint8Array(1 << 20);
