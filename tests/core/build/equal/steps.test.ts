// Equal steps of two builds that are under way at once, as seen by the core: one build does the step, the others wait.

import { expect, test } from "vitest";
import { digestOf, encode, ImageWorld } from "../../support/image-world.js";
import { beginBuild, CACHED } from "../beginning.js";
import { drop, openSession, solve, watch } from "../solving.js";
import { sendDefinition } from "../../support/session-files.js";

const KIT = "version=2&networkmode=none";
const CLASSIC = "networkmode=none";
const DOCKERFILE = "FROM busybox\nRUN make\n";

/** Begins a build; what it does for its step is for `launch`. */
const begin = (world: ImageWorld, query = KIT): bigint => beginBuild(world, DOCKERFILE, query);

/** Starts the container of the build that does the step. */
function launch(world: ImageWorld): string {
  world.done(world.take("mount").op);
  const { op, val } = world.takeLaunch();
  world.succeed(op, { tag: "launched", val: { pid: 7, at: world.now() } });
  return val.container;
}

/** Nobody does a step but those whose containers run. */
const isIdle = (world: ImageWorld): boolean => !world.open().includes("mount");

/** The step has written something, and its container goes. */
function end(world: ImageWorld, container: string): void {
  world.exited(container, 1);
  const val = { diffId: digestOf(encode("made")), size: 9n, empty: false };
  world.succeed(world.take("commit").op, { tag: "committed", val });
  if (world.open().includes("layer")) world.succeed(world.take("layer").op, { tag: "size", val: 9n });
  world.done(world.takeProcess("reap"));
  drop(world);
}

const imageOf = (world: ImageWorld, id: bigint): unknown =>
  world.lines(id).find((line) => line["id"] === "moby.image.id")?.["aux"];

test("a step runs once: the second build waits, and takes the image of the first", () => {
  const world = new ImageWorld();
  const first = begin(world);
  const container = launch(world);
  const others = [begin(world), begin(world)];
  expect(isIdle(world)).toBe(true);
  end(world, container);
  expect(isIdle(world)).toBe(true);
  expect(imageOf(world, first)).toEqual({ ID: expect.stringMatching(/^sha256:/) });
  for (const id of others) expect(imageOf(world, id)).toEqual(imageOf(world, first));
});

test.each([
  [KIT, CLASSIC],
  [CLASSIC, KIT],
  [CLASSIC, CLASSIC],
])("so it does for builds by %s and %s", (one, other) => {
  const world = new ImageWorld();
  begin(world, one);
  const container = launch(world);
  const second = begin(world, other);
  expect(isIdle(world)).toBe(true);
  end(world, container);
  expect([isIdle(world), world.answer(second).over]).toEqual([true, true]);
  if (other === CLASSIC) expect(world.said(second)).toContain(CACHED);
});

test("the client of the second one is told what it waits for, and that the step is cached", () => {
  const world = new ImageWorld();
  begin(world);
  const container = launch(world);
  openSession(world);
  const watching = watch(world);
  const id = solve(world);
  sendDefinition(world, DOCKERFILE);
  const waiting = "waiting for the same step, which is under way";
  expect(world.answer(watching).text).toContain(waiting);
  expect(world.answer(watching).text).not.toContain('"cached":true');
  end(world, container);
  expect(world.answer(id).status).toBe(200);
  expect(world.answer(watching).text).toContain('"cached":true');
});

test("if the first one is cancelled, one of those that wait does the step, and the others wait on", () => {
  const world = new ImageWorld();
  const first = begin(world);
  launch(world);
  const others = [begin(world), begin(world)];
  world.hangUp(first);
  const container = launch(world);
  expect(isIdle(world)).toBe(true);
  end(world, container);
  expect(isIdle(world)).toBe(true);
  expect(imageOf(world, others[0]!)).toEqual({ ID: expect.stringMatching(/^sha256:/) });
  expect(imageOf(world, others[1]!)).toEqual(imageOf(world, others[0]!));
});

test("if the step fails, all that wait do it side by side, and each is told why it fails", () => {
  const world = new ImageWorld();
  const first = begin(world);
  const container = launch(world);
  const others = [begin(world), begin(world)];
  world.exited(container, 1, 3);
  const containers = [launch(world), launch(world)];
  for (const id of containers) world.exited(id, 1, 3);
  for (const id of [first, ...others])
    expect(world.lines(id).at(-1)).toMatchObject({ error: expect.stringContaining("3") });
  expect(isIdle(world)).toBe(true);
});

test("one that waits and is cancelled leaves the others alone", () => {
  const world = new ImageWorld();
  const first = begin(world);
  const container = launch(world);
  const second = begin(world);
  world.hangUp(second);
  end(world, container);
  expect(imageOf(world, first)).toEqual({ ID: expect.stringMatching(/^sha256:/) });
  expect(isIdle(world)).toBe(true);
});

test("a build without a cache waits for nobody", () => {
  const world = new ImageWorld();
  begin(world);
  launch(world);
  begin(world, `${KIT}&nocache=1`);
  expect(isIdle(world)).toBe(false);
});
