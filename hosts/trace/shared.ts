// A trace to be shown to others: a tale of what happened, with nothing in it that could be checked.
//
// As text it is NDJSON, like a trace (format.ts):
//
//   {"format":"coracle-shared-trace","version":2,"core":HEX}      the header, once
//   {"at":[EPOCH,STEP],"now":NOW,"open":OPENING,"told":TOLD}      an instance was opened
//   {"at":[EPOCH,STEP],"now":NOW,"resumed":[RECORD…]}             what is known begins in the midst of an instance's life
//   {"at":[EPOCH,STEP],"now":NOW,"input":INPUT,"told":TOLD}       a step
//   {"lost":TEXT}                                                 the instance is gone
//   {"end":"told"}                                                nothing more was told
//
// Each line ends with its sum, as in a trace: of the whole file there is one chain. One of another version is refused.
//
// TOLD is {"records":…,"effects":…,"replies":…,"notes":…}: what a step asked for, and its reasons. Whoever makes the file
// has replayed the trace to know it; whoever reads it cannot: a snapshot is an image of the core's memory, and has all
// values in it, so there are none, and there are no hashes. Values of TOLD and RECORD are those of core/wit/engine.wit as
// in a trace, but that numbers of 64 bits are {"$n":DECIMAL} and bytes {"$b":BASE64}.
//
// What hidden-places.ts lists is replaced by as many x's: values of environment variables, of labels and of drivers'
// options, commands whole, in bodies, queries, records, image configs and options; and wherever else a value of four
// characters or more comes up, in any text, but for the words of commands that many texts have. Bytes of effects and
// replies are left out, as are bytes that are no text, and what processes say and are called. Names of variables and of
// options and keys of labels stay; so do names, paths and addresses. Credentials were never there.

import type { Input, engine, types } from "../shared/host.js";
import type { CompiledCore, ObservedStep, Opening } from "../driver/index.js";
import { fromBase64, toBase64 } from "./base64.js";
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

/** Whoever listens to a tale. */
export interface Listener {
  opened(step: ObservedStep, opening: Opening): void;
  stepped(step: ObservedStep, input: Input): void;
  resumed(at: { epoch: number; step: number; now: types.Instant }, records: engine.Stored[]): void;
  lost(epoch: number, error: unknown): void;
}

/**
 * The lines of a trace as it may be shown to others. `segments` is asked for twice: first to learn what is to be hidden.
 * Gives how many segments are not in there, being another core's. Throws `TraceError` for a trace that this core does not
 * replay as it was recorded.
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
  throw new TraceError(`step ${difference.epoch}:${difference.step} comes otherwise: ${difference.what.join(", ")}`);
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

/** Tells a shared trace's steps, one after the other. Throws `TraceError`. */
export function listen(lines: Iterable<string>, listener: Listener): void {
  toItsEnd(listening(lines, listener));
}

/** Does so a step at a time: whoever asks for the next one may do something else between them. */
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
  if (!reader.hasNext) throw new Malformed("a shared trace was expected, and nothing is there");
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
  if (last?.["end"] !== END) throw new Malformed("the trace is cut short behind this line: an end was expected");
  onlyThese(last, ["end"], "the line");
  if (!reader.hasNext) return;
  reader.take();
  throw new Malformed("nothing was expected behind the end");
}

const place = record<{ at: [number, number]; lost?: string }>({ at: pair(u32, u32), lost: optional(text) });

/** The number of the instance that it is of. */
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
