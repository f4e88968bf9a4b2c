// The files of a build's context as the source of copies, read from its tar.

import * as fs from "node:fs";
import { turn, wrongKind } from "../../../hosts/shared/index.js";
import type { CopySource, Wants } from "../../../hosts/streams/copying/index.js";
import { absolutePath, bytesOf, textOf } from "../../../hosts/streams/tar/index.js";
import type { TarSink } from "../../../hosts/streams/tar/index.js";
import type { Paths } from "../../paths.js";
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
    return new HeldFiles(await treeOf(paths.heldTar(container)), fd);
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
    let told = 0;
    for (const { name, ...held } of this.#tree.below(bytesOf(absolutePath(path)), wanted)) {
      stopped();
      const entered = sink.entry({ ...held.entry, name });
      if (entered) await entered;
      if (held.entry.type === "file") await this.#sendBody(held, sink);
      if (++told % AT_ONCE === 0) await turn();
    }
  }

  async *read(path: string): AsyncGenerator<Uint8Array> {
    const held = this.#tree.find(bytesOf(path));
    if (held.entry.type !== "file") throw wrongKind("member", path);
    for (const piece of this.#pieces(held)) yield piece;
  }

  close(): void {
    fs.closeSync(this.#fd);
  }

  /** Only waits if the sink does. */
  #sendBody(held: Held, sink: TarSink): Promise<void> | void {
    const pieces = this.#pieces(held);
    const goOn = (): Promise<void> | void => {
      for (let next = pieces.next(); next.done !== true; next = pieces.next()) {
        const busy = sink.data(next.value);
        if (busy) return busy.then(goOn);
      }
      return sink.end();
    };
    return goOn();
  }

  /** A piece is valid until the next one is asked for. */
  *#pieces({ at, entry: { size } }: Held): Generator<Uint8Array> {
    this.#whole ??= this.#readWhole();
    if (this.#whole.length > 0) {
      if (size > 0) yield this.#whole.subarray(at, at + size);
      return;
    }
    const piece = Buffer.allocUnsafe(Math.min(PIECE, size));
    for (let done = 0; done < size;) {
      const read = fs.readSync(this.#fd, piece, 0, Math.min(PIECE, size - done), at + done);
      if (read === 0) throw new Error("a held tar has become shorter");
      yield piece.subarray(0, read);
      done += read;
    }
  }

  /** Empty if it is too large. */
  #readWhole(): Buffer {
    const { size } = fs.fstatSync(this.#fd);
    if (size > LARGEST_WHOLE) return Buffer.alloc(0);
    const whole = Buffer.allocUnsafe(size);
    for (let done = 0; done < size;) {
      const read = fs.readSync(this.#fd, whole, done, size - done, done);
      if (read === 0) throw new Error("a held tar has become shorter");
      done += read;
    }
    return whole;
  }
}

const LARGEST_WHOLE = 32 << 20;
const PIECE = 512 << 10;
/** Files before others have a turn: some 10 ms. */
const AT_ONCE = 512;
