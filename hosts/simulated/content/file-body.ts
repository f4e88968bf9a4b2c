// The body of the file of a tar that is being read.

import { joined } from "../../streams/bytes.js";
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

  /** `name` is told when there is no room. */
  begin(file: Inode, name: string): void {
    this.#file = file;
    this.#name = name;
    this.#pieces = [];
  }

  add(piece: Uint8Array): void {
    roomed(() => this.#space.take(piece.length, this.#name));
    this.#pieces.push(new Uint8Array(piece));
  }

  end(): void {
    if (!this.#file) return;
    this.#file.bytes = joined(this.#pieces);
    this.#file.size = this.#file.bytes.length;
    this.#file = null;
  }
}
