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
    this.#take(piece.length);
    this.#pieces.push(new Uint8Array(piece));
  }

  /** It takes the room of its zeros: this disk keeps no holes. */
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
