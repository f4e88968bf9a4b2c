// Room on the simulated disk. Files and links count in bytes; directories and names do not count.

import type { FaultSource } from "../faults.js";
import { FileError } from "./file-system.js";

/** Something that room is taken from. */
export interface Space {
  /** Throws ENOSPC if there is no room for this many more bytes. */
  take(bytes: number, path: string): void;
  free(bytes: number): void;
}

/** A whole disk, or a tmpfs. A fault can make it full early. */
export class Room implements Space {
  used = 0;
  readonly size: number;
  readonly #faults: FaultSource | null;

  constructor(size: number, faults: FaultSource | null = null) {
    this.size = size;
    this.#faults = faults;
  }

  take(bytes: number, path: string): void {
    if (bytes <= 0) return this.free(-bytes);
    if (this.used + bytes > this.size || this.#faults?.strike("disk-full")) throw new FileError("ENOSPC", path);
    this.used += bytes;
  }

  free(bytes: number): void {
    this.used -= bytes;
  }
}

/** The part of a disk that one owner uses: a layer, a container, a volume. */
export class Share implements Space {
  used = 0;
  readonly #room: Space;

  constructor(room: Space) {
    this.#room = room;
  }

  take(bytes: number, path: string): void {
    this.#room.take(bytes, path);
    this.used += bytes;
  }

  free(bytes: number): void {
    this.#room.free(bytes);
    this.used -= bytes;
  }

  /** Transfers all of it to another owner. */
  hand(to: Share): void {
    to.used += this.used;
    this.used = 0;
  }

  /** The owner is gone: frees the room. */
  release(): void {
    this.free(this.used);
  }
}
