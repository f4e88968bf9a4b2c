// Reads the segments that a daemon keeps as one trace. Adds the missing end of a segment after a killed daemon or a
// full disk.

import { createReadStream } from "node:fs";
import { inflateRawSync } from "node:zlib";
import { Chain, endLine } from "../../trace/index.js";
import type { End } from "../../trace/index.js";
import type { SegmentFile } from "./trace-directory.js";

const KILLED = "the engine was killed, or the rest could not be written";
const LF = 0x0a;
/** How much of a line's end is kept, to see whether the line has the result of a call. */
const TAIL = 200;

/**
 * The text of the trace, in pieces. `running`: the last segment is still being written. Files that disappear meanwhile,
 * and files that are still empty, are left out.
 */
export async function* traceText(files: readonly SegmentFile[], running: boolean): AsyncGenerator<Uint8Array> {
  let before: { lines: WholeLines; number: number } | null = null;
  for (const { file, number } of files) {
    const lines = new WholeLines();
    let isBegun = false;
    for await (const piece of piecesOf(file)) {
      for (const whole of lines.take(piece)) {
        if (!isBegun && before !== null) yield before.lines.end(before.number + 1 === number ? "continued" : null);
        isBegun = true;
        yield whole;
      }
    }
    if (isBegun) before = { lines, number };
  }
  if (before !== null) yield before.lines.end(running ? "running" : null);
}

async function* piecesOf(file: string): AsyncGenerator<Buffer> {
  try {
    for await (const piece of createReadStream(file, { highWaterMark: 1 << 18 })) yield piece as Buffer;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
}

/** Passes on the complete lines of a segment, from the second on, but holds back its end. */
class WholeLines {
  #pieces: Buffer[] = [];
  #lineCount = 0;
  /** The last line, without a segment's end. */
  #last = Buffer.alloc(0);
  #end: Buffer | null = null;

  *take(piece: Buffer): Generator<Uint8Array> {
    const cut = piece.lastIndexOf(LF) + 1;
    this.#lineCount += Math.min(2, countOf(piece));
    if (cut === 0 || this.#lineCount < 2) return void this.#pieces.push(piece);
    const whole = Buffer.concat([...this.#pieces, piece.subarray(0, cut)]);
    this.#pieces = [Buffer.from(piece.subarray(cut))];
    const last = lastLineOf(whole);
    const isEnd = startsWith(last, '{"end":');
    const rest = isEnd ? whole.subarray(0, whole.length - last.length) : whole;
    if (isEnd) this.#end = last;
    if (rest.length > 0) this.#last = lastLineOf(rest);
    yield rest;
  }

  /** The line of the segment's end. `next`: how the trace continues; null: nothing follows. */
  end(next: "continued" | "running" | null): Uint8Array {
    const behind = textOf(this.#last.subarray(-TAIL));
    const chain = new Chain(behind);
    const said = this.#end === null ? {} : endIn(textOf(this.#end), chain);
    // The reader must see that the trace is damaged: a new line would look correct.
    if (said === null) return this.#end!;
    const line = endLine(this.#endBefore(said, next));
    return Buffer.from(`${chain.sealed(line)}\n`);
  }

  #endBefore({ end, error = KILLED }: Partial<SaidEnd>, next: "continued" | "running" | null): End {
    if (end === "lost" || end === "broken") return { why: end, error };
    if (hasTrapped(this.#last)) return { why: "lost", error };
    const goesOn = next === "running" || end === "continued";
    return goesOn && next !== null ? { why: next } : { why: "broken", error };
  }
}

interface SaidEnd {
  end: End["why"];
  error?: string;
}

/** Null if the line is damaged. */
function endIn(line: string, chain: Chain): SaidEnd | null {
  try {
    return JSON.parse(chain.fork().unsealed(line)) as SaidEnd;
  } catch {
    return null;
  }
}

/** False if the line is damaged; the reader is told about that. */
function hasTrapped(last: Buffer): boolean {
  const line = startsWith(last, '{"deflated":') ? inflated(last) : last;
  const tail = line.toString("latin1", Math.max(0, line.length - TAIL));
  return startsWith(line, '{"now":') && !/"out":\{[^{}]*\}(,"sum":"[^"]*")?\}\s*$/.test(tail);
}

/** With its LF. */
function lastLineOf(lines: Buffer): Buffer<ArrayBuffer> {
  return lines.subarray(lines.lastIndexOf(LF, -2) + 1) as Buffer<ArrayBuffer>;
}

function startsWith(line: Buffer, text: string): boolean {
  return line.toString("latin1", 0, text.length) === text;
}

function inflated(line: Buffer): Buffer {
  try {
    const { deflated } = JSON.parse(line.toString("latin1")) as { deflated: string };
    return inflateRawSync(Buffer.from(deflated, "base64"));
  } catch {
    return Buffer.alloc(0);
  }
}

/** Without its LF. */
function textOf(line: Buffer): string {
  return line.toString().replace(/\n$/, "");
}

function countOf(piece: Buffer): number {
  const first = piece.indexOf(LF);
  if (first < 0) return 0;
  return piece.indexOf(LF, first + 1) < 0 ? 1 : 2;
}
