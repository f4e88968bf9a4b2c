// The lines of a trace's text, as a recorder writes them one by one.

import type { types } from "../host.js";
import type { Opening } from "../observer.js";
import type { Codec } from "./codec.js";
import { bytes } from "./codec.js";
import { FORMAT, VERSION } from "./format.js";
import type { Call, End, OutputHashes, Segment, Start, Trace } from "./format.js";
import { input, instant, opening } from "./values.js";

/** The text of a whole trace. */
export function encodeTrace(trace: Trace): string {
  const lines = trace.segments.flatMap((segment) => [
    headerLine(segment),
    startLine(segment.start),
    ...segment.calls.map(callLine),
    endLine(segment.end),
  ]);
  return lines.map((line) => `${line}\n`).join("");
}

export function headerLine({ core, number, epoch, step }: Omit<Segment, "start" | "calls" | "end">): string {
  return JSON.stringify({ format: FORMAT, version: VERSION, core, segment: number, epoch, step });
}

export function startLine(start: Start): string {
  if (start.tag === "snapshot") return `{"snapshot":${bytes.encode(start.snapshot)}}`;
  return stepLine<Opening>("open", opening, start.opening, start);
}

/** The same start in short. `deflated`: the snapshot as raw DEFLATE. */
export function deflatedSnapshotLine(deflated: Uint8Array): string {
  return `{"snapshot":${deflatedLine(deflated)}}`;
}

/** A line in short. `deflated`: its UTF-8 as raw DEFLATE. */
export function deflatedLine(deflated: Uint8Array): string {
  return `{"deflated":${bytes.encode(deflated)}}`;
}

export function callLine(call: Call): string {
  return stepLine("input", input, call.input, call, call.masked);
}

export function endLine(end: End): string {
  return JSON.stringify("error" in end ? { end: end.why, error: end.error } : { end: end.why });
}

function stepLine<Value>(
  name: string,
  codec: Codec<Value>,
  value: Value,
  { now, out }: { now: types.Instant; out: OutputHashes | null },
  masked = false,
): string {
  const mark = masked ? ',"masked":true' : "";
  const hashes = out === null ? "" : `,"out":${JSON.stringify(out)}`;
  return `{"now":${instant.encode(now)},"${name}":${codec.encode(value)}${mark}${hashes}}`;
}
