// What waits to be written of segments, in order; and how it is written: what is long, in short. It is deflated beside the
// event loop, when its turn to be written comes.

import { promisify } from "node:util";
import { deflateRaw } from "node:zlib";
import type { Chain } from "../../trace/chain.js";
import { deflatedLine, deflatedSnapshotLine } from "../../trace/lines.js";
import { LineBuffer, roomFor } from "./line-buffer.js";

/** Something to be written of one segment: whole lines, or what is to become one in short. */
export interface Piece {
  segment: number;
  bytes: Uint8Array;
  /** `lines`: with places for their sums; `line`: a long one, without its sum and its LF. */
  as: "lines" | "line" | "snapshot";
}

/** Bytes of a line from which on its shortening is worth the while: pages of the journal, manifests, large bodies. */
const LONG = 8192;
/** The quickest: half a second for what another would take two for, and a tenth larger. */
const LEVEL = 1;

const deflate = promisify(deflateRaw) as (bytes: Uint8Array, options: { level: number }) => Promise<Buffer>;

export class WaitingLines {
  readonly #lines = new LineBuffer();
  #pieces: Piece[] = [];
  #segment = 0;
  #long = 0;

  /** Bytes of lines that wait, as they are before they are shortened; snapshots, which are rare, are not among them. */
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

  snapshot(bytes: Uint8Array): void {
    this.#push("snapshot", bytes);
  }

  /** All that wait. */
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

/** Bytes that the piece counts for among those that wait. */
export function roomOf({ bytes, as }: Piece): number {
  if (as === "snapshot") return 0;
  return as === "line" ? roomFor(bytes) : bytes.length;
}

/** The piece as it stands in the file, `chain` going on with it. A line that is no shorter for it is not deflated. */
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
