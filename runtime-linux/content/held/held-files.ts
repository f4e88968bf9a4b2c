// The files of a build's context as the source of copies, read from its tar.

import * as fs from "node:fs";
import { turn, wrongKind } from "../../../hosts/shared/index.js";
import type { CopySource, Wants } from "../../../hosts/streams/copying/index.js";
import { absolutePath, bytesOf, textOf } from "../../../hosts/streams/tar/index.js";
import type { TarSink } from "../../../hosts/streams/tar/index.js";
import type { Paths } from "../../paths.js";
import { fileFailure } from "../files/file-failure.js";
import { treeOf } from "./held-tar.js";
import type { Held, HeldTree } from "./tree.js";

/** Undefined if the container's files are not held as a tar. The caller closes it. */
export async function openHeld(paths: Paths, container: string): Promise<HeldFiles | undefined> {
  let fd: number;
  try {
    fd = fs.openSync(paths.heldTar(container), "r");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
  try {
    return new HeldFiles(await treeOf(paths.heldTar(container), fd), fd);
  } catch (error) {
    fs.closeSync(fd);
    throw error;
  }
}

export class HeldFiles implements CopySource {
  readonly #tree: HeldTree;
  readonly #fd: number;
  /** The whole tar, unless it is large: a call for each of many small files would take longer. */
  #whole: Buffer | null = null;

  /** `fd`: the open tar. */
  constructor(tree: HeldTree, fd: number) {
    [this.#tree, this.#fd] = [tree, fd];
  }

  locate(path: string): string {
    return textOf(this.#tree.locate(bytesOf(path)));
  }

  async send(path: string, sink: TarSink, stopped: () => void, wants: Wants = () => true): Promise<void> {
    const wanted = (name: string, isDirectory: boolean): boolean => wants(textOf(name), isDirectory);
    const turns = new Turns(stopped);
    let isTree = false;
    for (const { name, ...held } of this.#tree.below(bytesOf(absolutePath(path)), wanted)) {
      stopped();
      isTree ||= held.children !== null;
      const entered = sink.entry({ ...held.entry, name });
      if (entered) await entered;
      if (held.entry.type === "file") {
        if (isTree) this.#whole ??= this.#readWhole();
        await this.#sendBody(held, name, sink, turns);
      }
      const due = turns.after(BYTES_AT_ONCE / FILES_AT_ONCE);
      if (due) await due;
    }
  }

  async *read(path: string, without = 0): AsyncGenerator<Uint8Array> {
    const held = this.#tree.find(bytesOf(path));
    if (held.entry.type !== "file") throw wrongKind("member", path);
    const turns = new Turns();
    for (const piece of this.#pieces(held, bytesOf(path), without)) {
      yield piece;
      await turns.after(piece.length);
    }
  }

  close(): void {
    fs.closeSync(this.#fd);
  }

  /** Only waits if the sink does, or if others have a turn. */
  #sendBody(held: Held, name: string, sink: TarSink, turns: Turns): Promise<void> | void {
    const pieces = this.#pieces(held, name);
    const goOn = (): Promise<void> | void => {
      for (let next = pieces.next(); next.done !== true; next = pieces.next()) {
        const [busy, due] = [sink.data(next.value), turns.after(next.value.length)];
        if (busy || due) return Promise.all([busy, due]).then(goOn);
      }
      return sink.end();
    };
    return goOn();
  }

  /** A piece is valid until the next one is asked for. `from`: where to begin. */
  *#pieces({ at, entry: { size } }: Held, name: string, from = 0): Generator<Uint8Array> {
    const whole = this.#whole ?? NOTHING;
    const most = whole.length > 0 ? BYTES_AT_ONCE : PIECE;
    const piece = whole.length > 0 ? whole : Buffer.allocUnsafe(Math.min(PIECE, size));
    for (let done = from; done < size;) {
      const wanted = Math.min(most, size - done);
      if (whole.length > 0) yield whole.subarray(at + done, at + done + wanted);
      else yield piece.subarray(0, readAt(this.#fd, piece.subarray(0, wanted), at + done, name));
      done += wanted;
    }
  }

  /** Empty if it is too large. */
  #readWhole(): Buffer {
    const { size } = fs.fstatSync(this.#fd);
    if (size > LARGEST_WHOLE) return NOTHING;
    const whole = Buffer.allocUnsafe(size);
    readAt(this.#fd, whole, 0, "");
    return whole;
  }
}

/** Others have a turn after some bytes, and it is found out whether the operation was given up meanwhile. */
class Turns {
  readonly #stopped: () => void;
  #bytes = 0;

  constructor(stopped: () => void = () => {}) {
    this.#stopped = stopped;
  }

  after(bytes: number): Promise<void> | void {
    this.#bytes += bytes;
    if (this.#bytes < BYTES_AT_ONCE) return;
    this.#bytes = 0;
    return turn().then(this.#stopped);
  }
}

/** Fills the buffer, and returns its length. `name`: of the file whose bytes these are. */
function readAt(fd: number, into: Uint8Array, at: number, name: string): number {
  for (let done = 0; done < into.length;) {
    const read = readSome(fd, into, done, at, name);
    if (read === 0) throw new Error("a held tar has become shorter");
    done += read;
  }
  return into.length;
}

function readSome(fd: number, into: Uint8Array, done: number, at: number, name: string): number {
  try {
    return fs.readSync(fd, into, done, into.length - done, at + done);
  } catch (error) {
    throw fileFailure(error, "read", absolutePath(name));
  }
}

const NOTHING = Buffer.alloc(0);
const LARGEST_WHOLE = 32 << 20;
const PIECE = 512 << 10;
/** Before others have a turn: some 10 ms. */
const BYTES_AT_ONCE = 8 << 20;
const FILES_AT_ONCE = 512;
