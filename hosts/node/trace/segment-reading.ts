// Reads the segments that a daemon keeps as one trace. What a killed daemon, or a full disk, left without an end gets one.

import { createReadStream } from "node:fs";
import { inflateRawSync } from "node:zlib";
import type { End } from "../../trace/format.js";
import { endLine } from "../../trace/lines.js";
import type { SegmentFile } from "./trace-directory.js";

const KILLED = "the engine was killed, or the rest could not be written";
const LF = 0x0a;
/** Of the end of a line, to know whether it tells what came of a call. */
const TAIL = 200;

/**
 * The text of the trace, in pieces. `running`: the last segment is still written to. Files that go meanwhile, and those
 * that have nothing in them yet, are left out.
 */
export async function* traceText(files: readonly SegmentFile[], running: boolean): AsyncGenerator<Uint8Array> {
  let before: { lines: WholeLines; number: number } | null = null;
  for (const { file, number } of files) {
    const lines = new WholeLines();
    let isBegun = false;
    for await (const piece of piecesOf(file)) {
      for (const whole of lines.take(piece)) {
        if (!isBegun && before !== null) yield end(before.lines.end(before.number + 1 === number ? "continued" : null));
        isBegun = true;
        yield whole;
      }
    }
    if (isBegun) before = { lines, number };
  }
  if (before !== null) yield end(before.lines.end(running ? "running" : null));
}

function end(end: End): Uint8Array {
  return Buffer.from(`${endLine(end)}\n`);
}

async function* piecesOf(file: string): AsyncGenerator<Buffer> {
  try {
    for await (const piece of createReadStream(file, { highWaterMark: 1 << 18 })) yield piece as Buffer;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
}

/** Passes the lines of a segment on as far as they are whole, from the second on; its end is kept back. */
class WholeLines {
  #pieces: Buffer[] = [];
  #lineCount = 0;
  #last = Buffer.alloc(0);
  #end: { end: End["why"]; error?: string } | null = null;

  *take(piece: Buffer): Generator<Uint8Array> {
    const cut = piece.lastIndexOf(LF) + 1;
    this.#lineCount += Math.min(2, countOf(piece));
    if (cut === 0 || this.#lineCount < 2) return void this.#pieces.push(piece);
    const whole = Buffer.concat([...this.#pieces, piece.subarray(0, cut)]);
    this.#pieces = [Buffer.from(piece.subarray(cut))];
    const last = whole.lastIndexOf(LF, -2) + 1;
    this.#last = whole.subarray(last);
    const isEnd = startsWith(this.#last, '{"end":');
    if (isEnd) this.#end = JSON.parse(this.#last.toString()) as { end: End["why"]; error?: string };
    yield isEnd ? whole.subarray(0, last) : whole;
  }

  /** `next`: what follows a segment that goes on; null: nothing that fits. */
  end(next: "continued" | "running" | null): End {
    const { end, error = KILLED } = this.#end ?? {};
    if (end === "lost" || end === "broken") return { why: end, error };
    if (this.#hasTrapped()) return { why: "lost", error };
    const goesOn = next === "running" || end === "continued";
    return goesOn && next !== null ? { why: next } : { why: "broken", error };
  }

  #hasTrapped(): boolean {
    const line = startsWith(this.#last, '{"deflated":') ? inflated(this.#last) : this.#last;
    const tail = line.toString("latin1", Math.max(0, line.length - TAIL));
    return startsWith(line, '{"now":') && !/"out":\{[^{}]*\}\}\s*$/.test(tail);
  }
}

function startsWith(line: Buffer, text: string): boolean {
  return line.toString("latin1", 0, text.length) === text;
}

function inflated(line: Buffer): Buffer {
  const { deflated } = JSON.parse(line.toString("latin1")) as { deflated: string };
  return inflateRawSync(Buffer.from(deflated, "base64"));
}

function countOf(piece: Buffer): number {
  const first = piece.indexOf(LF);
  if (first < 0) return 0;
  return piece.indexOf(LF, first + 1) < 0 ? 1 : 2;
}
