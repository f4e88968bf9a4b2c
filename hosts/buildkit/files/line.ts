// The files that a client has listed and that are not in the tar yet.

import type { TarEntry } from "../../streams/tar/index.js";
import type { Known } from "./known-files.js";

/** One file, in its place in the tar. */
export interface Waiting {
  id: number;
  entry: TarEntry;
  /** Of its entry when it was listed. */
  size: number;
  asked: boolean;
  /** Its bytes, if they are here from an earlier time. */
  known: Known | null;
  /** All its bytes have come. */
  whole: boolean;
  /** What came and is not in the tar: of a small file all that it may become, of a large one the last piece. */
  held: Uint8Array;
  /** Bytes of what its entry says. */
  listed: number;
  /** Bytes that came, up to the size in its entry. */
  came: number;
  /** Its header is out. */
  begun: boolean;
}

/** The files that are not in the tar, in its order. */
export class Line {
  #files: Waiting[] = [];
  #first = 0;
  #toAsk = 0;

  get length(): number {
    return this.#files.length - this.#first;
  }

  get first(): Waiting | undefined {
    return this.#files[this.#first];
  }

  get toAsk(): Waiting | undefined {
    return this.#files[this.#toAsk];
  }

  push(file: Waiting): void {
    this.#files.push(file);
  }

  asked(): void {
    this.#toAsk += 1;
  }

  /** Moves the others only when they are fewer than those that have left. */
  shift(): void {
    this.#first += 1;
    this.#toAsk = Math.max(this.#toAsk, this.#first);
    if (this.#first * 2 < this.#files.length) return;
    this.#files = this.#files.slice(this.#first);
    this.#toAsk -= this.#first;
    this.#first = 0;
  }
}

/** What an entry takes beside its file. Names, targets and attributes have one character per byte. */
export function bytesIn({ name, target, xattrs }: TarEntry): number {
  let bytes = name.length + target.length;
  for (const [key, value] of xattrs) bytes += key.length + value.length;
  return bytes;
}
