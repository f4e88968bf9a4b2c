// A trace to share with others. It tells what happened, but has nothing that could be replayed or checked.
//
// As text it is NDJSON, like a trace (format.ts):
//
//   {"format":"coracle-shared-trace","version":2,"core":HEX}      the header, once
//   {"at":[EPOCH,STEP],"now":NOW,"open":OPENING,"told":TOLD}      an instance was opened
//   {"at":[EPOCH,STEP],"now":NOW,"resumed":[RECORD…]}             the recording starts during an instance's life
//   {"at":[EPOCH,STEP],"now":NOW,"input":INPUT,"told":TOLD}       a step
//   {"lost":TEXT}                                                 the instance is gone
//   {"end":"told"}                                                the end of the file
//
// Each line ends with its checksum, as in a trace, but the whole file is one chain. Another version is refused.
//
// TOLD is {"records":…,"effects":…,"replies":…,"notes":…}: a step's outputs and its reasons. To learn them, the writer
// of the file replays the trace. A reader cannot do that: a snapshot is an image of the core's memory, with all values
// in it. So the file has no snapshots and no hashes. Values of TOLD and RECORD are those of core/wit/engine.wit as in
// a trace, except that 64-bit numbers are {"$n":DECIMAL} and bytes {"$b":BASE64}.
//
// The values that hidden-places.ts lists are replaced by as many x's: values of environment variables, of labels and
// of drivers' options, and whole commands, in bodies, queries, records, image configs and options. A value of four
// characters or more is also replaced wherever else it occurs in a text, except for words of commands that many texts
// have. Bytes of effects and replies are left out, and so are bytes that are not text, and output and names of
// processes. Names of variables and options and keys of labels stay; so do names, paths and addresses. A trace has no
// credentials anyway.

import { fromBase64, toBase64 } from "../shared/index.js";
import type { Input, engine, types } from "../shared/index.js";
import type { CompiledCore, ObservedStep, Opening } from "../driver/index.js";
import { Chain } from "./chain.js";
import { Malformed, encoded, malformed, objectOf, onlyThese, optional, pair, record, text, u32 } from "./codec.js";
import { TraceError } from "./decode.js";
import type { Segment } from "./format.js";
import { LineReader } from "./line-reader.js";
import { HiddenValues } from "./hidden-values.js";
import { replay, toItsEnd } from "./replay.js";
import type { ReplayOptions, ReplayedStep } from "./replay.js";
import * as shared from "./shared-values.js";
import { input, instant, opening } from "./values.js";

export const SHARED_FORMAT = "coracle-shared-trace";
const SHARED_VERSION = 2;
const END = "told";

/** Receives the steps of a shared trace. */
export interface Listener {
  opened(step: ObservedStep, opening: Opening): void;
  stepped(step: ObservedStep, input: Input): void;
  resumed(at: { epoch: number; step: number; now: types.Instant }, records: engine.Stored[]): void;
  lost(epoch: number, error: unknown): void;
}

/**
 * Writes the lines of a shared trace. Calls `segments` twice, the first time to learn which values to hide. Returns
 * how many segments of other cores are left out. Throws `TraceError` if a replay on this core differs from the
 * recording.
 */
export function share(
  segments: () => Iterable<Segment>,
  core: CompiledCore,
  identity: string,
  write: (line: string) => void,
): number {
  const values = new HiddenValues();
  const options = { identity } satisfies ReplayOptions;
  const chain = new Chain();
  const writeLine = (line: string): void => write(chain.sealed(line));
  told(segments(), core, {
    ...options,
    onResumed: (_segment, records) => shared.noteStored(values, records),
    onStep: ({ cause, outputs }) => {
      shared.noteRecords(values, outputs.records);
      if ("opening" in cause) shared.noteOpening(values, cause.opening);
      else shared.noteInput(values, cause.input);
    },
  });
  writeLine(JSON.stringify({ format: SHARED_FORMAT, version: SHARED_VERSION, core: identity }));
  const leftOut = told(segments(), core, {
    ...options,
    onResumed: ({ epoch, step, calls }, records) => {
      const now = calls[0]?.now ?? { wall: 0n, monotonic: 0n };
      writeLine(`${head(epoch, step, now)},"resumed":${json(shared.sharedStored(values, records))}}`);
    },
    onStep: (step) => writeLine(stepLine(values, step)),
    onLost: (_segment, error) => writeLine(JSON.stringify({ lost: values.hide(error) })),
  });
  writeLine(JSON.stringify({ end: END }));
  return leftOut;
}

function told(segments: Iterable<Segment>, core: CompiledCore, options: ReplayOptions): number {
  const { difference, leftOut } = replay({ segments }, core, options);
  if (difference === null) return leftOut;
  const { epoch, step, what } = difference;
  throw new TraceError(`a replay differs from the recording in step ${epoch}:${step}: ${what.join(", ")}`);
}

function stepLine(values: HiddenValues, { epoch, step, now, cause, outputs, explain }: ReplayedStep): string {
  const what =
    "opening" in cause
      ? `"open":${encoded(opening, shared.sharedOpening(values, cause.opening))}`
      : `"input":${encoded(input, shared.sharedInput(values, cause.input))}`;
  const told = { ...shared.sharedOutputs(values, outputs), notes: shared.sharedNotes(values, explain()) };
  return `${head(epoch, step, now)},${what},"told":${json(told)}}`;
}

function head(epoch: number, step: number, now: types.Instant): string {
  return `{"at":[${epoch},${step}],"now":${encoded(instant, now)}`;
}

function json(value: unknown): string {
  return JSON.stringify(value, (_name, one: unknown) => {
    if (typeof one === "bigint") return { $n: String(one) };
    if (one instanceof Uint8Array) return { $b: toBase64(one) };
    return ArrayBuffer.isView(one) ? [...(one as Uint32Array)] : one;
  });
}

export function isShared(firstLine: string): boolean {
  return firstLine.startsWith(`{"format":"${SHARED_FORMAT}"`);
}

/** Passes a shared trace's steps to a listener, one after the other. Throws `TraceError`. */
export function listen(lines: Iterable<string>, listener: Listener): void {
  toItsEnd(listening(lines, listener));
}

/** The same as a generator, which yields between steps so that the caller can do other work. */
export function* listening(lines: Iterable<string>, listener: Listener): Generator<void, void> {
  const reader = new LineReader(lines);
  try {
    let epoch = 0;
    let line = null;
    readHeader(reader);
    while (reader.hasNext) {
      yield;
      line = reader.take();
      if ("end" in line) break;
      epoch = tellLine(line, epoch, listener);
    }
    checkEnd(reader, line);
  } catch (error) {
    if (!(error instanceof Malformed)) throw error;
    throw new TraceError(`line ${reader.line}: ${error.message}`);
  } finally {
    reader.close();
  }
}

function readHeader(reader: LineReader): void {
  if (!reader.hasNext) throw new Malformed("expected a shared trace, but the file is empty");
  const header = reader.header();
  if (header["format"] !== SHARED_FORMAT) malformed("format", SHARED_FORMAT);
  const { version } = header;
  if (version !== SHARED_VERSION) {
    throw new Malformed(
      `a shared trace of version ${String(version)}: this engine reads version ${SHARED_VERSION} only`,
    );
  }
  reader.begin();
}

function checkEnd(reader: LineReader, last: Record<string, unknown> | null): void {
  if (last?.["end"] !== END) throw new Malformed("the trace ends too early: expected an end after this line");
  onlyThese(last, ["end"], "the line");
  if (!reader.hasNext) return;
  reader.take();
  throw new Malformed("expected nothing after the end");
}

const place = record<{ at: [number, number]; lost?: string }>({ at: pair(u32, u32), lost: optional(text) });

/** Passes one line to the listener. Returns the number of the line's instance. */
function tellLine(line: Record<string, unknown>, before: number, listener: Listener): number {
  if (typeof line["lost"] === "string") {
    listener.lost(before, line["lost"]);
    return before;
  }
  const {
    at: [epoch, step],
  } = place.decode({ at: line["at"] }, "line");
  const now = instant.decode(line["now"], "now");
  if ("resumed" in line) {
    listener.resumed({ epoch, step, now }, revived(line["resumed"]) as engine.Stored[]);
    return epoch;
  }
  const { notes, ...outputs } = revived(objectOf(line["told"], "told")) as Told;
  const snapshot = (): never => {
    throw new TraceError("a shared trace has no snapshots");
  };
  const observed: ObservedStep = { epoch, step, now, outputs, explain: () => notes, snapshot };
  if ("open" in line) listener.opened(observed, opening.decode(line["open"], "open"));
  else listener.stepped(observed, input.decode(line["input"], "input"));
  return epoch;
}

type Told = ObservedStep["outputs"] & { notes: engine.Note[] };

function revived(json: unknown): unknown {
  if (Array.isArray(json)) return json.map(revived);
  if (typeof json !== "object" || json === null) return json;
  const { $n, $b } = json as { $n?: unknown; $b?: unknown };
  if (typeof $n === "string" && /^-?[0-9]{1,20}$/.test($n)) return BigInt($n);
  if (typeof $b === "string") return fromBase64($b) ?? malformed("$b", "base64");
  return Object.fromEntries(Object.entries(json).map(([name, one]) => [name, revived(one)]));
}
