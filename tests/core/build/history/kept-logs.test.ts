// What the steps of a build have written, told when the build is over, as seen by the core.

import { beforeEach, describe, expect, test } from "vitest";
import type { content } from "../../../../hosts/shared/host.js";
import { type Asked, digestOf, encode, ImageWorld } from "../../support/image-world.js";
import { sendFiles } from "../../support/session-files.js";
import { beginBuild } from "../beginning.js";
import { CONTROL, drop, openSession, solve, watch } from "../solving.js";

const MIB = 1024 ** 2;

interface Status {
  vertexes: { digest: string; name: string; completed?: string; error?: string }[];
  statuses: { vertex: string }[];
}

let world: ImageWorld;
beforeEach(() => {
  world = new ImageWorld();
  openSession(world);
});

const RUNS = "FROM busybox\nRUN one\n";

/** Of the only build that has a record. */
function refOf(): string {
  const [id] = [...world.records.keys()].filter((key) => key.startsWith("build/"));
  return (JSON.parse(new TextDecoder().decode(world.records.get(id!))) as { ref: string }).ref;
}

/** Ends the command of a step. */
function end(code = 0, by = world): Asked<content.KeptLog> {
  while (by.open().includes("mount")) by.done(by.take("mount").op);
  const { op, val } = by.takeLaunch();
  by.succeed(op, { tag: "launched", val: { pid: 7, at: by.now() } });
  by.exited(val.container, 1, code);
  const asked = by.take("keep-log");
  expect(asked.val.container).toBe(val.container);
  return asked;
}

/** Makes the layer of a step, which has changed nothing. */
function keep(by = world): void {
  const empty = { diffId: digestOf(encode("")), size: 0n, empty: true };
  by.succeed(by.take("commit").op, { tag: "committed", val: empty });
  by.done(by.take("drop-archive").op);
  by.done(by.takeProcess("reap"));
  by.done(by.take("unmount").op);
}

/** A step that writes so many bytes to its log. Returns the id of what is kept. */
function run(bytes: number, by = world): string {
  const { op, val } = end(0, by);
  by.succeed(op, { tag: "size", val: BigInt(bytes) });
  keep(by);
  return val.copy.container;
}

function remove(Ref: string): void {
  world.makeCall(`${CONTROL}/UpdateBuildHistory`, { Ref, Delete: true });
}

/** Containers that are dropped from now on. */
function drops(by = world): string[] {
  const found: string[] = [];
  while (by.open().includes("drop-container")) {
    const { op, val } = by.take("drop-container");
    found.push(val);
    by.done(op);
  }
  return found;
}

/** What is told of a build that is over: messages, and the ids of logs between them. */
function told(Ref: string, by = world): (Status | string)[] {
  const watching = watch(by, Ref);
  expect(by.answer(watching).over).toBe(true);
  return heard(watching, by);
}

function heard(watching: bigint, by = world): (Status | string)[] {
  const { text, logs } = by.answer(watching);
  const all: (Status | string)[] = [];
  let at = 0;
  for (const line of text.split("\n").slice(0, -1)) {
    for (const log of logs) if (log.at === at) all.push(log.container);
    all.push(JSON.parse(line) as Status);
    at += line.length + 1;
  }
  return all;
}

const shown = (one: Status | string): string | string[] =>
  typeof one === "string" ? one : one.vertexes.map(({ name, completed }) => (completed ? name : `${name}…`));

describe("what a step has written", () => {
  test("is told between its beginning and its end", () => {
    solve(world);
    sendFiles(world, "FROM busybox\nRUN one\nRUN two\nRUN three\n");
    const first = run(100);
    run(0);
    const third = run(5);
    drop(world);
    const all = told("a").map(shown);
    expect(all).toEqual([
      [...(all[0] as string[]).slice(0, -1), "[2/4] RUN one…"],
      first,
      ["[2/4] RUN one", "[3/4] RUN two", "[4/4] RUN three…"],
      third,
      ["[4/4] RUN three", "exporting to image"],
    ]);
    const { logs } = world.answer(watch(world, "a"));
    const [, , later] = told("a") as Status[];
    expect(logs.map(({ vertex }) => vertex)).toEqual([later!.vertexes[0]!.digest, later!.vertexes[2]!.digest]);
  });

  test("is told to whoever comes later to a build under way, once it is kept", () => {
    solve(world);
    sendFiles(world, "FROM busybox\nRUN one\nRUN two\n");
    const { op, val } = end();
    keep();
    const [early, kept] = [heard(watch(world)), val.copy.container];
    expect(early).not.toContain(kept);
    world.succeed(op, { tag: "size", val: 100n });
    const isShown = (one: Status | string): boolean => typeof one === "string" || "vertexes" in one;
    const late = heard(watch(world)).filter(isShown).flatMap(shown);
    const at = late.indexOf(kept);
    expect(late.slice(at - 1, at + 2)).toEqual(["[2/3] RUN one…", kept, "[2/3] RUN one"]);
    expect(late.at(-1)).toBe("[3/3] RUN two…");
  });

  test("is told once to whoever comes while the layer of its step is made", () => {
    solve(world);
    sendFiles(world, RUNS);
    const { op, val } = end();
    world.succeed(op, { tag: "size", val: 100n });
    const { logs } = world.answer(watch(world, "a", world.openDoor()));
    expect(logs.map(({ until }) => until)).toEqual([undefined]);
    keep();
    expect(logs).toMatchObject([{ until: expect.any(Number) as number }]);
    expect(logs[0]!.container).not.toBe(val.copy.container);
  });

  test("is told of a step that failed, before its error", () => {
    solve(world);
    sendFiles(world, "FROM busybox\nRUN false\n");
    const { op, val } = end(1);
    const before = told("a");
    world.succeed(op, { tag: "size", val: 30n });
    expect(told("a")).toEqual(before);
    expect(before.at(-2)).toBe(val.copy.container);
    expect((before.at(-1) as Status).vertexes[0]).toMatchObject({
      name: "[2/2] RUN false",
      error: expect.stringContaining("exit code: 1") as string,
    });
  });

  test.each([
    ["is left by its client", ""],
    ["is cancelled", "&buildid=b"],
  ])("is kept up to then if the build %s", (_how, query) => {
    const request = query === "" ? solve(world) : beginBuild(world, RUNS, `version=2&networkmode=none${query}`);
    if (query === "") sendFiles(world, RUNS);
    while (world.open().includes("mount")) world.done(world.take("mount").op);
    const { op, val } = world.takeLaunch();
    world.succeed(op, { tag: "launched", val: { pid: 7, at: world.now() } });
    if (query === "") world.hangUp(request);
    else world.call("POST", "/build/cancel?id=b");
    const asked = world.take("keep-log");
    expect(asked.val.container).toBe(val.container);
    world.done(world.takeProcess("signal"));
    world.succeed(asked.op, { tag: "size", val: 30n });
    world.exited(val.container, 1, 137);
    const all = told(refOf());
    expect(all.at(-2)).toBe(asked.val.copy.container);
    expect((all.at(-1) as Status).vertexes[0]).toMatchObject({
      name: "[2/2] RUN one",
      completed: expect.anything() as string,
      error: "context canceled",
    });
  });

  test("by POST /build is kept, too; by the classic builder it is not", () => {
    beginBuild(world, "FROM busybox\nRUN true\n", "version=2&networkmode=none");
    const kept = run(100);
    drop(world);
    expect(told(refOf())).toContain(kept);
    const other = new ImageWorld();
    beginBuild(other, "FROM busybox\nRUN true\n", "networkmode=none");
    while (other.open().includes("mount")) other.done(other.take("mount").op);
    const { op, val } = other.takeLaunch();
    other.succeed(op, { tag: "launched", val: { pid: 7, at: other.now() } });
    other.exited(val.container, 1);
    expect(other.open()).not.toContain("keep-log");
  });

  test("is limited for each step, and for the build", () => {
    solve(world);
    const commands = Array.from({ length: 11 }, (_, number) => `RUN ${number}\n`);
    sendFiles(world, `FROM busybox\n${commands.join("")}`);
    const limits = [10, MIB, MIB, MIB, MIB, MIB, MIB, MIB, MIB, 0, 0].map((bytes) => {
      const { op, val } = end();
      world.succeed(op, { tag: "size", val: BigInt(bytes) });
      keep();
      return val.copy;
    });
    expect(limits[0]).toMatchObject({ limit: MIB, note: "[output clipped, log limit 1MiB reached]" });
    expect(limits.map(({ limit }) => limit)).toEqual([...Array<number>(8).fill(MIB), MIB - 10, 0, 0]);
    expect(limits[10]!.note).toBe("[output clipped, log limit 8MiB for all steps reached]");
  });
});

describe("what is kept", () => {
  test("goes with the record of its build, once it is there", () => {
    solve(world);
    sendFiles(world, "FROM busybox\nRUN one\nRUN false\n");
    const first = run(100);
    const { op, val } = end(1);
    drops();
    remove("a");
    expect(drops()).toEqual([first]);
    world.succeed(op, { tag: "size", val: 30n });
    expect(drops()).toEqual([val.copy.container]);
  });

  test("goes with the record even if the copy has failed", () => {
    solve(world);
    sendFiles(world, "FROM busybox\nRUN true\n");
    const { op, val } = end();
    world.failAs(op, { tag: "internal", val: "no space left on device" });
    keep();
    drops();
    remove("a");
    expect(drops()).toEqual([val.copy.container]);
  });

  test("outlives the engine if a record has it, and is swept if none has", () => {
    solve(world);
    sendFiles(world, "FROM busybox\nRUN one\n");
    const kept = run(100);
    drop(world);
    const stray = "5".repeat(64);
    const again = new ImageWorld({ records: world.records, left: [kept, stray] });
    expect(drops(again)).toEqual([stray]);
    expect(told("a", again)).toEqual(told("a"));
  });

  test("is nothing for a build without a record", () => {
    solve(world, { Internal: true });
    sendFiles(world, "FROM busybox\nRUN true\n");
    while (world.open().includes("mount")) world.done(world.take("mount").op);
    const { op, val } = world.takeLaunch();
    world.succeed(op, { tag: "launched", val: { pid: 7, at: world.now() } });
    world.exited(val.container, 1);
    expect(world.open()).not.toContain("keep-log");
  });

  test("is sent to a client only as fast as it reads", () => {
    const slow = new ImageWorld({ reading: false });
    openSession(slow);
    solve(slow);
    const commands = Array.from({ length: 20 }, (_, number) => `RUN ${number}\n`);
    sendFiles(slow, `FROM busybox\n${commands.join("")}`);
    for (const _ of commands) run(1, slow);
    drop(slow);
    const seen = slow.answer(watch(slow, "a"));
    expect([seen.logs.length, seen.over]).toEqual([8, false]);
  });
});
