// The body of the file that is being read from a tar.

import { joined } from "../../shared/index.js";
import type { Inode } from "../files/inode.js";
import type { Space } from "../files/space.js";
import { roomed } from "./room.js";

export class FileBody {
  readonly #space: Space;
  #file: Inode | null = null;
  #name = "";
  #pieces: Uint8Array[] = [];

  constructor(space: Space) {
    this.#space = space;
  }

  /** `name` is the name reported if the disk is full. */
  begin(file: Inode, name: string): void {
    this.#file = file;
    this.#name = name;
    this.#pieces = [];
  }

  add(piece: Uint8Array): void {
    this.#take(piece.length);
    this.#pieces.push(new Uint8Array(piece));
  }

  /** A hole takes as much room as its zeros, because this disk does not store files sparsely. */
  hole(size: number): void {
    this.#take(size);
    this.#pieces.push(new Uint8Array(size));
  }

  end(): void {
    if (!this.#file) return;
    this.#file.bytes = joined(this.#pieces);
    this.#file.size = this.#file.bytes.length;
    this.#file = null;
  }

  #take(bytes: number): void {
    roomed(() => this.#space.take(bytes, this.#name));
  }
}
