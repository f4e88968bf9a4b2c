// What an exec writes, on its way to who is bound to it, to its capture, or to nobody.

import type { OutputPiece } from "../../host.js";
import { Waiting, type Sink } from "./streams.js";

/** As much as two pipes hold (pipe(7)). */
const HELD_BYTES_MAX = 2 * 65_536;

export class ExecOutput {
  #reader: "none" | "bound" | "gone" = "none";
  readonly #held: OutputPiece[] = [];
  #heldBytes = 0;
  #isOver = false;
  #captureLeft: number;
  readonly #captured: Uint8Array[] = [];
  #isTruncated = false;
  /** Descriptors that lead here. */
  #writers = 0;
  readonly #room = new Waiting();
  readonly #more = new Waiting();
  #resolveWritten: () => void = () => {};
  /** Resolves when nobody can write any more. */
  readonly written = new Promise<void>((resolve) => (this.#resolveWritten = resolve));

  /** `capture`: so many first bytes are kept. */
  constructor(private readonly capture: number) {
    this.#captureLeft = capture;
  }

  sink(stream: OutputPiece["stream"]): Sink {
    this.#writers++;
    return {
      tty: false,
      put: (bytes) => this.#put(stream, bytes),
      wake: (room) => this.#room.add(room),
      isFull: () => this.#roomLeft() === 0,
      retain: () => void this.#writers++,
      release: () => this.#released(),
    };
  }

  /** Somebody will read. */
  bind(): void {
    if (this.#reader === "none") this.#reader = "bound";
  }

  /** Nobody reads, or nobody does any more. */
  leave(): void {
    this.#reader = "gone";
    this.#held.length = this.#heldBytes = 0;
    this.#room.stir();
    this.#more.stir();
  }

  get isBound(): boolean {
    return this.#reader === "bound";
  }

  /** What is still written goes nowhere. */
  end(): void {
    this.#isOver = true;
    this.#resolveWritten();
    this.#room.stir();
    this.#more.stir();
  }

  get captured(): { output: Uint8Array; truncated: boolean } {
    const output = new Uint8Array(this.capture - this.#captureLeft);
    let at = 0;
    for (const piece of this.#captured) {
      output.set(piece, at);
      at += piece.length;
    }
    return { output, truncated: this.#isTruncated };
  }

  async *pieces(): AsyncGenerator<OutputPiece> {
    for (;;) {
      const piece = this.#held.shift();
      if (piece) {
        this.#heldBytes -= piece.bytes.length;
        this.#room.stir();
        yield piece;
      } else if (this.#isOver || this.#reader === "gone") return;
      else await new Promise<void>((resolve) => this.#more.add(resolve));
    }
  }

  #put(stream: OutputPiece["stream"], bytes: Uint8Array): number {
    if (this.capture > 0) return this.#keep(bytes);
    if (this.#isOver || this.#reader === "gone") return bytes.length;
    const taken = bytes.slice(0, this.#roomLeft());
    if (taken.length === 0) return 0;
    this.#held.push({ stream, bytes: taken });
    this.#heldBytes += taken.length;
    this.#more.stir();
    return taken.length;
  }

  #roomLeft(): number {
    if (this.capture > 0 || this.#isOver || this.#reader === "gone") return HELD_BYTES_MAX;
    return Math.max(0, HELD_BYTES_MAX - this.#heldBytes);
  }

  #keep(bytes: Uint8Array): number {
    const kept = bytes.slice(0, this.#captureLeft);
    if (kept.length < bytes.length) this.#isTruncated = true;
    if (kept.length > 0) this.#captured.push(kept);
    this.#captureLeft -= kept.length;
    return bytes.length;
  }

  #released(): void {
    if (--this.#writers === 0) this.end();
  }
}
