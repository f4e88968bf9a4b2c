// A buffer between an exec and its client. Output is held, captured, or dropped if there is no client.

import type { OutputPiece } from "../shared/index.js";

/** As much as two pipes hold (pipe(7)). */
const HELD_BYTES_MAX = 2 * 65_536;

export class HeldOutput {
  /** How many bytes may be held. A writer checks `room` first. */
  limit = HELD_BYTES_MAX;
  readonly #capture: number;
  #reader: "none" | "bound" | "gone" = "none";
  readonly #held: OutputPiece[] = [];
  #heldBytes = 0;
  #isOver = false;
  readonly #captured: Uint8Array[] = [];
  #capturedBytes = 0;
  #isTruncated = false;
  readonly #onRoom = new Set<() => void>();
  #onMore: () => void = () => {};

  /** `capture`: how many first bytes are kept instead of being passed to a reader; 0 for none. */
  constructor(capture: number) {
    this.#capture = capture;
  }

  /** In bytes. */
  get room(): number {
    if (!this.#isHeld) return HELD_BYTES_MAX;
    return Math.max(0, this.limit - this.#heldBytes);
  }

  get isBound(): boolean {
    return this.#reader === "bound";
  }

  /** The first bytes, and whether there were more. */
  get captured(): { output: Uint8Array; truncated: boolean } {
    const output = new Uint8Array(this.#capturedBytes);
    let at = 0;
    for (const piece of this.#captured) {
      output.set(piece, at);
      at += piece.length;
    }
    return { output, truncated: this.#isTruncated };
  }

  /** Adds bytes. The caller must not change them any more. */
  put(stream: OutputPiece["stream"], bytes: Uint8Array): void {
    if (this.#capture > 0) return this.#keep(bytes);
    if (!this.#isHeld || bytes.length === 0) return;
    this.#held.push({ stream, bytes });
    this.#heldBytes += bytes.length;
    this.#onMore();
  }

  /** Calls `call` once when there is room again. Returns a function that cancels it. */
  whenRoom(call: () => void): () => void {
    this.#onRoom.add(call);
    return () => this.#onRoom.delete(call);
  }

  /** A reader will come. */
  bind(): void {
    if (this.#reader === "none") this.#reader = "bound";
  }

  /** There is no reader, or no longer. */
  leave(): void {
    this.#reader = "gone";
    this.#held.length = this.#heldBytes = 0;
    this.#stir();
  }

  /** No more output will come, or nobody cares. */
  end(): void {
    this.#isOver = true;
    this.#stir();
  }

  /** For one reader: up to the end, or until it leaves. */
  async *pieces(): AsyncGenerator<OutputPiece> {
    for (;;) {
      const piece = this.#held.shift();
      if (piece) {
        this.#heldBytes -= piece.bytes.length;
        this.#stirRoom();
        yield piece;
      } else if (this.#isOver || this.#reader === "gone") return;
      else await new Promise<void>((resolve) => (this.#onMore = resolve));
    }
  }

  get #isHeld(): boolean {
    return this.#capture === 0 && !this.#isOver && this.#reader !== "gone";
  }

  #keep(bytes: Uint8Array): void {
    const kept = bytes.slice(0, this.#capture - this.#capturedBytes);
    if (kept.length < bytes.length) this.#isTruncated = true;
    if (kept.length > 0) this.#captured.push(kept);
    this.#capturedBytes += kept.length;
  }

  #stir(): void {
    this.#stirRoom();
    this.#onMore();
  }

  #stirRoom(): void {
    const calls = [...this.#onRoom];
    this.#onRoom.clear();
    for (const call of calls) call();
  }
}
