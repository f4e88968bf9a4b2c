// Room on the simulated disk, in bytes of files and links; what directories and names take is not counted.

import type { FaultSource } from "../faults.js";
import { FileError } from "./file-system.js";

/** Where bytes are taken from. */
export interface Space {
  /** Throws ENOSPC when there is no room for so many more. */
  take(bytes: number, path: string): void;
  free(bytes: number): void;
}

/** A whole disk, or a tmpfs. `faults` may fill it early. */
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

/** Part of a disk that one owner has: a layer, a container, a volume. */
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

  /** Another owner has all of it from now on. */
  hand(to: Share): void {
    to.used += this.used;
    this.used = 0;
  }

  /** Its owner is gone. */
  release(): void {
    this.free(this.used);
  }
}
