// The history of builds by BuildKit, as seen by the core.

import { beforeEach, describe, expect, test } from "vitest";
import { ImageWorld, type Json } from "../../support/image-world.js";
import { sendDefinition, sendFiles } from "../../support/session-files.js";
import { beginBuild } from "../beginning.js";
import { CONTROL, direct, drop, openSession, runStep, solve, watch } from "../solving.js";

const [STARTED, COMPLETE, DELETED] = [0, 1, 2];
const HOUR = 3_600_000;

interface Event {
  type: number;
  record: Json & { Ref: string };
}

let world: ImageWorld;
beforeEach(() => {
  world = new ImageWorld();
  openSession(world);
});

/** `more`: `Ref`, `ActiveOnly`, `Filter`, `Limit`; by default what there is now. */
function listen(more: Json = {}, by = world): bigint {
  return by.makeCall(`${CONTROL}/ListenBuildHistory`, { EarlyExit: true, ...more });
}

function heard(id: bigint, by = world): Event[] {
  return by
    .answer(id)
    .text.split("\n")
    .filter((line) => line.length > 0)
    .map((line) => JSON.parse(line) as Event);
}

function refs(more: Json = {}, by = world): string[] {
  return heard(listen(more, by), by).map(({ record }) => record.Ref);
}

function update(more: Json): { status: number; text: string } {
  return world.answer(world.makeCall(`${CONTROL}/UpdateBuildHistory`, more));
}

/** A build whose step is only a config. */
function build(Ref: string, more: object = {}, dockerfile = "FROM busybox\nENV A=1\n"): void {
  const solving = solve(world, { Ref, ...more });
  sendDefinition(world, dockerfile);
  drop(world);
  expect(world.answer(solving).over).toBe(true);
}

describe("a build", () => {
  test("is heard of when it begins and when it is over, with what it was asked and what came of it", () => {
    const hearing = listen({ EarlyExit: false });
    const other = listen({ EarlyExit: false, Ref: "b" });
    solve(world, { ExporterAttrs: { name: "made" }, FrontendAttrs: { "force-network-mode": "none", target: "" } });
    expect(heard(listen({ ActiveOnly: true }))).toMatchObject([{ type: STARTED, record: { Ref: "a" } }]);
    sendFiles(world, "FROM busybox\nRUN true\n");
    world.sleep(1500);
    runStep(world);
    drop(world);
    const [began, ended, ...more] = heard(hearing);
    expect(more).toEqual([]);
    expect([began, ended]).toMatchObject([
      { type: STARTED, record: { Ref: "a", Frontend: "dockerfile.v0", FrontendAttrs: { target: "" } } },
      {
        type: COMPLETE,
        record: {
          Ref: "a",
          Exporters: [{ Type: "moby", Attrs: { name: "made" } }],
          ExporterResponse: { "containerimage.digest": expect.stringMatching(/^sha256:/) as string },
          Generation: 0,
        },
      },
    ]);
    expect(began!.record).not.toHaveProperty("CompletedAt");
    expect(ended!.record).not.toHaveProperty("error");
    const [from, to] = [String(ended!.record["CreatedAt"]), String(ended!.record["CompletedAt"])];
    expect(Date.parse(to) - Date.parse(from)).toBe(1500);
    expect([heard(other), world.answer(other).over]).toEqual([[], false]);
    expect(refs({ ActiveOnly: true })).toEqual([]);
  });

  test("has all its outputs, each once, though newer clients name the first one twice", () => {
    const Exporters = [
      { Type: "moby", Attrs: { name: "made" } },
      { Type: "image", Attrs: { name: "other" } },
    ];
    build("a", { Exporter: "moby", ExporterAttrs: { name: "made" }, Exporters });
    expect(heard(listen())[0]!.record["Exporters"]).toEqual(Exporters);
  });

  test("shares the room for attributes among its outputs", () => {
    const long = { Type: "moby", Attrs: { dest: "x".repeat(3000) } };
    build("a", { Exporters: Array.from({ length: 16 }, () => long) });
    build("b", { Exporters: [long, long] });
    const [many, few] = heard(listen()).map(({ record }) => record["Exporters"]);
    expect(many).toEqual(Array.from({ length: 16 }, () => ({ Type: "moby", Attrs: {} })));
    expect(few).toEqual([long, long]);
  });

  test("counts its steps, and tells them again to whoever watches it later", () => {
    solve(world);
    sendFiles(world, "FROM busybox\nRUN true\n");
    runStep(world);
    drop(world);
    world.sleep(1000);
    build("b", {}, "FROM busybox\nRUN true\n");
    const [first, second] = heard(listen()).map(({ record }) => record);
    const seen = watch(world, "b");
    expect(world.answer(seen).over).toBe(true);
    const { vertexes } = JSON.parse(world.answer(seen).text) as { vertexes: { name: string; cached?: boolean }[] };
    expect(vertexes.map(({ name }) => name)).toContain("[2/2] RUN true");
    expect(second).toMatchObject({
      numTotalSteps: vertexes.length,
      numCompletedSteps: vertexes.length,
      numCachedSteps: vertexes.filter(({ cached }) => cached).length,
    });
    expect(Number(second!["numCachedSteps"])).toBeGreaterThan(Number(first!["numCachedSteps"]));
  });

  test("that a client directs has the options of its first question", () => {
    solve(world, { Frontend: "", FrontendAttrs: {} });
    direct(world, "Solve", { Frontend: "dockerfile.v0", FrontendOpt: { target: "one", "force-network-mode": "none" } });
    expect(heard(listen())[0]!.record).toMatchObject({ Frontend: "dockerfile.v0", FrontendAttrs: { target: "one" } });
  });

  test.each<[string, (begin: (more?: object) => bigint) => void, object]>([
    ["that fails", (begin) => (begin(), sendDefinition(world, "FROM busybox\nNOTHING\n")), { code: 2 }],
    ["whose frontend is unknown", (begin) => begin({ Frontend: "other.v0" }), { code: 12 }],
    ["whose client hangs up", (begin) => world.hangUp(begin()), { code: 1, message: "context canceled" }],
    [
      "whose client gives up",
      (begin) => {
        begin();
        direct(world, "Return", { error: { code: 2, message: "at https://user:password@host" } });
      },
      { code: 2, message: "at https://xxxxx@host" },
    ],
  ])("%s has its error", (_what, run, error) => {
    run((more) => solve(world, more));
    expect(heard(listen())).toMatchObject([{ type: COMPLETE, record: { Ref: "a", error } }]);
  });

  test("is not recorded if its client says so, nor if its output is refused", () => {
    build("a", { Internal: true });
    solve(world, { Ref: "b", Exporter: "cake" });
    build("x".repeat(2000));
    expect(refs()).toEqual([]);
  });

  test("has no credentials in its record, which outlives the engine", () => {
    const FrontendAttrs = {
      "force-network-mode": "none",
      "vcs:source": "https://user:password@example.org/a.git",
      "context:base": "https://user:password@example.org/b.git",
    };
    solve(world, { FrontendAttrs, Cache: { Exports: [{ Type: "inline", Attrs: { token: "password" } }] } });
    world.sleep(1000);
    build("b");
    const texts = [...world.records].map(([key, value]) => key + new TextDecoder().decode(value));
    expect(texts.filter((text) => text.startsWith("build/"))).toHaveLength(2);
    expect(texts.filter((text) => text.includes("password"))).toEqual([]);
    const again = new ImageWorld({ records: world.records });
    expect(heard(listen({}, again), again)).toEqual(heard(listen()));
    expect(again.answer(watch(again, "b")).text).toBe(world.answer(watch(world, "b")).text);
  });

  test("with the ref of an earlier one takes its place", () => {
    build("a");
    build("a");
    expect(refs()).toEqual(["a"]);
    expect([...world.records.keys()].filter((key) => key.startsWith("build/"))).toHaveLength(1);
  });
});

describe("what clients change", () => {
  test("a build that they remove is gone, and those who listen are told", () => {
    build("a");
    build("b");
    const hearing = listen({ EarlyExit: false, ActiveOnly: true });
    expect(update({ Ref: "a", Delete: true })).toMatchObject({ status: 200, text: "{}\n" });
    expect(heard(hearing)).toEqual([{ type: DELETED, record: { Ref: "a" } }]);
    expect(refs()).toEqual(["b"]);
    expect([...world.records.keys()].filter((key) => key.startsWith("build/"))).toHaveLength(1);
    expect(update({ Ref: "a", Delete: true }).text).toContain("failed to retrieve ref a: file does not exist");
  });

  test("a build that they pin has another generation", () => {
    build("a");
    update({ Ref: "a", Pinned: true });
    update({ Ref: "a", Pinned: true });
    expect(heard(listen())[0]!.record).toMatchObject({ pinned: true, Generation: 1 });
    update({ Ref: "a", Finalize: true });
    expect(heard(listen())[0]!.record).toMatchObject({ pinned: true });
  });

  test("a build under way is none that they could remove", () => {
    solve(world);
    expect(update({ Ref: "a", Delete: true }).status).toBe(500);
    expect(refs()).toEqual(["a"]);
  });
});

describe("filters", () => {
  beforeEach(() => {
    build("old", { FrontendAttrs: { "force-network-mode": "none", "vcs:source": "https://example.org/a.git" } });
    world.sleep(3 * HOUR);
    solve(world, { Ref: "slow" });
    world.sleep(20_000);
    sendDefinition(world, "FROM busybox\nNOTHING\n");
  });

  test.each<[string[], string[]]>([
    [["ref==old"], ["old"]],
    [["ref~=^sl"], ["slow"]],
    [["status==completed"], ["old"]],
    [["status==error"], ["slow"]],
    [["status!=error"], ["old"]],
    [["repository==https://example.org/a.git"], ["old"]],
    [["startedAt>=1h"], ["slow"]],
    [["startedAt<1h"], ["old"]],
    [["completedAt>2000-01-01T00:00:00Z"], ["old", "slow"]],
    [["duration>10s"], ["slow"]],
    [
      ["duration<=10s", "status==error"],
      ["old", "slow"],
    ],
    [["duration<=10s,status==error"], []],
    [["other==1"], []],
    [[""], ["old", "slow"]],
  ])("%j leave %j", (Filter, left) => {
    expect(refs({ Filter })).toEqual(left);
  });

  test.each([
    ["duration>x", "invalid duration x"],
    ["startedAt>yesterday", "invalid time yesterday"],
    ["==x", "the filter ==x is no FIELD"],
  ])("%s is refused", (filter, words) => {
    expect(world.answer(listen({ Filter: [filter] })).text).toContain(words);
  });

  test("with a limit the newest come first", () => {
    expect([refs({ Limit: 1 }), refs({ Limit: 5 })]).toEqual([["slow"], ["slow", "old"]]);
    expect(world.answer(listen({ Limit: -1 })).text).toContain("invalid limit -1");
  });
});

test("two builds may have the same ref, if the engine gave it to one of them", () => {
  const other = new ImageWorld();
  openSession(other);
  const requested = beginBuild(other, "FROM busybox\nRUN true\n", "version=2&networkmode=none");
  const Ref = heard(listen({}, other), other)[0]!.record.Ref;
  solve(other, { Ref, Frontend: "other.v0" });
  other.hangUp(requested);
  expect(refs({}, other)).toEqual([Ref]);
});

describe("a build by POST /build", () => {
  const only = (): Json => heard(listen())[0]!.record;

  test("is in the history with what was asked, what came of it, and its steps", () => {
    const query = `t=made&target=one&buildargs=${encodeURIComponent('{"A":"1"}')}&labels=${encodeURIComponent('{"L":"x"}')}`;
    beginBuild(world, "FROM busybox AS one\nRUN true\n", `version=2&networkmode=none&${query}`);
    runStep(world);
    drop(world);
    expect(only()).toMatchObject({
      Frontend: "dockerfile.v0",
      FrontendAttrs: { target: "one", "build-arg:A": "1", "label:L": "x" },
      Exporters: [{ Type: "moby", Attrs: { name: "made:latest" } }],
      CompletedAt: expect.any(String) as string,
      ExporterResponse: { "image.name": expect.stringContaining("made") as string },
    });
    const { vertexes } = JSON.parse(world.answer(watch(world, String(only().Ref))).text) as {
      vertexes: { name: string }[];
    };
    expect(vertexes.map(({ name }) => name)).toContain("[2/2] RUN true");
  });

  test("that fails, or whose client hangs up, is there with its error; one of the classic builder is not", () => {
    beginBuild(world, "FROM busybox\nENV A=1\n", "");
    drop(world);
    expect(refs()).toEqual([]);
    beginBuild(world, "FROM busybox\nBAD x\n", "version=2");
    drop(world);
    expect(only()).toMatchObject({ error: { code: 2, message: expect.any(String) as string } });
    update({ Ref: only().Ref, Delete: true });
    world.hangUp(beginBuild(world, "FROM busybox\nRUN true\n", "version=2&networkmode=none"));
    expect(only()).toMatchObject({ error: { code: 1, message: "context canceled" } });
  });
});

describe("the history", () => {
  const many = (from: number, to: number): void => {
    for (let number = from; number < to; number++) solve(world, { Ref: `${number}`, Frontend: "other.v0" });
  };

  test("keeps the newest builds, older ones for two days, and pinned ones for ever", () => {
    many(0, 60);
    update({ Ref: "3", Pinned: true });
    world.sleep(47 * HOUR);
    expect(refs()).toHaveLength(60);
    world.sleep(2 * HOUR);
    const left = refs();
    expect([left.length, left[0], left[1], left.at(-1)]).toEqual([51, "3", "10", "59"]);
  });

  test("never keeps more than a hundred", () => {
    many(0, 120);
    const left = refs();
    expect([left.length, left[0]]).toEqual([100, "20"]);
    expect([...world.records.keys()].filter((key) => key.startsWith("build/"))).toHaveLength(100);
  });

  test("takes no more than fifty pins, and a hundred that listen", () => {
    many(0, 51);
    const answers = Array.from({ length: 51 }, (_, number) => update({ Ref: `${number}`, Pinned: true }));
    expect(answers.map(({ status }) => status).lastIndexOf(200)).toBe(49);
    expect(answers[50]!.text).toContain("too many builds are pinned");
    const listening = Array.from({ length: 101 }, () => listen({ EarlyExit: false, Ref: "none" }));
    expect(world.answer(listening[99]!).over).toBe(false);
    expect(world.answer(listening[100]!).text).toContain("too many clients listen");
    world.hangUp(listening[0]!);
    expect(world.answer(listen({ EarlyExit: false, Ref: "none" })).over).toBe(false);
  });
});
