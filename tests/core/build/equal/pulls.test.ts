// Stages and builds that begin with the same image, which is not here, as seen by the core: it is pulled once.

import { describe, expect, test } from "vitest";
import { answered } from "../../../support/registry/registry-failures.js";
import { ImageWorld, makeImage, resolved } from "../../support/image-world.js";
import { sendDefinition } from "../../support/session-files.js";
import { beginBuild } from "../beginning.js";
import { ALL, openSession, solve, watch } from "../solving.js";

const KIT = "version=2&networkmode=none";
const CLASSIC = "networkmode=none";
const ONE = "FROM r.example/a\nENV A=1\n";
const TWO = "FROM r.example/a AS one\nENV A=1\nFROM r.example/a AS two\nENV B=1\n";
const BOTH = `${TWO}FROM one\nCOPY --from=two f /\n`;
const WAITING = "waiting for the same image, which is being pulled";
const NOBODY = { username: "", password: "", identityToken: "", registryToken: "", meta: "" };

/** How many commands of this kind are open. */
const count = (world: ImageWorld, tag: string): number => world.open().filter((one) => one === tag).length;

function pull(world: ImageWorld): void {
  const image = makeImage(["one"]);
  world.succeed(world.take("resolve").op, resolved(image.manifest));
  world.succeed(world.take("blob").op, { tag: "bytes", val: image.config });
  if (world.open().includes("layer")) world.succeed(world.take("layer").op, { tag: "size", val: 3n });
}

const refuse = (world: ImageWorld): void => world.failAs(world.take("resolve").op, answered(404, "MANIFEST_UNKNOWN"));

const isOver = (world: ImageWorld, id: bigint): boolean => world.answer(id).over;

describe("two stages of a build", () => {
  test.each([KIT, CLASSIC])("pull it once, and both go on (%s)", (query) => {
    const world = new ImageWorld();
    beginBuild(world, BOTH, query);
    expect(count(world, "resolve")).toBe(1);
    pull(world);
    expect(count(world, "resolve")).toBe(0);
    // The last stage looks at the files of the other one.
    expect(world.open()).toContain("mount");
  });

  test("ask for credentials once", () => {
    const world = new ImageWorld();
    openSession(world, ALL);
    solve(world);
    sendDefinition(world, BOTH);
    expect(count(world, "find-credentials")).toBe(1);
    world.succeed(world.take("find-credentials").op, { tag: "given", val: NOBODY });
    expect([count(world, "find-credentials"), count(world, "resolve")]).toEqual([0, 1]);
  });

  test("pull it once if the registry has to be asked anyway, too", () => {
    const world = new ImageWorld();
    const dockerfile = "FROM r.example/a AS one\nENV A=1\nFROM one AS two\nFROM r.example/a\nCOPY --from=two f /\n";
    beginBuild(world, dockerfile, `${CLASSIC}&pull=1`);
    expect(count(world, "resolve")).toBe(1);
    pull(world);
    expect([count(world, "resolve"), world.open().includes("mount")]).toEqual([0, true]);
  });

  test("fail together, once", () => {
    const world = new ImageWorld();
    const id = beginBuild(world, BOTH, KIT);
    refuse(world);
    const errors = world.lines(id).filter((line) => "error" in line);
    expect([errors.length, isOver(world, id), count(world, "resolve")]).toEqual([1, true, 0]);
  });

  test("give it up together with their client", () => {
    const world = new ImageWorld();
    const id = beginBuild(world, BOTH, KIT);
    const { op } = world.take("resolve");
    world.hangUp(id);
    expect(world.take("abandon").val).toBe(op);
    expect(count(world, "resolve")).toBe(0);
  });

  test("pull it once if one of them only takes files from it", () => {
    const world = new ImageWorld();
    openSession(world);
    solve(world);
    const watching = watch(world);
    sendDefinition(
      world,
      "FROM r.example/a AS one\nENV A=1\nFROM busybox\nCOPY --from=r.example/a f /\nCOPY --from=one f /\n",
    );
    expect([count(world, "resolve"), world.answer(watching).text.includes(WAITING)]).toEqual([1, true]);
    pull(world);
    expect([count(world, "resolve"), world.open().includes("mount")]).toEqual([0, true]);
  });
});

describe("a second build", () => {
  test.each([
    [KIT, CLASSIC],
    [CLASSIC, KIT],
  ])("waits for the pull of the first one (%s, %s)", (one, other) => {
    const world = new ImageWorld();
    const builds = [beginBuild(world, ONE, one), beginBuild(world, ONE, other), beginBuild(world, ONE, other)];
    expect(count(world, "resolve")).toBe(1);
    pull(world);
    expect(builds.map((id) => isOver(world, id))).toEqual([true, true, true]);
    expect(count(world, "resolve")).toBe(0);
  });

  test("says so, and asks for no credentials", () => {
    const world = new ImageWorld();
    beginBuild(world, ONE, CLASSIC);
    openSession(world, ALL);
    solve(world);
    const watching = watch(world);
    sendDefinition(world, ONE);
    expect(world.answer(watching).text).toContain(WAITING);
    expect(world.open()).not.toContain("find-credentials");
    pull(world);
    expect(world.answer(watching).text).toContain("FROM r.example/a");
  });

  test("pulls it if the first one is cancelled; a third one waits on", () => {
    const world = new ImageWorld();
    const first = beginBuild(world, ONE, KIT);
    const others = [beginBuild(world, ONE, KIT), beginBuild(world, ONE, KIT)];
    world.take("resolve");
    world.hangUp(first);
    expect(count(world, "resolve")).toBe(1);
    pull(world);
    expect(others.map((id) => isOver(world, id))).toEqual([true, true]);
  });

  test("pulls it itself if the first one fails, and is told why that fails", () => {
    const world = new ImageWorld();
    const builds = [beginBuild(world, ONE, KIT), beginBuild(world, ONE, KIT), beginBuild(world, ONE, KIT)];
    refuse(world);
    expect(builds.map((id) => isOver(world, id))).toEqual([true, false, false]);
    expect(count(world, "resolve")).toBe(2);
    refuse(world);
    pull(world);
    expect(builds.map((id) => isOver(world, id))).toEqual([true, true, true]);
    expect(builds.map((id) => world.lines(id).some((line) => "error" in line))).toEqual([true, true, false]);
  });

  test("that is cancelled leaves the first one alone", () => {
    const world = new ImageWorld();
    const [first, second] = [beginBuild(world, ONE, KIT), beginBuild(world, ONE, KIT)];
    world.hangUp(second);
    pull(world);
    expect(isOver(world, first)).toBe(true);
    expect(count(world, "resolve")).toBe(0);
  });

  test("does not wait if it has to ask the registry anyway", () => {
    const world = new ImageWorld();
    beginBuild(world, ONE, KIT);
    beginBuild(world, ONE, `${KIT}&pull=1`);
    expect(count(world, "resolve")).toBe(2);
  });

  test("that wants it for another platform does not wait", () => {
    const world = new ImageWorld();
    beginBuild(world, ONE, KIT);
    beginBuild(world, ONE, `${KIT}&platform=linux/s390x`);
    expect(count(world, "resolve")).toBe(2);
  });

  test("whose credentials come while the first one pulls it waits, too", () => {
    const world = new ImageWorld();
    openSession(world, ALL);
    solve(world);
    sendDefinition(world, ONE);
    const { op } = world.take("find-credentials");
    beginBuild(world, ONE, CLASSIC);
    expect(count(world, "resolve")).toBe(1);
    world.succeed(op, { tag: "given", val: NOBODY });
    expect(count(world, "resolve")).toBe(1);
    pull(world);
    expect([count(world, "resolve"), count(world, "find-credentials")]).toEqual([0, 0]);
  });

  test.each([
    ["come", (world: ImageWorld, op: bigint) => world.succeed(op, { tag: "given", val: NOBODY })],
    ["do not come", (world: ImageWorld, op: bigint) => world.failAs(op, { tag: "body-broke", val: "locked" })],
  ])("whose credentials %s when the first one has pulled it takes that", (_, answer) => {
    const world = new ImageWorld();
    openSession(world, ALL);
    solve(world);
    const watching = watch(world);
    sendDefinition(world, ONE);
    const { op } = world.take("find-credentials");
    beginBuild(world, ONE, CLASSIC);
    pull(world);
    answer(world, op);
    expect([count(world, "resolve"), world.answer(watching).text.includes("FROM r.example/a")]).toEqual([0, true]);
  });
});
