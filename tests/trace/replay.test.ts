import { describe, expect, test } from "vitest";
import type { Instance } from "../../hosts/driver/instance.js";
import type { StepOutputs } from "../../hosts/shared/outputs.js";
import { decodeTrace } from "../../hosts/trace/decode.js";
import { compareTraces } from "../../hosts/trace/difference.js";
import type { Call, Trace } from "../../hosts/trace/format.js";
import { encodeTrace } from "../../hosts/trace/lines.js";
import { fork, replay, segmentBefore } from "../../hosts/trace/replay.js";
import type { ReplayedStep } from "../../hosts/trace/replay.js";
import { RecordedEngine, core, identity, trapping } from "./engine.js";
import { expectNone, formsOf } from "./secret-forms.js";
import { AUTH, SECRETS, create, live, readAgain, registryAuth } from "./stories.js";

interface Recorded {
  engine: RecordedEngine;
  text: string;
}

/** By the number of inputs in a segment. */
const recordings = new Map<number, Promise<Recorded>>();

/** The trace belongs to the test, which may change it. */
async function recorded(inputs = 5000): Promise<Recorded & { trace: Trace }> {
  const recording = recordings.get(inputs) ?? record(inputs);
  recordings.set(inputs, recording);
  const { engine, text } = await recording;
  return { engine, text, trace: decodeTrace(text) };
}

async function record(inputs: number): Promise<Recorded> {
  const engine = new RecordedEngine({ inputs, segments: 1000 });
  await live(engine);
  return { engine, text: engine.ring.text() };
}

function stepsOf(trace: Trace): number {
  return trace.segments.reduce((sum, { start, calls }) => sum + calls.length + (start.tag === "open" ? 1 : 0), 0);
}

function pagesIn({ segments }: Trace): number[] {
  const isPage = ({ input }: Call): boolean =>
    input.tag === "completed" && input.val.outcome.tag === "ok" && input.val.outcome.val.tag === "journal";
  return segments.map(({ calls }) => calls.filter(isPage).length);
}

describe("a trace", () => {
  test("has what happened", async () => {
    const { engine, trace } = await recorded();
    expect([...engine.told.values()].map(({ status }) => status)).toEqual([
      201, 204, 200, 204, 200, 200, 200, 400, 400, 200, 200, 400, 200, 200, 200, 501, 501, 404, 400, 400, 400, 400, 400,
      400, 200, 404, 200, 301, 400, 200, 500, 200, 204,
    ]);
    expect(engine.lost.length).toBe(1);
    expect(trace.segments.map(({ number, epoch, end }) => [number, epoch, end.why])).toEqual([
      [1, 1, "lost"],
      [2, 2, "lost"],
      [3, 3, "running"],
    ]);
    const tags = new Set(trace.segments.flatMap(({ calls }) => calls.map(({ input }) => input.tag)));
    expect([...tags].sort()).toEqual(["completed", "exited", "request"]);
  });

  test("is replayed to the same outputs, traps included", async () => {
    const { trace, text } = await recorded();
    const steps: ReplayedStep[] = [];
    const result = replay(trace, trapping, { identity, onStep: (step) => void steps.push(step) });
    expect(result.difference).toBeNull();
    expect(result.compared).toBe(stepsOf(trace));
    // All but the one that trapped.
    expect(steps.length).toBe(stepsOf(trace) - 1);
    expect(steps.filter(({ cause }) => "opening" in cause).map(({ epoch }) => epoch)).toEqual([1, 2, 3]);
    expect(encodeTrace(trace)).toBe(text);
  });

  test("has no credentials, in any encoding", async () => {
    const { text } = await recorded();
    expectNone(text, SECRETS);
    // Existing text is found.
    expect(formsOf("busybox").filter((form) => text.includes(form)).length).toBeGreaterThan(1);
  });

  test("has none in snapshots either, taken after every step", async () => {
    const { text } = await record(1);
    // To decode dozens of snapshots would take seconds.
    expect(text.match(/^\{"format"/gm)!.length).toBeGreaterThan(30);
    expectNone(text, SECRETS);
  });

  test("in which an input was changed differs at that step", async () => {
    const { trace } = await recorded();
    const [segment] = trace.segments;
    const at = segment!.calls.findIndex(({ input }) => input.tag === "request" && input.val.target.includes("create"));
    const { input } = segment!.calls[at]!;
    if (input.tag !== "request") throw new Error("no request");
    input.val.target = input.val.target.replace("web", "wob");
    const { difference, instance, compared } = replay(trace, trapping);
    expect(difference).toMatchObject({ segment: 1, epoch: 1, step: at + 1, what: ["records differ"] });
    expect(compared).toBe(at + 2);
    expect(instance).not.toBeNull();
  });

  test("with a trap differs if there is none, and the other way round", async () => {
    const { trace } = await recorded();
    const { difference } = replay(trace, core);
    const trapped = trace.segments[0]!.calls.at(-1)!;
    expect(trapped.out).toBeNull();
    expect(difference).toMatchObject({ epoch: 1, step: trace.segments[0]!.calls.length, input: trapped.input });
    expect(difference!.what).toEqual(["the core trapped in the recording, but not in this run"]);

    const pinged = new RecordedEngine({}, core);
    await pinged.open();
    await pinged.ask({ method: "GET", target: "/trap" });
    const pings = decodeTrace(pinged.ring.text());
    expect(replay(pings, trapping).difference).toMatchObject({
      step: pings.segments[0]!.calls.length,
      what: ["the core trapped: Error: unreachable"],
    });
  });

  test("of another core is refused", async () => {
    const { trace } = await recorded();
    expect(() => replay(trace, trapping, { identity: "0".repeat(64) })).toThrow(
      /segment 1 was recorded with another core/,
    );
  });
});

test("of another core, up to an update, is replayed from there on", async () => {
  const { trace } = await recorded(4);
  const update = trace.segments.findLastIndex(({ start }) => start.tag === "open");
  expect(update).toBeGreaterThan(1);
  const segments = trace.segments.map((one, at) => (at < update ? { ...one, core: "0".repeat(64) } : one));
  const steps = stepsOf({ segments: trace.segments.slice(update) });
  expect(replay({ segments }, trapping, { identity })).toMatchObject({
    ...{ difference: null, compared: steps, leftOut: update },
  });
  // Before the update there is nothing to do.
  const until = { epoch: trace.segments[0]!.epoch, step: 2 };
  expect(() => replay({ segments }, trapping, { identity, until })).toThrow("recorded with another core");
  // A run that began on another core does not continue here.
  const back = trace.segments.map((one, at) => (at === 1 ? { ...one, core: "0".repeat(64) } : one));
  expect(replay({ segments: back }, trapping, { identity })).toMatchObject({ difference: null, leftOut: 1 });
});

test("of another core is replayed on request, without that core's memory", async () => {
  const { trace } = await recorded(4);
  const foreign = trace.segments.map((segment) => ({ ...segment, core: "0".repeat(64) }));
  const all = replay({ segments: foreign }, trapping, { identity, anyCore: true });
  expect([all.difference, all.compared]).toEqual([null, stepsOf(trace)]);
  // Without its beginning a run cannot be replayed, so replay starts with the next one.
  const next = foreign.findIndex(({ start }, at) => at > 1 && start.tag === "open");
  const later = replay({ segments: foreign.slice(1) }, trapping, { identity, anyCore: true });
  expect(later.difference).toBeNull();
  expect(later.compared).toBe(stepsOf({ segments: trace.segments.slice(next) }));
});

test("with different replies differs, in a replay and in a diff", async () => {
  const { trace } = await recorded(7);
  const other = decodeTrace((await record(7)).text);
  expect(compareTraces(trace.segments, other.segments)).toMatchObject({ parting: null, longer: null });
  const call = trace.segments[0]!.calls.find(({ out }) => out?.replies !== undefined)!;
  call.out!.replies = "A".repeat(16);
  expect(replay(trace, trapping, { identity }).difference?.what).toEqual(["replies differ"]);
  expect(compareTraces(trace.segments, other.segments).parting?.what).toEqual(["replies differ"]);
  delete call.out!.replies;
  expect(compareTraces(trace.segments, other.segments).parting?.what).toEqual(["replies differ"]);
});

describe("segments", () => {
  test("that begin with a snapshot are replayed alone", async () => {
    const { trace } = await recorded(4);
    const alone = trace.segments.filter(({ start }) => start.tag === "snapshot");
    expect(alone.length).toBeGreaterThan(5);
    let compared = 0;
    for (const segment of trace.segments) {
      const result = replay({ segments: [segment] }, trapping, { identity });
      expect(result.difference, `segment ${segment.number}`).toBeNull();
      compared += result.compared;
    }
    expect(compared).toBe(stepsOf(trace));
  });

  test("end during idle time if they would end soon, so that no request waits for the next snapshot", async () => {
    const engine = new RecordedEngine({ bytes: 40_000, mostBytes: 0, inputs: Infinity });
    await engine.open();
    const begun = () => engine.recorder.segment;
    for (const [characters, segments] of [
      [15_000, [1, 1]],
      [15_000, [1, 2]],
      [0, [2, 2]],
      [35_000, [2, 3]],
      [45_000, [4, 4]],
    ] as const) {
      engine.send({ method: "GET", target: `/_ping?${"x".repeat(characters)}` });
      const before = begun();
      await engine.rest();
      expect([before, begun()]).toEqual(segments);
    }
    const trace = decodeTrace(engine.ring.text());
    expect(trace.segments.map(({ start }) => start.tag)).toEqual(["open", "snapshot", "snapshot", "snapshot"]);
    expect(replay(trace, trapping, { identity }).difference).toBeNull();
  });

  test("have extra space for pages of the journal, which are read repeatedly, and still end", async () => {
    const pages = async (pageBytes: number): Promise<number[]> => {
      const engine = new RecordedEngine({ bytes: 150_000, mostBytes: 0, pageBytes, inputs: Infinity });
      await readAgain(engine, 10);
      const trace = decodeTrace(engine.ring.text());
      expect(replay(trace, trapping, { identity }).difference).toBeNull();
      return pagesIn(trace);
    };
    const [without, beside] = [await pages(0), await pages(500_000)];
    expect(without.reduce((sum, pages) => sum + pages)).toBe(10);
    expect(Math.max(...without)).toBeLessThan(3);
    expect(Math.max(...beside)).toBeGreaterThan(3);
    expect(beside.length).toBeGreaterThan(1);
  });

  test("before a moment can be found", async () => {
    const { trace } = await recorded(4);
    const until = { epoch: 1, step: 10 };
    const segment = segmentBefore(trace, until)!;
    expect(segment.start.tag).toBe("snapshot");
    const long = replay(trace, trapping, { until });
    const short = replay({ segments: [segment] }, trapping, { until });
    expect([long.at, short.at]).toEqual([until, until]);
    expect(short.compared).toBeLessThan(long.compared);
    expect(Buffer.compare(short.instance!.snapshot(), long.instance!.snapshot())).toBe(0);
    expect(segmentBefore(trace, { epoch: 9, step: 0 })).toBeNull();
  });

  test("are dropped from the oldest on, and the rest can be replayed", async () => {
    const engine = new RecordedEngine({ inputs: 4, segments: 3 });
    await live(engine);
    const trace = decodeTrace(engine.ring.text());
    expect(trace.segments.length).toBe(3);
    expect(trace.segments[0]!.number).toBeGreaterThan(3);
    expect(replay(trace, trapping).difference).toBeNull();
  });

  test("end when they are long enough, but not after each step if the snapshot is long", async () => {
    const engine = new RecordedEngine({ bytes: 1 });
    await live(engine);
    const lengths = engine.ring
      .text()
      .split("\n")
      .map(({ length }) => length);
    const trace = decodeTrace(engine.ring.text());
    expect(trace.segments.length).toBeGreaterThan(3);
    expect(trace.segments.length).toBeLessThan(lengths.length / 4);
  });
});

test("a fork is independent", async () => {
  const engine = new RecordedEngine();
  await engine.open();
  await create(engine, "web");
  const { instance } = replay(decodeTrace(engine.ring.text()), trapping);
  const branch = fork(trapping, instance!.snapshot());
  expect(namesIn(branch)).toEqual(["/web"]);
  ask(branch, "DELETE", "/containers/web");
  expect(namesIn(instance!)).toEqual(["/web"]);
  const left = replay(decodeTrace(engine.ring.text()), trapping).instance!;
  expect(ask(left, "DELETE", "/containers/web")).toEqual(ask(instance!, "DELETE", "/containers/web"));
});

function ask(instance: Instance, method: string, target: string): StepOutputs {
  const request = { id: 90n, listener: "", method, target, headers: "", body: { tag: "none" } as const };
  return instance.step({ wall: 5n, monotonic: 5n }, { tag: "request", val: request });
}

function namesIn(instance: Instance): string[] {
  const [reply] = ask(instance, "GET", "/containers/json?all=1").replies;
  if (reply?.command.tag !== "whole") throw new Error("no whole answer");
  const list = JSON.parse(new TextDecoder().decode(reply.command.val.body)) as { Names: string[] }[];
  return list.flatMap(({ Names }) => Names);
}

test("the search for credentials works in all encodings", () => {
  const encoded = registryAuth(AUTH);
  expect(SECRETS.slice(0, 3).every((secret) => formsOf(secret).some((form) => encoded.includes(form)))).toBe(true);
});
