// Reads the text of a trace, strictly. A line that does not follow format.ts is refused, and the error has its number.

import { OUTPUT_KINDS } from "../hashes/index.js";
import type { OutputHashes } from "../hashes/index.js";
import { inflateSync } from "fflate";
import { Malformed, bytes, malformed, objectOf, onlyThese, record, text, u32 } from "./codec.js";
import { FORMAT, VERSION } from "./format.js";
import type { Call, End, Segment, Start, Trace } from "./format.js";
import { LineReader, parsed } from "./line-reader.js";
import { hashes, input, instant, opening } from "./values.js";

/** The text is not a trace, or not one that can be read. */
export class TraceError extends Error {}

/** How strictly a trace is read. */
export interface DecodeOptions {
  /**
   * The recorder may have been killed while it wrote. A last line that is not JSON is left out, and a last segment
   * without its end counts as `running`.
   */
  unfinished?: boolean;
  /** Called with the number of the last line if the trace lacks its end. */
  cutShort?: (line: number) => void;
}

/** Throws `TraceError`. */
export function decodeTrace(trace: string, options: DecodeOptions = {}): Trace {
  const lines = trace.split("\n");
  // Nothing follows the last LF, or a line that was cut short.
  const rest = lines.pop();
  if (rest !== "" && options.unfinished !== true) lines.push(rest!);
  return { segments: [...decodeSegments(lines, options)] };
}

/** Reads segment by segment from lines without their LF. Throws `TraceError`. */
export function* decodeSegments(lines: Iterable<string>, options: DecodeOptions = {}): Generator<Segment, void> {
  const reader = new Reader(lines, options);
  try {
    let before: Segment | null = null;
    while (reader.lines.hasNext) {
      const next = segment(reader, before ?? undefined);
      if (next === null) break;
      before = next;
      yield next;
    }
    if (before === null) throw new Malformed("expected a trace, but the file is empty");
    if (reader.isCut || before.end.why === "continued") options.cutShort?.(reader.lines.line);
  } catch (error) {
    if (!(error instanceof Malformed)) throw error;
    throw new TraceError(`line ${reader.lines.line}: ${error.message}`);
  } finally {
    reader.lines.close();
  }
}

/** Reads the lines of segments. */
class Reader {
  readonly lines: LineReader;
  readonly #options: DecodeOptions;
  /** Whether an unfinished trace has been read to where it breaks off. */
  isCut = false;

  constructor(lines: Iterable<string>, options: DecodeOptions) {
    this.lines = new LineReader(lines);
    this.#options = options;
  }

  /** Takes the next line. Null at the end of an unfinished trace. */
  take(wanted: string): Record<string, unknown> | null {
    if (!this.lines.hasNext) {
      this.isCut = this.#options.unfinished === true;
      if (this.isCut) return null;
      throw new Malformed(`the trace ends too early: expected ${wanted} after this line`);
    }
    const json = this.lines.take();
    return "deflated" in json ? inflatedLine(json) : json;
  }
}

function inflatedLine(json: Record<string, unknown>): Record<string, unknown> {
  return objectOf(parsed(new TextDecoder().decode(inflated(json, "the line"))), "the line");
}

/** `json`: an object with nothing but `deflated`. Throws `Malformed`. */
function inflated(json: Record<string, unknown>, at: string): Uint8Array {
  onlyThese(json, ["deflated"], at);
  const deflated = bytes.decode(json["deflated"], `${at}.deflated`);
  try {
    return inflateSync(deflated);
  } catch {
    return malformed(`${at}.deflated`, "DEFLATE");
  }
}

/** Null if an unfinished trace ends after the segment's header. */
function segment(reader: Reader, before: Segment | undefined): Segment | null {
  const header = headerOf(reader.lines, before);
  const first = reader.take("the start of a segment");
  if (first === null) return null;
  const start = startOf(first, header.step);
  const calls: Call[] = [];
  let trapped = start.tag === "open" && start.out === null;
  for (let json = reader.take("an input or an end"); json !== null; json = reader.take("an input or an end")) {
    if ("end" in json) return { ...header, start, calls, end: endOf(json, trapped) };
    if (trapped) throw new Malformed("expected an end after a step without `out`");
    const call = callOf(json);
    trapped = call.out === null;
    calls.push(call);
  }
  return { ...header, start, calls, end: { why: "running" } };
}

interface Header {
  format: string;
  version: number;
  core: string;
  segment: number;
  epoch: number;
  step: number;
}

const header = record<Header>({ format: text, version: u32, core: text, segment: u32, epoch: u32, step: u32 });

function headerOf(lines: LineReader, before: Segment | undefined): Omit<Segment, "start" | "calls" | "end"> {
  const json = lines.header();
  if (json["format"] !== FORMAT) throw new Malformed(`not a trace: expected \`"format":"${FORMAT}"\``);
  checkVersion(json["version"]);
  const { core, segment: number, epoch, step } = header.decode(lines.begin(), "header");
  if (!/^[0-9a-f]{64}$/.test(core)) malformed("core", "64 hex digits");
  if (before !== undefined) checkOrder({ number, epoch, step }, before);
  return { core, number, epoch, step };
}

/** Called before the checksum is verified, since another version may compute it in another way. */
function checkVersion(version: unknown): void {
  if (version === VERSION) return;
  if (typeof version !== "number") malformed("version", String(VERSION));
  throw new Malformed(`a trace of version ${version}: this engine reads traces of version ${VERSION} only`);
}

function checkOrder({ number, epoch, step }: Pick<Segment, "number" | "epoch" | "step">, before: Segment): void {
  const isNext = before.end.why === "continued" ? number === before.number + 1 : number > before.number;
  if (!isNext) malformed("segment", String(before.number + 1));
  if (before.end.why === "running") throw new Malformed("a segment follows one that has not ended");
  if (before.end.why !== "continued") return;
  if (epoch !== before.epoch) malformed("epoch", String(before.epoch));
  if (step !== before.step + before.calls.length) malformed("step", String(before.step + before.calls.length));
}

function startOf(json: Record<string, unknown>, step: number): Start {
  if ("snapshot" in json) {
    onlyThese(json, ["snapshot"], "start");
    const { snapshot } = json;
    const isShort = typeof snapshot === "object";
    const whole = isShort ? inflated(objectOf(snapshot, "snapshot"), "snapshot") : bytes.decode(snapshot, "snapshot");
    return { tag: "snapshot", snapshot: whole };
  }
  onlyThese(json, ["now", "open", "out"], "start");
  if (step !== 0) malformed("step", "0, as the segment begins with open");
  return {
    tag: "open",
    now: instant.decode(json["now"], "now"),
    opening: opening.decode(json["open"], "open"),
    out: hashesOf(json["out"]),
  };
}

function callOf(json: Record<string, unknown>): Call {
  onlyThese(json, ["now", "input", "masked", "out"], "the line");
  const { masked } = json;
  if (masked !== undefined && masked !== true) malformed("masked", "true");
  return {
    now: instant.decode(json["now"], "now"),
    input: input.decode(json["input"], "input"),
    out: hashesOf(json["out"]),
    masked: masked === true,
  };
}

function hashesOf(json: unknown): OutputHashes | null {
  if (json === undefined) return null;
  const out = hashes.decode(json, "out");
  for (const kind of OUTPUT_KINDS) {
    const hash = out[kind];
    if (hash !== undefined && !/^[A-Za-z0-9+/]{16}$/.test(hash)) malformed(`out.${kind}`, "16 characters of base64");
  }
  return out;
}

function endOf(json: Record<string, unknown>, trapped: boolean): End {
  const { end, error } = json;
  if (end === "lost" || (end === "broken" && !trapped)) {
    onlyThese(json, ["end", "error"], "end");
    return { why: end, error: text.decode(error, "error") };
  }
  if (trapped) malformed("end", "lost after a step without `out`");
  onlyThese(json, ["end"], "end");
  if (end !== "continued" && end !== "running") return malformed("end", "continued, lost, broken or running");
  return { why: end };
}
