// Streams of bytes between threads. A receiver tells how much room it has, so neither side holds more than that.

import { HostFailure } from "../../../hosts/shared/index.js";
import type { failures } from "../../../hosts/shared/index.js";
import type { FlowMessage } from "./messages.js";

/** Bytes under way at most, apart from one piece. */
const WINDOW = 1 << 20;

type Post = (message: FlowMessage, transfer: ArrayBuffer[]) => void;

/** The receiving side. */
export class Inflow {
  readonly #post: Post;
  #pieces: Uint8Array[] = [];
  #over: { failure: failures.Failure | null } | undefined;
  #wake = (): void => {};
  /** Bytes that were read since the sender heard of room. */
  #read = 0;

  constructor(post: Post) {
    this.#post = post;
  }

  piece(bytes: Uint8Array): void {
    this.#pieces.push(bytes);
    this.#wake();
  }

  /** Nothing more comes. With a failure, reading ends in it. */
  over(failure: failures.Failure | null): void {
    this.#over ??= { failure };
    this.#wake();
  }

  /** The sender begins when the first piece is wanted. */
  async *read(): AsyncGenerator<Uint8Array> {
    this.#post({ tag: "room", bytes: WINDOW }, []);
    for (;;) {
      const piece = this.#pieces.shift();
      if (piece !== undefined) {
        yield piece;
        this.#makeRoom(piece.length);
      } else if (this.#over === undefined) {
        await new Promise<void>((resolve) => (this.#wake = resolve));
      } else {
        if (this.#over.failure !== null) throw new HostFailure(this.#over.failure);
        return;
      }
    }
  }

  #makeRoom(bytes: number): void {
    this.#read += bytes;
    if (this.#read < WINDOW / 2) return;
    this.#post({ tag: "room", bytes: this.#read }, []);
    this.#read = 0;
  }
}

/** The sending side. */
export class Outflow {
  readonly #post: Post;
  #room = 0;
  #wake = (): void => {};

  constructor(post: Post) {
    this.#post = post;
  }

  room(bytes: number): void {
    this.#room += bytes;
    if (this.#room > 0) this.#wake();
  }

  /** Resolves when the receiver wants more. */
  async wanted(): Promise<void> {
    while (this.#room <= 0) await new Promise<void>((resolve) => (this.#wake = resolve));
  }

  /** `isOwn`: the memory of the piece may go to the receiver. It is copied if it is a part of something larger. */
  send(piece: Uint8Array, isOwn = false): void {
    this.#room -= piece.length;
    const bytes = isOwn && hasOwnMemory(piece) ? piece : new Uint8Array(piece);
    this.#post({ tag: "piece", bytes }, [bytes.buffer]);
  }

  end(failure: failures.Failure | null): void {
    this.#post({ tag: "over", failure }, []);
  }
}

function hasOwnMemory(piece: Uint8Array): piece is Uint8Array<ArrayBuffer> {
  return piece.buffer instanceof ArrayBuffer && piece.length === piece.buffer.byteLength;
}
