// Who reads a tar.

import type { TarEntry } from "./entry.js";

/** What is done with a tar's entries. May throw. */
export interface TarSink {
  /** Bytes of holes that it takes in, of all files of a tar: a header is enough to claim any number. */
  readonly mostHoles: number;
  /** A new entry. Of a file, `size` bytes follow by `data` and `hole`. Nothing more is told before the promise resolves. */
  entry(entry: TarEntry): Promise<void> | void;
  /** A piece of the file's body, valid until the promise resolves; nothing more is told before. */
  data(piece: Uint8Array): Promise<void> | void;
  /** So many zeros of the file's body, which the tar leaves out. */
  hole(size: number): void;
  /** The file's body is whole. Nothing more is told before its promise resolves. */
  end(): Promise<void> | void;
}

/** What disks take that keep holes: more than any file of use, and within what file systems can name. */
export const MOST_HOLES = 2 ** 40;
/** What is held in memory. */
export const MOST_HOLES_IN_MEMORY = 256 << 20;
