// The interface of a consumer of a tar.

import { tooLarge } from "../../shared/index.js";
import type { TarEntry } from "./entry.js";

/** What is accepted of a tar. */
export interface TarLimits {
  /** Bytes of the whole tar. */
  unpacked: number;
  /** Bytes of holes in all its files: a header alone can claim any number. */
  holes: number;
}

/** For a tar that is only read, or that we have made. */
export const UNLIMITED: TarLimits = { unpacked: Infinity, holes: Infinity };

/** `limits` as the core gives them. */
export function limitsOf({ unpacked, holes }: { unpacked: bigint; holes: bigint }): TarLimits {
  return { unpacked: Number(unpacked), holes: Number(holes) };
}

/** The bytes of a tar that is only kept. Throws `too-large` if there are more than allowed. */
export async function* limited(bytes: AsyncIterable<Uint8Array>, unpacked: bigint): AsyncGenerator<Uint8Array> {
  let size = 0;
  for await (const piece of bytes) {
    size += piece.length;
    if (size > unpacked) throw tooLarge("unpacked", "", Number(unpacked));
    yield piece;
  }
}

/** Handles a tar's entries. Its methods may throw. */
export interface TarSink {
  readonly limits: TarLimits;
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
