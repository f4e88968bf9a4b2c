// Writes the lines of a trace, as a recorder writes them one by one.

import type { OutputHashes } from "../hashes/index.js";
import { ascii, textOf } from "../shared/index.js";
import type { ByteWriter, Input, types } from "../shared/index.js";
import type { Opening } from "../driver/index.js";
import { Chain } from "./chain.js";
import type { Codec } from "./codec.js";
import { bytes, encoded } from "./codec.js";
import { FORMAT, VERSION } from "./format.js";
import type { Call, End, Segment, Start, Trace } from "./format.js";
import { hashes, input, instant, opening } from "./values.js";

/** The text of a whole trace. */
export function encodeTrace(trace: Trace): string {
  return trace.segments
    .flatMap(linesOf)
    .map((line) => `${line}\n`)
    .join("");
}

function linesOf(segment: Segment): string[] {
  const { start, calls, end } = segment;
  const lines = [headerLine(segment), startLine(start), ...calls.map(callLine), endLine(end)];
  const chain = new Chain();
  return lines.map((line) => chain.sealed(line));
}

export function headerLine({ core, number, epoch, step }: Omit<Segment, "start" | "calls" | "end">): string {
  return JSON.stringify({ format: FORMAT, version: VERSION, core, segment: number, epoch, step });
}

export function startLine(start: Start): string {
  if (start.tag === "snapshot") return `{"snapshot":${encoded(bytes, start.snapshot)}}`;
  return textOf((to) => writeOpening(start, to));
}

/** An instance was opened. */
export type Opened = Extract<Start, { tag: "open" }>;

/** Its start line. */
export function writeOpening(start: Opened, to: ByteWriter): void {
  writeStep<Opening>(OPEN, opening, start.opening, start, to);
}

/** Usually enough bytes for that line, nearly all of which are records. */
export function usualLength({ opening: { records } }: Opened): number {
  return records.reduce((sum, { key, value }) => sum + key.length + Math.ceil(value.length / 3) * 4 + BESIDE, REST);
}

/** Bytes in the start line around a record, and of everything else. */
const BESIDE = 32;
const REST = 65_536;

/** The start line of a compressed snapshot. `deflated`: the snapshot as raw DEFLATE. */
export function deflatedSnapshotLine(deflated: Uint8Array): string {
  return `{"snapshot":${deflatedLine(deflated)}}`;
}

/** A compressed line. `deflated`: its UTF-8 as raw DEFLATE. */
export function deflatedLine(deflated: Uint8Array): string {
  return `{"deflated":${encoded(bytes, deflated)}}`;
}

export function callLine(call: Call): string {
  return textOf((to) => writeCall(call, to));
}

export function writeCall(call: Call, to: ByteWriter): void {
  writeStep<Input>(INPUT, input, call.input, call, to, call.masked);
}

export function endLine(end: End): string {
  return JSON.stringify("error" in end ? { end: end.why, error: end.error } : { end: end.why });
}

const NOW = ascii('{"now":');
const OPEN = ascii(',"open":');
const INPUT = ascii(',"input":');
const MASKED = ascii(',"masked":true');
const OUT = ascii(',"out":');

function writeStep<Value>(
  name: Uint8Array,
  codec: Codec<Value>,
  value: Value,
  { now, out }: { now: types.Instant; out: OutputHashes | null },
  to: ByteWriter,
  masked = false,
): void {
  to.copy(NOW);
  instant.write(now, to);
  to.copy(name);
  codec.write(value, to);
  if (masked) to.copy(MASKED);
  if (out !== null) {
    to.copy(OUT);
    hashes.write(out, to);
  }
  to.ascii("}");
}
