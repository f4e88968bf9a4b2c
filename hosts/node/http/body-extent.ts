// Counts how many of a connection's bytes belong to the current body (RFC 9112, 6 and 7.1). It leaves the bytes
// themselves to Node's parser, which also refuses malformed ones.

import { BadRequest } from "./request-head.js";
import type { RequestHead } from "./request-head.js";

const NEWLINE = 0x0a;
/** Limits for a chunk-size line and a trailer line. In practice nobody sends chunk extensions. */
const LONGEST_LINE = { size: 64, trailer: 8192 };

export class BodyExtent {
  #phase: "data" | "size" | "trailer" | "done";
  /** Bytes of data still to come. */
  #left = 0;
  readonly #chunked: boolean;
  /** The part so far of the line with a chunk's size, or of a trailer line. */
  #line = "";

  constructor(body: RequestHead["body"]) {
    this.#chunked = body.kind === "chunked";
    this.#phase = body.kind === "none" ? "done" : this.#chunked ? "size" : "data";
    if (body.kind === "length") this.#left = body.length;
  }

  get done(): boolean {
    return this.#phase === "done";
  }

  /** How many of `bytes`, from `start` on, belong to the body. */
  take(bytes: Uint8Array, start: number): number {
    let at = start;
    while (at < bytes.length && this.#phase !== "done") {
      at = this.#phase === "data" ? this.#takeData(bytes, at) : this.#takeLine(bytes, at);
    }
    return at - start;
  }

  #takeData(bytes: Uint8Array, at: number): number {
    const taken = Math.min(this.#left, bytes.length - at);
    this.#left -= taken;
    if (this.#left === 0) this.#phase = this.#chunked ? "size" : "done";
    return at + taken;
  }

  #takeLine(bytes: Uint8Array, at: number): number {
    const newline = bytes.indexOf(NEWLINE, at);
    const end = newline < 0 ? bytes.length : newline;
    const most = this.#phase === "size" ? LONGEST_LINE.size : LONGEST_LINE.trailer;
    if (this.#line.length + end - at > most) throw new BadRequest("400 Bad Request", "line too long");
    for (let index = at; index < end; index++) this.#line += String.fromCharCode(bytes[index]!);
    if (newline < 0) return bytes.length;
    const line = this.#line.trim();
    this.#line = "";
    if (this.#phase === "trailer") this.#phase = line === "" ? "done" : "trailer";
    else this.#beginChunk(line);
    return newline + 1;
  }

  #beginChunk(line: string): void {
    const size = Number.parseInt(line, 16);
    // A chunk's size begins with a digit. Garbage is passed on, and the parser refuses it.
    if (size === 0) this.#phase = "trailer";
    else if (size > 0) {
      this.#left = size + 2;
      this.#phase = "data";
    }
  }
}
