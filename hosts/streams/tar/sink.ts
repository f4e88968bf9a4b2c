// The interface of a consumer of a tar.

import type { TarEntry } from "./entry.js";

/** Handles a tar's entries. Its methods may throw. */
export interface TarSink {
  /** How many bytes of holes it accepts in all files of a tar: a header alone can claim any number. */
  readonly mostHoles: number;
  /**
   * A new entry. For a file, `size` bytes follow by `data` and `hole`. There is no other call before the promise
   * resolves.
   */
  entry(entry: TarEntry): Promise<void> | void;
  /** A piece of the file's body, valid until the promise resolves. There is no other call before that. */
  data(piece: Uint8Array): Promise<void> | void;
  /** This many zeros of the file's body, which the tar leaves out. */
  hole(size: number): void;
  /** The file's body is complete. There is no other call before the promise resolves. */
  end(): Promise<void> | void;
}
