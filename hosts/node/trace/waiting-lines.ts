// Pieces of segments that wait to be written, in order. Long ones are compressed off the event loop when their turn to
// be written comes.

import { promisify } from "node:util";
import { deflateRaw } from "node:zlib";
import { deflatedLine, deflatedSnapshotLine } from "../../trace/index.js";
import type { Chain } from "../../trace/index.js";
import { LineBuffer, roomFor } from "./line-buffer.js";

/** Something to write to one segment: complete lines, or data that becomes one short line. */
export interface Piece {
  segment: number;
  bytes: Uint8Array;
  /** `lines`: with room for their checksums. `line`: a long one, without checksum and LF. */
  as: "lines" | "line" | "snapshot";
}

/** From this size on, compressing a line pays off: pages of the journal, manifests, large bodies. */
const LONG = 8192;
/** The fastest level: half a second where another takes two, and a result one tenth larger. */
const LEVEL = 1;

const deflate = promisify(deflateRaw) as (bytes: Uint8Array, options: { level: number }) => Promise<Buffer>;

export class WaitingLines {
  readonly #lines = new LineBuffer();
  #pieces: Piece[] = [];
  #segment = 0;
  #long = 0;

  /** Uncompressed bytes of waiting lines. Snapshots, which are rare, do not count. */
  get length(): number {
    return this.#long + this.#lines.length;
  }

  get isEmpty(): boolean {
    return this.#pieces.length === 0 && this.#lines.length === 0;
  }

  begin(segment: number): void {
    this.#gather();
    this.#segment = segment;
  }

  append(line: Uint8Array): void {
    if (line.length < LONG) return this.#lines.append(line);
    this.#long += roomFor(line);
    this.#push("line", line.slice());
  }

  /** Takes a line whose bytes nobody else uses. */
  opening(line: Uint8Array): void {
    if (line.length < LONG) return this.#lines.append(line);
    this.#long += roomFor(line);
    this.#push("line", line);
  }

  snapshot(bytes: Uint8Array): void {
    this.#push("snapshot", bytes);
  }

  /** Takes everything that waits. */
  take(): Piece[] {
    this.#gather();
    const taken = this.#pieces;
    this.#pieces = [];
    this.#long = 0;
    return taken;
  }

  #push(as: Piece["as"], bytes: Uint8Array): void {
    this.#gather();
    this.#pieces.push({ segment: this.#segment, bytes, as });
  }

  #gather(): void {
    if (this.#lines.length === 0) return;
    const bytes = this.#lines.take();
    this.#long += bytes.length;
    this.#pieces.push({ segment: this.#segment, bytes, as: "lines" });
  }
}

/** How much the piece counts towards the waiting bytes. */
export function roomOf({ bytes, as }: Piece): number {
  if (as === "snapshot") return 0;
  return as === "line" ? roomFor(bytes) : bytes.length;
}

/** The piece as it is in the file; updates `chain`. A line that would not get shorter is not compressed. */
export async function written({ bytes, as }: Piece, chain: Chain): Promise<Uint8Array> {
  if (as === "lines") {
    chain.fill(bytes);
    return bytes;
  }
  const deflated = await deflate(bytes, { level: LEVEL });
  const short = as === "line" ? deflatedLine(deflated) : deflatedSnapshotLine(deflated);
  const isShorter = as === "snapshot" || short.length < bytes.length;
  return Buffer.from(`${chain.sealed(isShorter ? short : Buffer.from(bytes).toString())}\n`);
}
