// The flight recorder's files: their permissions and number, and what happens to them when the daemon or its disk
// fails.

import { createHash } from "node:crypto";
import { cpSync, mkdtempSync, readFileSync, readdirSync, renameSync, rmSync, statSync, truncateSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Log } from "../../hosts/node/log.js";
import { openLog } from "../../hosts/node/log.js";
import { FlightRecorder } from "../../hosts/node/trace/flight-recorder.js";
import { TraceDirectory, type SegmentFile } from "../../hosts/node/trace/trace-directory.js";
import { decodeTrace } from "../../hosts/trace/decode.js";
import type { Trace } from "../../hosts/trace/format.js";
import { encodeTrace } from "../../hosts/trace/lines.js";
import { replay } from "../../hosts/trace/replay.js";
import { until } from "../support/commands.js";
import { RecordedEngine, identity, trapping, type Sent } from "../trace/engine.js";
import { expectNone } from "../trace/secret-forms.js";
import { AUTH, SECRETS, create, live, readAgain, registryAuth } from "../trace/stories.js";

const LIMIT = 16 << 20;

let directory = "";
let lines: string[] = [];
let log: Log;

beforeEach(() => {
  directory = join(mkdtempSync(join(tmpdir(), "coracle-flight-")), "trace");
  lines = [];
  log = openLog(
    () => "debug",
    (line) => void lines.push(line),
  );
});
afterEach(() => rmSync(join(directory, ".."), { recursive: true }));

function recorder(limit = LIMIT, at = directory): FlightRecorder {
  return new FlightRecorder({ directory: at, limit, core: identity, log });
}

async function textOf(recorder: FlightRecorder): Promise<string> {
  const pieces: Uint8Array[] = [];
  for await (const piece of recorder.text()) pieces.push(piece);
  return Buffer.concat(pieces).toString();
}

async function traceOf(recorder: FlightRecorder): Promise<Trace> {
  return decodeTrace(await textOf(recorder));
}

function expectSame(trace: Trace): void {
  expect(replay(trace, trapping, { identity }).difference).toBeNull();
}

test("only its owner can read it, and it is accurate", async () => {
  const flight = recorder();
  const engine = new RecordedEngine();
  await engine.open(flight);
  await create(engine, "web");
  const trace = await traceOf(flight);
  expect(trace.segments.map(({ end }) => end.why)).toEqual(["running"]);
  expectSame(trace);
  expect(statSync(directory).mode & 0o777).toBe(0o700);
  expect(readdirSync(directory).map((name) => statSync(join(directory, name)).mode & 0o777)).toEqual([0o600]);
  await flight.close();
  expect((await traceOf(recorder())).segments.at(-1)!.end).toEqual({ why: "lost", error: "the daemon was ended" });
});

test("an opening with many records is written half a second later, and with everything that happened since", async () => {
  const engine = new RecordedEngine();
  await engine.open(null);
  for (let i = 0; i < 300; i++) {
    const body = { Image: "busybox", Labels: { noise: noise(i, 4000) } };
    await engine.ask({ method: "POST", target: `/containers/create?name=c${i}`, body });
  }
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  try {
    const flight = recorder();
    await engine.open(flight);
    await engine.ask({ method: "GET", target: "/containers/c7/json" });
    const other = recorder(LIMIT, join(directory, "..", "few"));
    await new RecordedEngine().open(other);
    await vi.advanceTimersByTimeAsync(499);
    await expect.poll(() => other.directory.segments().map(({ bytes }) => bytes > 0)).toEqual([true]);
    await other.close();
    expect(flight.directory.segments()).toEqual([]);
    await vi.advanceTimersByTimeAsync(1 + 10);
    await expect.poll(() => flight.directory.segments().length).toBe(1);
    const trace = await traceOf(flight);
    expect(trace.segments[0]!.calls.map(({ input }) => input.tag)).toContain("request");
    expectSame(trace);
    await flight.close();
  } finally {
    vi.useRealTimers();
  }
});

test("journal pages that are read repeatedly end no segment, up to a quarter of the limit", async () => {
  const flight = recorder();
  const engine = new RecordedEngine();
  await readAgain(engine, 32, flight);
  await textOf(flight); // all of it was recorded and counted
  await engine.ask({ method: "GET", target: "/_ping" });
  const trace = await traceOf(flight);
  expect(encodeTrace(trace).length).toBeGreaterThan(LIMIT / 4);
  expect(trace.segments.length).toBe(1);
  expectSame(trace);
  await flight.close();
});

test("data that does not compress, including journal pages, ends a segment before half of the limit", async () => {
  const flight = recorder();
  const engine = new RecordedEngine();
  await engine.open(flight);
  // More events than the core keeps in memory, each with a label that does not compress.
  for (let i = 0; i < 300; i++) {
    const body = { Image: "busybox", Labels: { noise: noise(i, 4000) } };
    await engine.ask({ method: "POST", target: `/containers/create?name=c${i}`, body });
    await engine.ask({ method: "DELETE", target: `/containers/c${i}` });
  }
  for (let i = 0; i < 24; i++) {
    await engine.ask({ method: "GET", target: "/events?since=0&until=1" });
    engine.send({ method: "GET", target: `/containers/json?filters=${noise(i, 300_000)}` });
    await textOf(flight);
    expect(bytesIn(directory)).toBeLessThanOrEqual(LIMIT);
    expect(Math.max(...new TraceDirectory(directory).segments().map(({ bytes }) => bytes))).toBeLessThan(LIMIT / 2);
  }
  const trace = await traceOf(flight);
  const last = trace.segments.at(-1)!.number;
  expect(lines).toEqual([]);
  expect(trace.segments.slice(0, -1).map(({ end }) => end.why)).not.toContain("broken");
  expect(last).toBeGreaterThan(2);
  // Each segment is well filled, because snapshots are expensive.
  expect(last).toBeLessThan(16);
  expectSame(trace);
  await flight.close();
});

test("lines reach the disk without further steps", async () => {
  const flight = recorder();
  const engine = new RecordedEngine();
  await engine.open(flight);
  await engine.ask({ method: "GET", target: "/soon-written" });
  await until("the line to be written", () => textIn(directory).includes("/soon-written"));
  await flight.close();
});

function textIn(path: string): string {
  return readdirSync(path)
    .map((name) => readFileSync(join(path, name), "utf8"))
    .join("");
}

test("no more than the limit is kept, and the rest can be replayed", async () => {
  const flight = recorder(8 << 20);
  const engine = new RecordedEngine();
  await engine.open(flight);
  await create(engine, "web");
  for (let i = 0; i < 400; i++) {
    engine.send({ method: "GET", target: `/containers/json?filters=${noise(i, 60_000)}` });
    if (i % 20 === 0) await new Promise((resolve) => setImmediate(resolve));
    if (i % 50 === 0) await traceOf(flight);
  }
  const trace = await traceOf(flight);
  expect(trace.segments[0]!.number).toBeGreaterThan(1);
  expect(trace.segments.length).toBeGreaterThan(1);
  expect(trace.segments[0]!.start.tag).toBe("snapshot");
  expectSame(trace);
  const bytes = bytesIn(directory);
  expect(bytes).toBeLessThanOrEqual(8 << 20);
  expect(bytes).toBeGreaterThan(4 << 20);
  // None of them ran out of room.
  expect(lines).toEqual([]);
  await flight.close();
});

/** This many characters that do not compress. */
function noise(seed: number, length: number): string {
  const bytes = createHash("shake256", { outputLength: length }).update(String(seed)).digest();
  return bytes.toString("base64url").slice(0, length);
}

/** Size of all files, each counted once. */
function bytesIn(path: string): number {
  const stats = readdirSync(path).map((name) => statSync(join(path, name)));
  return stats.reduce(
    (sum, { ino, size }, at) => sum + (stats.findIndex((one) => one.ino === ino) === at ? size : 0),
    0,
  );
}

test("even inputs as large as the limit, and incidents, do not exceed it", async () => {
  const limit = 512 << 10;
  const flight = recorder(limit);
  const engine = new RecordedEngine();
  await engine.open(flight);
  await create(engine, "web");
  const kept: (string | null)[] = [];
  for (let i = 0; i < 60; i++) {
    const length = [100, 30_000, 90_000, 200_000, 600_000][i % 5]!;
    engine.send({ method: "GET", target: `/containers/json?filters=${noise(i, length)}` });
    await textOf(flight);
    expect(bytesIn(directory)).toBeLessThanOrEqual(limit);
    // Null if the newest segment is not kept.
    if (i % 7 === 0) kept.push(await flight.keep(`${i}`.padStart(12, "a")));
    expect(bytesIn(directory)).toBeLessThanOrEqual(limit);
    if (i === 4) {
      expect(lines.filter((line) => line.includes("it has more bytes than half of the limit"))).toHaveLength(1);
      expect((await traceOf(flight)).segments.at(-1)!.end.why).toBe("broken");
    }
  }
  await until("it to be recorded again", async () => {
    await engine.ask({ method: "GET", target: "/behind" });
    return (await textOf(flight)).includes("/behind");
  });
  expect(bytesIn(directory)).toBeLessThanOrEqual(limit);
  expect(kept[0]).toContain("incident-");
  expectSame(await traceOf(flight));
  await flight.close();
});

test("the end of an incomplete segment is reported without reading its content", async () => {
  const limit = 512 << 10;
  const flight = recorder(limit);
  const engine = new RecordedEngine();
  await engine.open(flight);
  await create(engine, "web");
  await textOf(flight);
  const [{ file, bytes }] = new TraceDirectory(directory).segments() as [SegmentFile];
  // More than can be read at once. The file is sparse, so it takes no room.
  truncateSync(file, 3 * 2 ** 30);
  engine.send({ method: "GET", target: `/containers/json?filters=${noise(1, 600_000)}` });
  const { segments } = await traceOf(flight);
  expect(segments.map(({ number, end }) => [number, end.why])).toEqual([[1, "broken"]]);
  expect(statSync(file).size).toBeLessThan(bytes + 1024);
  await flight.close();
});

test("long inputs with little content displace nothing, and are replayed exactly", async () => {
  // Less than half of their size, plus room for the snapshots between them.
  const limit = 4 << 20;
  const flight = recorder(limit);
  const engine = new RecordedEngine();
  await engine.open(flight);
  await create(engine, "web");
  const entry = JSON.stringify({ Type: "container", Action: "start", Actor: { ID: "ab".repeat(32) } });
  for (let i = 0; i < 150; i++) {
    engine.send({ method: "GET", target: `/containers/json?filters=${entry.repeat(600)}${i}` });
    if (i % 10 === 0) await textOf(flight);
  }
  const trace = await traceOf(flight);
  expect(trace.segments[0]!.number).toBe(1);
  expect(trace.segments.reduce((sum, { calls }) => sum + calls.length, 0)).toBeGreaterThan(150);
  expectSame(trace);
  const text = await textOf(flight);
  expect(text.length).toBeLessThan(limit);
  expect(text.split("\n").filter((line) => line.startsWith('{"deflated":"'))).toHaveLength(150);
  await flight.close();
});

test("tens of thousands of steps over many segments are replayed exactly", async () => {
  const flight = recorder(24 << 20);
  const engine = new RecordedEngine();
  await engine.open(flight);
  let sent = 0;
  for (let round = 0; round < 150; round++) {
    await create(engine, `job${round}`);
    await engine.ask({ method: "POST", target: `/containers/job${round}/start` });
    for (let i = 0; i < 140; i++) engine.send(LOOKS[i % LOOKS.length]!(round));
    sent += 140;
    if (round % 10 === 9) await engine.ask({ method: "DELETE", target: `/containers/job${round - 5}?force=1` });
  }
  const trace = await traceOf(flight);
  const made = trace.segments.reduce((sum, { calls }) => sum + calls.length, 0);
  expect(made).toBeGreaterThan(sent);
  expect(sent).toBeGreaterThan(20_000);
  expect(trace.segments.length).toBeGreaterThan(1);
  expect(lines).toEqual([]);
  expectSame(trace);
  await flight.close();
}, 300_000);

const LOOKS: ((round: number) => Sent)[] = [
  (round) => ({ method: "GET", target: `/v1.41/containers/job${round}/json` }),
  () => ({ method: "GET", target: "/v1.41/containers/json?limit=5&all=1" }),
  (round) => ({ method: "GET", target: `/v1.41/containers/none${round}/json` }),
  () => ({ method: "GET", target: "/_ping" }),
];

test("the file of a killed daemon is continued, wherever it was cut", async () => {
  const flight = recorder();
  const engine = new RecordedEngine();
  await engine.open(flight);
  await create(engine, "web");
  await traceOf(flight);
  const { file, bytes } = new TraceDirectory(directory).segments()[0]!;
  const text = readFileSync(file);
  const calls = text.indexOf(10, text.indexOf(10) + 1) + 1;
  for (const cut of [0, 10, calls - 1, calls, calls + 7, bytes - 1, bytes]) {
    const copy = join(directory, `../cut-${cut}`);
    cpSync(directory, copy, { recursive: true });
    truncateSync(join(copy, file.slice(directory.length)), cut);
    const again = recorder(LIMIT, copy);
    const other = new RecordedEngine();
    await other.open(again);
    await other.ask({ method: "GET", target: "/_ping" });
    const trace = await traceOf(again);
    expect(trace.segments.map(({ number, end }) => [number, end.why])).toEqual(
      cut < calls
        ? [[2, "running"]]
        : [
            [1, "broken"],
            [2, "running"],
          ],
    );
    expect(again.epoch).toBe(cut < 60 ? 0 : 1);
    expectSame(trace);
    await again.close();
  }
  await flight.close();
});

test("a failing disk costs a segment but no request, and later steps are recorded again", async () => {
  const flight = recorder();
  const engine = new RecordedEngine();
  await engine.open(flight);
  await create(engine, "before");
  await traceOf(flight);
  await flight.close();
  const second = recorder();
  renameSync(directory, `${directory}.away`);
  const other = new RecordedEngine();
  await other.open(second);
  expect(await create(other, "meanwhile")).toMatch(/^[0-9a-f]{64}$/);
  await until("the log to say so", () => lines.some((line) => line.includes("dropped a segment")));
  expect(lines.filter((line) => line.includes("dropped a segment"))).toHaveLength(1);
  renameSync(`${directory}.away`, directory);
  await until("it to be recorded again", async () => {
    await other.ask({ method: "GET", target: "/behind" });
    const { segments } = await traceOf(second);
    return segments.some(({ start, calls }) => start.tag === "snapshot" && calls.length > 0);
  });
  const trace = await traceOf(second);
  expect(trace.segments.map(({ end }) => end.why)).toEqual(["lost", "running"]);
  expectSame(trace);
  await second.close();
});

test("the trace up to a trap is kept, whatever else is dropped", async () => {
  const flight = recorder(1 << 20);
  const engine = new RecordedEngine();
  let keeping: Promise<string | null> = Promise.resolve(null);
  await engine.open({
    opened: (...of) => flight.opened(...of),
    stepped: (...of) => flight.stepped(...of),
    lost: (...of) => {
      flight.lost(...of);
      keeping = flight.keep("0123456789ab");
    },
  });
  await create(engine, "web");
  await engine.ask({ method: "GET", target: "/trap" });
  const file = await keeping;
  expect(file).toBe(join(directory, "incident-0123456789ab.ndjson"));
  const kept = decodeTrace(readFileSync(file!, "utf8"));
  expect(kept.segments.map(({ end }) => end)).toEqual([{ why: "lost", error: "the core trapped: Error: unreachable" }]);
  expect(kept.segments[0]!.calls.at(-1)).toMatchObject({ out: null, input: { val: { target: "/trap" } } });
  expectSame(kept);
  for (let i = 0; i < 20; i++) flight.directory.keep(1, `${i}`.padStart(12, "a"), 1 << 20);
  expect(readdirSync(directory).filter((name) => name.startsWith("incident-"))).toHaveLength(8);
  await flight.close();
});

test("the size of incidents is computed once, and again when it may have changed", async () => {
  const limit = 1 << 20;
  const traces = new TraceDirectory(directory);
  traces.make();
  const begin = async (segment: number, bytes: number): Promise<void> => {
    const file = await traces.begin(segment);
    await file.write(Buffer.alloc(bytes));
    await file.close();
  };
  await begin(1, 1000);
  traces.keep(1, "0123456789ab", limit);
  // A segment contains the same bytes.
  expect(traces.incidentBytes()).toBe(0);
  traces.drop(1);
  expect(traces.incidentBytes()).toBe(1000);
  rmSync(traces.incidentFile("0123456789ab"));
  expect(traces.incidentBytes()).toBe(1000);
  await begin(2, 500);
  expect(traces.incidentBytes()).toBe(0);
  traces.keep(2, "ab0123456789", limit);
  traces.drop(2);
  expect(traces.incidentBytes()).toBe(500);
  traces.dropIncidents(0);
  expect(traces.incidentBytes()).toBe(0);
});

test("a run with traps, cuts and credentials is recorded completely", async () => {
  const flight = recorder();
  const engine = new RecordedEngine();
  const { open } = engine;
  engine.open = () => open.call(engine, flight);
  await live(engine);
  const trace = await traceOf(flight);
  expect(trace.segments.map(({ epoch, end }) => [epoch, end.why])).toEqual([
    [1, "lost"],
    [2, "lost"],
    [3, "running"],
  ]);
  expectSame(trace);
  await flight.close();
});

test("a snapshot without enough room leaves no invalid trace", async () => {
  const flight = recorder(64 << 10);
  const engine = new RecordedEngine();
  await engine.open(flight);
  await until("a segment to be dropped", async () => {
    engine.send({ method: "GET", target: `/containers/json?filters=${noise(lines.length, 20_000)}` });
    await traceOf(flight);
    return lines.some((line) => line.includes("it has more bytes than half of the limit"));
  });
  expect((await traceOf(flight)).segments.map(({ start }) => start.tag)).toEqual(["open"]);
  await flight.close();
});

test("compressed data holds no credentials either", async () => {
  const flight = recorder(1 << 20);
  const engine = new RecordedEngine();
  await engine.open(flight);
  const long = "long ".repeat(4000);
  const headers = { "User-Agent": long, "X-Registry-Auth": registryAuth({ ...AUTH, email: long }) };
  while ((await traceOf(flight)).segments.at(-1)!.start.tag !== "snapshot") {
    await engine.ask({ method: "POST", target: "/v1.41/auth", headers, body: AUTH });
    await engine.ask({ method: "POST", target: "/images/create?fromImage=app&tag=1", headers });
  }
  const text = await textOf(flight);
  expect(text).toContain('{"deflated":"');
  expect(text).toContain('{"snapshot":{"deflated":"');
  const whole = encodeTrace(decodeTrace(text));
  expect(whole).not.toContain('{"deflated":"');
  // Existing data is found.
  expect(whole).toContain(long);
  expectNone(whole, SECRETS);
  await flight.close();
});
