// Traces for sharing: the text is complete from any starting point, and holds no value of an environment or a label.

import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { readRecordFields } from "../../core/record-types.js";
import { storyLine } from "../../hosts/timeline/story.js";
import { tell } from "../../hosts/trace/tell.js";
import { Timeline } from "../../hosts/timeline/timeline.js";
import type { Step } from "../../hosts/timeline/step.js";
import { TraceError, decodeTrace } from "../../hosts/trace/decode.js";
import type { Segment } from "../../hosts/trace/format.js";
import { HiddenValues } from "../../hosts/trace/hidden-values.js";
import { isShared, listen, share } from "../../hosts/trace/shared.js";
import { secretsIn } from "../support/secret-search.js";
import { RecordedEngine, identity, trapping } from "./engine.js";
import { SECRETS, live } from "./stories.js";
import { bareLines, summed } from "./sums.js";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const ENV = "value-of-an-environment";
const LABEL = "value-of-a-label";

/** In a filter, as the docker CLI sends it and in other forms. */
const FILTERED = ["as-a-key", "left-out", "folded", "misspelt"].map((word) => `label-${word}`);
const FILTERS = [
  { label: { [`a=${FILTERED[0]}`]: true } },
  { "label!": [`a=${FILTERED[1]}`] },
  { labelſ: [`a=${FILTERED[2]}`] },
  `{"label":["a=${FILTERED[3]}",]}`,
].map((filters) => encodeURIComponent(typeof filters === "string" ? filters : JSON.stringify(filters)));
const BENT = "value-in-no-json";

/** Values of a network, which a trace that begins later has only in the network's record. None is part of another. */
const OF_NETWORK = ["an-option", "an-ipam-option", "a-network-label"].map((place) => `value-of-${place}`);
const [OPTION, IPAM_OPTION, NETWORK_LABEL] = OF_NETWORK;
const NETWORK = {
  Name: "own-network",
  Options: { a: OPTION },
  IPAM: { Driver: "default", Options: { a: IPAM_OPTION } },
  Labels: { a: NETWORK_LABEL },
};

/** Segments of a few steps: all but the first begin with a snapshot. */
async function recorded(filtering: string[] = []): Promise<Segment[]> {
  const engine = new RecordedEngine({ inputs: 4, segments: 1000 });
  await engine.open();
  const body = { Image: "busybox", Env: [`A=${ENV}`], Labels: { mine: LABEL } };
  await engine.ask({ method: "POST", target: "/v1.41/containers/create?name=kept", body });
  for (const filters of filtering) await engine.ask({ method: "GET", target: `/containers/json?filters=${filters}` });
  await engine.ask({ method: "POST", target: "/containers/create?name=bent", body: `{"Env":["A=${BENT}",]}` });
  engine.driver.cut();
  await live(engine);
  return decodeTrace(engine.ring.text()).segments;
}

function shared(segments: Segment[]): string[] {
  const lines: string[] = [];
  share(
    () => segments,
    trapping,
    identity,
    (line) => void lines.push(line),
  );
  return lines;
}

/** One step per line, without its time and its records. */
function told(lines: Iterable<string>): string[] {
  const story: string[] = [];
  const timeline = new Timeline({
    ...{ claim: () => null, preparing: () => false, hashOf: () => "", forgets: true },
    now: () => ({ wall: 0n, monotonic: 0n }),
    added: (step) => void story.push(lineOf(step)),
  });
  listen(lines, timeline);
  return story;
}

function lineOf(step: Step): string {
  return storyLine(step.kind === "stepped" ? step : { ...step, wall: 0n });
}

test("shows the same story as the trace itself", async () => {
  const segments = await recorded();
  const story: string[] = [];
  tell(segments, trapping, { identity, added: (step) => void story.push(lineOf(step)) });
  expect(story.length).toBeGreaterThan(30);
  expect(told(shared(segments))).toEqual(story);
});

test("begins during a life if the trace does, with the records of that time", async () => {
  const segments = await recorded();
  const later = segments.slice(4);
  expect(later[0]!.start.tag).toBe("snapshot");
  const lines = shared(later);
  expect(lines[1]).toMatch(/^\{"at":\[2,\d+\],"now":\[.*\],"resumed":\[\{"key":/);
  expect(told(lines)[0]).toContain("the recording begins here, during the engine's life");
  const bytes = Buffer.from(lines.join("\n"));
  expect(secretsIn(bytes, [...SECRETS, ENV, LABEL, BENT, ...FILTERED])).toEqual([]);
  expect(secretsIn(bytes, ["kept", "mine", "A=x"])).toHaveLength(3);
});

test("has none of the values, wherever it begins", async () => {
  const segments = await recorded(FILTERS);
  for (const from of [0, 1, 2, 6]) {
    const bytes = Buffer.from(shared(segments.slice(from)).join("\n"));
    expect(secretsIn(bytes, [...SECRETS, ENV, LABEL, BENT, ...FILTERED])).toEqual([]);
  }
});

test("has none of the values of a network that was created before the trace begins", async () => {
  const engine = new RecordedEngine({ inputs: 4, segments: 1000 });
  await engine.open();
  const { status } = await engine.ask({ method: "POST", target: "/networks/create", body: NETWORK });
  expect(status).toBe(201);
  engine.driver.cut();
  await live(engine);
  const { segments } = decodeTrace(engine.ring.text());
  const restart = segments.findIndex(({ epoch, start }) => epoch === 2 && start.tag === "open");
  // The first begins with the records that the instance opened with, the second with those in a snapshot.
  for (const [from, how] of [
    [restart, '"open"'],
    [restart + 1, '"resumed"'],
  ] as const) {
    const lines = shared(segments.slice(from));
    expect(lines[1]).toContain(how);
    const bytes = Buffer.from(lines[1]!);
    expect(secretsIn(bytes, ["own-network", "ipamOptions"])).toHaveLength(2);
    expect(secretsIn(bytes, OF_NETWORK)).toEqual([]);
  }
});

test("is not a trace, and a trace is not a shared one", async () => {
  const lines = shared(await recorded());
  expect(isShared(lines[0]!)).toBe(true);
  expect(() => decodeTrace(`${lines.join("\n")}\n`)).toThrow(TraceError);
  expect(() => told(["{}"])).toThrow("line 1: format: expected coracle-shared-trace");
  const [header] = bareLines(lines[0]!) as [string];
  const behind = (...more: string[]): string[] =>
    summed([header, ...more])
      .trimEnd()
      .split("\n");
  expect(() => told(behind('{"at":[1]}'))).toThrow("line 2: line.at: expected a list of two");
  expect(() => told(behind('{"lost":"x"}'))).toThrow("line 2: the trace ends too early: expected an end");
  expect(() => told(behind('{"end":"told"}', '{"lost":"x"}'))).toThrow("line 3: expected nothing after the end");
  expect(() => told(behind('{"end":"other"}'))).toThrow("line 2: the trace ends too early: expected an end");
  for (const version of [1, 3]) {
    expect(() => told([header.replace('"version":2', `"version":${version}`)])).toThrow(
      `line 1: a shared trace of version ${version}: this engine reads version 2 only`,
    );
  }
  expect(() => told([])).toThrow("line 1: expected a shared trace, but the file is empty");
});

describe("values", () => {
  function hidden(json: unknown, text: string): string {
    const values = new HiddenValues();
    values.note(json);
    return values.hide(text);
  }

  test("of variables and labels are known by their places", () => {
    expect(hidden({ Env: ["A=secret1", "B"] }, "secret1 B")).toBe("xxxxxxx B");
    expect(hidden({ config: { Labels: { a: "secret2" } } }, "a secret2")).toBe("a xxxxxxx");
    expect(hidden({ filters: { label: ["a=secret3"] } }, "a=secret3")).toBe("a=xxxxxxx");
    expect(hidden({ history: [{ created_by: "/bin/sh -c #(nop)  ENV A=secret4" }] }, "secret4")).toBe("xxxxxxx");
    expect(hidden({ history: [{ created_by: "|1 T=secret5 /bin/sh -c make" }] }, "secret5 make")).toBe("xxxxxxx make");
    expect(hidden({ changes: 'LABEL a="secret 6" b=secret7' }, "secret 6, secret7")).toBe("xxxxxxxx, xxxxxxx");
    expect(hidden({ changes: "ENV A secret8" }, "secret8")).toBe("xxxxxxx");
    expect(hidden({ buildargs: { A: "secret9" } }, "secret9")).toBe("xxxxxxx");
  });

  test("are hidden in texts that quote them, the longest match first", () => {
    expect(hidden({ Env: ['A=se"cret'] }, 'it says "se\\"cret"')).toBe('it says "xxxxxxxx"');
    expect(hidden({ Env: ["A=long", "B=longer"] }, "longer long")).toBe("xxxxxx xxxx");
  });

  test("are hidden completely in texts of Dockerfiles, with any quotes, even if they are not a value there", () => {
    const shown = (json: unknown): unknown => new HiddenValues().hideIn(json);
    expect(shown({ changes: `ENV A='a b' C=d\\ e\nLABEL "f g"=h` })).toEqual({ changes: `ENV A=${"x".repeat(26)}` });
    expect(shown({ changes: "label old s t" })).toEqual({ changes: "label old xxx" });
    expect(shown({ changes: "ENV A='open b" })).toEqual({ changes: "ENV A=xxxxxxx" });
    expect(shown({ changes: ["CMD env a=b", "EXPOSE 80", "ENV A"] })).toEqual({
      changes: ["CMD xxxxxxx", "EXPOSE 80", "ENV A"],
    });
    expect(shown({ Env: [{ A: "b" }], Labels: { a: { b: ["c"] } } })).toEqual({
      ...{ Env: [{ A: "x" }], Labels: { a: { b: ["x"] } } },
    });
  });

  test("that are short are hidden only in their own places", () => {
    const values = new HiddenValues();
    values.note({ Env: ["A=1"] });
    expect(values.hideIn({ Env: ["A=1"], Labels: { a: "2" }, User: "1" })).toEqual({
      Env: ["A=x"],
      Labels: { a: "x" },
      User: "1",
    });
  });

  const OPTIONS = { type: "cifs", o: "username=me,password=hunter2" };
  const HIDDEN = { type: "xxxx", o: "x".repeat(28) };
  test.each<[unknown, unknown]>([
    [{ DriverOpts: OPTIONS }, { DriverOpts: HIDDEN }],
    [
      { ipamOptions: OPTIONS, options: { a: "b" }, labels: { c: "d" }, ipam: [{ subnet: "10.1.0.0/16" }] },
      { ipamOptions: HIDDEN, options: { a: "x" }, labels: { c: "x" }, ipam: [{ subnet: "10.1.0.0/16" }] },
    ],
    [
      { driver_opts: OPTIONS, StorageOpt: { size: "1G" } },
      { driver_opts: HIDDEN, StorageOpt: { size: "xx" } },
    ],
    [{ DriverConfig: { Name: "local", Options: OPTIONS } }, { DriverConfig: { Name: "local", Options: HIDDEN } }],
    [
      { LogConfig: { Type: "x", Config: { "x-token": "abc" } } },
      { LogConfig: { Type: "x", Config: { "x-token": "xxx" } } },
    ],
    [{ Config: { User: "me" } }, { Config: { User: "me" } }],
    [{ Annotations: { a: "b" } }, { Annotations: { a: "x" } }],
    [
      { FrontendAttrs: { "build-arg:A": "bc", target: "d" }, ExporterAttrs: { "annotation.a": "b" } },
      { FrontendAttrs: { "build-arg:A": "xx", target: "x" }, ExporterAttrs: { "annotation.a": "x" } },
    ],
    [
      { ref: "a", steps: { vertexes: [{ name: "RUN b c", started: 1 }] }, error: "d" },
      { ref: "a", steps: { vertexes: [{ name: "xxxxxxx", started: 1 }] }, error: "d" },
    ],
    [
      { Cmd: ["a", "bc"], Entrypoint: "d e", shell: ["f"] },
      { Cmd: ["x", "xx"], Entrypoint: "xxx", shell: ["x"] },
    ],
    [{ Healthcheck: { Test: ["CMD", "a"], Retries: 3 } }, { Healthcheck: { Test: ["xxx", "x"], Retries: 3 } }],
    [
      { path: "a b", args: ["c"] },
      { path: "xxx", args: ["x"] },
    ],
    [{ path: "/a" }, { path: "/a" }],
    [{ history: [{ created_by: "curl -u a:b h" }] }, { history: [{ created_by: "x".repeat(13) }] }],
    [
      { OnBuild: ["RUN a"], changes: "EXPOSE 8\nRUN a \\\n b" },
      { OnBuild: ["xxxxx"], changes: "EXPOSE 8\nRUN xxxxxx" },
    ],
    [{ health: { log: [{ exitCode: 0, output: "a" }] } }, { health: { log: [{ exitCode: 0, output: "x" }] } }],
  ])("of options and commands are hidden: %j", (json, shown) => {
    expect(new HiddenValues().hideIn(json)).toEqual(shown);
  });

  test("of options and commands are hidden elsewhere, too, except for common words", () => {
    const options = { Options: OPTIONS };
    expect(hidden(options, "mount -o password=hunter2: denied")).toBe("mount -o password=xxxxxxx: denied");
    expect(hidden({ Cmd: ["mysql", "-phunter2", "1000"] }, "mysql -phunter2 1000")).toBe("mysql xxxxxxxxx 1000");
  });

  test("of build arguments are hidden elsewhere, too, other attributes of a build are not", () => {
    const attributes = { FrontendAttrs: { "build-arg:TOKEN": "hunter2", filename: "Dockerfile" } };
    expect(hidden(attributes, "Dockerfile: login hunter2")).toBe("Dockerfile: login xxxxxxx");
  });

  function isShown(member: string): boolean {
    const { [member]: map } = new HiddenValues().hideIn({ [member]: { a: "b" } }) as Record<string, { a: string }>;
    return map?.a === "b";
  }

  test("of every map in a record are hidden, except for addresses", async () => {
    const fields = [...(await readRecordFields(ROOT)).values()].flat();
    const maps = fields.filter(({ type }) => type === "Record<string, string>").map(({ name }) => name);
    const shown = maps.filter((name) => isShown(name));
    expect(maps).toContain("ipamOptions");
    expect(shown).toEqual(["auxiliary"]);
  });
});
