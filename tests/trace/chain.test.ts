// Every change to a trace file is reported with its line: a flipped bit, and a missing, repeated or moved line.

import { closeSync, mkdtempSync, openSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openLog } from "../../hosts/node/log.js";
import { FlightRecorder } from "../../hosts/node/trace/flight-recorder.js";
import { replayTrace } from "../../hosts/node/trace/replay-command.js";
import { traceText } from "../../hosts/node/trace/segment-reading.js";
import { compareFiles } from "../../hosts/node/trace/diff-command.js";
import { linesOf } from "../../hosts/node/trace/trace-file.js";
import { Timeline } from "../../hosts/timeline/timeline.js";
import { TraceError, decodeSegments, decodeTrace } from "../../hosts/trace/decode.js";
import { listen, share } from "../../hosts/trace/shared.js";
import { memoryDirectory } from "../support/memory-directory.js";
import { RecordedEngine, identity, trapping } from "./engine.js";
import { live } from "./stories.js";

const LF = 0x0a;
/** Number of different bits per trace. */
const FLIPS = 320;
/** Additional bits at each end. */
const EDGE = 160;
const SEED = 20_260_714;
/** It is compressed: there only a checksum detects some changes. */
const LONG = "long ".repeat(2000);

let directory = "";
/** As a daemon writes it: with long values compressed. */
let trace = Buffer.alloc(0);
let shared = Buffer.alloc(0);

beforeAll(async () => {
  directory = mkdtempSync(join(memoryDirectory(), "coracle-chain-"));
  trace = await recorded();
  const lines: string[] = [];
  share(
    () => decodeTrace(trace.toString()).segments.slice(0, 2),
    trapping,
    identity,
    (line) => void lines.push(`${line}\n`),
  );
  shared = Buffer.from(lines.join(""));
}, 120_000);
afterAll(() => rmSync(directory, { recursive: true }));

/** The trace of a daemon with several runs and segments. */
async function recorded(): Promise<Buffer<ArrayBuffer>> {
  const flight = new FlightRecorder({
    ...{ directory: join(directory, "trace"), limit: 512 << 10, core: identity },
    log: openLog(
      () => "error",
      () => {},
    ),
  });
  const engine = new RecordedEngine();
  const { open } = engine;
  engine.open = () => open.call(engine, flight);
  await live(engine);
  await engine.ask({ method: "GET", target: "/nowhere/für-später-\ufffd" });
  for (let i = 0; i < 40; i++) {
    await engine.ask({ method: "GET", target: `/containers/json?filters=${i}`, headers: { "User-Agent": LONG } });
    for (let j = 0; j < 10; j++) await engine.ask({ method: "GET", target: `/containers/json?limit=${j}` });
  }
  const pieces: Uint8Array[] = [];
  for await (const piece of flight.text()) pieces.push(piece);
  await flight.close();
  return Buffer.concat(pieces);
}

/** The message of `replay` about such a file; null if it is unchanged. */
function complaintOf(bytes: Uint8Array): string | null {
  return complaintIn(bytes, (file) => {
    let cut: string | null = null;
    const cutShort = (line: number): void => void (cut = `line ${line}: cut short behind it`);
    for (const _segment of decodeSegments(linesOf(file), { unfinished: true, cutShort })) continue;
    return cut;
  });
}

function complaintOfShared(bytes: Uint8Array): string | null {
  return complaintIn(bytes, (file) => {
    const timeline = new Timeline({
      ...{ claim: () => null, preparing: () => false, hashOf: () => "", forgets: true, added: () => {} },
      now: () => ({ wall: 0n, monotonic: 0n }),
    });
    listen(linesOf(file), timeline);
    return null;
  });
}

function complaintIn(bytes: Uint8Array, read: (file: string) => string | null): string | null {
  const file = join(directory, "changed");
  writeFileSync(file, bytes);
  try {
    return read(file);
  } catch (error) {
    if (error instanceof TraceError) return error.message;
    throw error;
  }
}

/** Numbers below `most`, the same each time (mulberry32). */
function* random(most: number): Generator<number> {
  for (let state = SEED; ;) {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    yield ((mixed ^ (mixed >>> 14)) >>> 0) % most;
  }
}

function lineAt(bytes: Uint8Array, at: number): number {
  let line = 1;
  for (let i = 0; i < at; i++) if (bytes[i] === LF) line++;
  return line;
}

function flipped(bytes: Uint8Array, bit: number): Uint8Array {
  const changed = Uint8Array.from(bytes);
  changed[bit >> 3]! ^= 1 << (bit & 7);
  return changed;
}

/** Bits whose change is not reported, or is reported for another line. */
function untold(bytes: Uint8Array, bits: Iterable<number>, complaint: (bytes: Uint8Array) => string | null): string[] {
  return [...bits].flatMap((bit) => {
    const line = lineAt(bytes, bit >> 3);
    // Without its LF, the last line counts as cut off.
    const isLast = bit >> 3 === bytes.length - 1;
    const said = complaint(flipped(bytes, bit));
    const isTold = said?.startsWith(`line ${isLast ? line - 1 : line}: `) ?? false;
    return isTold ? [] : [`bit ${bit} of line ${line}: ${said}`];
  });
}

/** Random bits, and those at either end: of the header, and of the end with its LF. */
function bitsOf(bytes: Uint8Array): Set<number> {
  const bits = new Set<number>();
  for (const bit of random(bytes.length * 8)) if (bits.add(bit).size === FLIPS) break;
  for (let bit = 0; bit < EDGE; bit++) bits.add(bit);
  for (let bit = bytes.length * 8 - EDGE; bit < bytes.length * 8; bit++) bits.add(bit);
  return bits;
}

test("the traces are like a daemon's: several segments, with compressed lines", () => {
  const text = trace.toString();
  const { segments } = decodeTrace(text);
  expect(complaintOf(trace)).toBeNull();
  expect(complaintOfShared(shared)).toBeNull();
  expect(segments.length).toBeGreaterThan(3);
  expect(segments.some(({ end }) => end.why === "continued")).toBe(true);
  expect(text).toContain('{"deflated":"');
  expect(text).toContain('{"snapshot":{"deflated":"');
});

describe("one flipped bit", () => {
  test("of a trace is reported, with its line", () => {
    const bits = bitsOf(trace);
    console.log(`seed ${SEED}: ${bits.size} bits of ${trace.length} bytes`);
    expect(untold(trace, bits, complaintOf)).toEqual([]);
  }, 300_000);

  test("of a shared trace is reported, with its line", () => {
    const bits = bitsOf(shared);
    console.log(`seed ${SEED}: ${bits.size} bits of ${shared.length} bytes`);
    expect(untold(shared, bits, complaintOfShared)).toEqual([]);
  }, 300_000);

  test("is reported by `replay`, and the steps replayed before it are right", () => {
    const lines = linesIn(trace);
    const changed = flipped(trace, (lines.slice(0, 6).join("").length + 12) * 8);
    const file = join(directory, "flipped");
    writeFileSync(file, changed);
    expect(() => replayTrace([file], () => {})).toThrow("line 7: its checksum is wrong");
    expect(() => compareFiles([file, file])).toThrow("line 7: its checksum is wrong");
  });
});

/** Each with its LF; one character per byte. */
function linesIn(bytes: Uint8Array): string[] {
  return Buffer.from(bytes)
    .toString("latin1")
    .split(/(?<=\n)/);
}

function bytesOf(lines: readonly string[]): Uint8Array {
  return Buffer.from(lines.join(""), "latin1");
}

describe.each([
  ["a trace", () => trace, complaintOf],
  ["a shared trace", () => shared, complaintOfShared],
])("a line of %s", (_of, whole, complaint) => {
  function complaints(change: (lines: string[], at: number) => string[]): [number, string | null][] {
    const lines = linesIn(whole());
    const stride = Math.ceil(lines.length / 30);
    const places = lines.flatMap((_line, at) => (at % stride === 0 || at > lines.length - 4 ? [at] : []));
    return places.map((at) => [at + 1, complaint(bytesOf(change(lines, at)))]);
  }

  test("that is missing is reported at its place, and the last one at the new last line", () => {
    const last = linesIn(whole()).length;
    for (const [line, said] of complaints((lines, at) => lines.toSpliced(at, 1))) {
      expect([line, said]).toEqual([line, expect.stringMatching(`^line ${line === last ? last - 1 : line}: `)]);
    }
  });

  test("that is doubled is reported at its second place", () => {
    for (const [line, said] of complaints((lines, at) => lines.toSpliced(at, 0, lines[at]!))) {
      expect([line, said]).toEqual([line, expect.stringMatching(`^line ${line + 1}: `)]);
    }
  });

  test("that is swapped with the next is reported", () => {
    const last = linesIn(whole()).length;
    const swapped = complaints((lines, at) =>
      at + 1 === lines.length ? lines : lines.toSpliced(at, 2, lines[at + 1]!, lines[at]!),
    );
    for (const [line, said] of swapped.filter(([line]) => line < last)) {
      expect([line, said]).toEqual([line, expect.stringMatching(`^line ${line}: `)]);
    }
  });
});

test("swapped or doubled segments are reported", () => {
  const lines = linesIn(trace);
  const starts = lines.flatMap((line, at) => (line.startsWith('{"format"') ? [at] : []));
  const segments = starts.map((start, at) => lines.slice(start, starts[at + 1]));
  for (let at = 0; at + 1 < segments.length; at++) {
    const [one, other] = [segments[at]!, segments[at + 1]!];
    expect(complaintOf(bytesOf(segments.toSpliced(at, 2, other, one).flat()))).toMatch(/^line \d+: /);
    expect(complaintOf(bytesOf(segments.toSpliced(at, 0, one).flat()))).toMatch(/^line \d+: /);
    // The header of one trace, and the rest of the other.
    const mixed = [one[0]!, ...other.slice(1)];
    expect(complaintOf(bytesOf(segments.toSpliced(at, 1, mixed).flat()))).toMatch(
      new RegExp(`^line ${starts[at]! + 2}: its checksum is wrong`),
    );
  }
});

test("the trace of a killed daemon is read up to its end, and the cut is reported", () => {
  const lines = linesIn(trace);
  const whole = decodeTrace(trace.toString());
  for (const at of [5, Math.floor(lines.length / 2), lines.length - 1]) {
    for (const cut of [0, 1, lines[at]!.length - 1]) {
      const text = [...lines.slice(0, at), lines[at]!.slice(0, cut)].join("");
      expect(complaintOf(Buffer.from(text, "latin1"))).toBe(`line ${at}: cut short behind it`);
      const { segments } = decodeTrace(Buffer.from(text, "latin1").toString(), { unfinished: true });
      const calls = segments.flatMap((segment) => segment.calls);
      expect(calls).toEqual(whole.segments.flatMap((segment) => segment.calls).slice(0, calls.length));
    }
  }
  const file = join(directory, "killed");
  writeFileSync(file, bytesOf([...lines.slice(0, 5), "{"]));
  expect(replayTrace([file], () => {})).toEqual({
    code: 0,
    text: "4 steps, all with the recorded results; the trace has no end: it is cut off after line 5",
  });
});

test("damage on the disk is also in a saved trace", async () => {
  const file = join(directory, "damaged");
  const [name] = readdirSync(join(directory, "trace")).filter((one) => one.startsWith("segment-"));
  const segment = readFileSync(join(directory, "trace", name!));
  // Anywhere, and in its end.
  const bits = [...bitsOf(segment)].filter((_, index, all) => index < 120 || index >= all.length - EDGE);
  const saved = async (bytes: Uint8Array): Promise<Buffer> => {
    writeFileSync(file, bytes);
    const pieces: Uint8Array[] = [];
    for await (const piece of traceText([{ file, number: 1, bytes: bytes.length }], false)) pieces.push(piece);
    return Buffer.concat(pieces);
  };
  expect(complaintOf(await saved(segment))).toBeNull();
  const silent: number[] = [];
  for (const bit of bits) {
    const bytes = await saved(flipped(segment, bit));
    // Without its LF, the line counts as cut off, and is replaced by the note that nothing follows.
    const isCut = bit >> 3 === segment.length - 1;
    if ((complaintOf(bytes) === null) !== isCut) silent.push(bit);
    if (isCut) expect(bytes.toString()).toContain('"error":"the engine was killed');
  }
  expect(silent).toEqual([]);
});

test("a partly read file is closed", () => {
  const file = join(directory, "whole");
  const damaged = join(directory, "half");
  writeFileSync(file, trace);
  const lines = linesIn(trace);
  writeFileSync(damaged, bytesOf(lines.toSpliced(5, 1)));
  const next = (): number => {
    const descriptor = openSync(file, "r");
    closeSync(descriptor);
    return descriptor;
  };
  const free = next();
  replayTrace([file, "--until", "1:2"], () => {});
  expect(() => replayTrace([damaged], () => {})).toThrow("line 6");
  compareFiles([file, file]);
  for (const _segment of decodeSegments(linesOf(file))) break;
  expect(next()).toBe(free);
});
