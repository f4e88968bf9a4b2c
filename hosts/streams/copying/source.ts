// Where the files of a copy come from, and where they go. Both hosts can send a file or a directory as a tar, so a copy is a
// tar that is read while it is made: it needs no room of its own, and every entry passes the checks of an extraction.

import { TarReader } from "../tar/index.js";
import type { TarSink } from "../tar/index.js";

/** Whether a file below an archived directory is in the tar; for a directory: whether it is entered. The name is text. */
export type Wants = (name: string, isDirectory: boolean) => boolean;

/** The files of a container. Paths are absolute; links are followed within the container. */
export interface CopySource {
  /** Where a path leads after all links are followed; parts that do not exist keep their names. */
  locate(path: string): string;
  /**
   * Sends a file or a directory as the entries of a tar, the first of which is the file itself. `wants` is asked about all
   * others. Throws `call` with ENOENT if there is none. `stopped` throws if the operation was given up.
   */
  send(path: string, sink: TarSink, stopped: () => void, wants?: Wants): Promise<void>;
  /**
   * The bytes of a regular file, without so many of the first. A piece is valid until the next one is asked for. Throws as
   * `send` does, and `wrong-kind` for any other kind of file.
   */
  read(path: string, without?: number): AsyncIterable<Uint8Array>;
}

/** Sends the entries of a tar. */
export async function pour(bytes: AsyncIterable<Uint8Array>, sink: TarSink, stopped: () => void): Promise<void> {
  const reader = new TarReader(sink);
  for await (const piece of bytes) {
    stopped();
    await reader.push(piece);
  }
  reader.end();
}

/** The files of a container that get a copy. Paths are absolute, and never lead out of the container. */
export interface CopyTarget {
  /** Takes files; names are from the root. Missing directories are made, and links on the way are followed. */
  sink: TarSink;
  /** As `CopySource.locate`. */
  locate(path: string): string;
  /** Whether anything is there after links are followed. */
  has(path: string): boolean;
  /** Nanoseconds since 1970: the time of new directories. */
  now(): bigint;
}

/** A running digest. */
export interface Hashing {
  update(bytes: Uint8Array): unknown;
  /** `sha256:` and 64 hex digits. */
  digest(): string;
}
