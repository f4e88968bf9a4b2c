// How far things are, as a client of BuildKit that watches a build sees it.

import { expect, test } from "vitest";
import { ImageWorld, makeImage, resolved } from "../support/image-world.js";
import { sendDefinition } from "../support/session-files.js";
import { openSession, solve, watch } from "./solving.js";

interface Status {
  ID: string;
  vertex: string;
  current?: number;
  total?: number;
  completed?: string;
}

/** In their order. */
function statuses(world: ImageWorld, watching: bigint, start: string): Status[] {
  const lines = world
    .answer(watching)
    .text.split("\n")
    .filter((line) => line !== "");
  const told = lines.flatMap((line) => (JSON.parse(line) as { statuses?: Status[] }).statuses ?? []);
  return told.filter(({ ID }) => ID.startsWith(start));
}

const amounts = (told: readonly Status[]): [number, number, boolean][] =>
  told.map(({ current = 0, total = 0, completed }) => [current, total, completed !== undefined]);

test("the bytes of a directory are told as they come, and stay when all have come", () => {
  const world = new ImageWorld();
  openSession(world);
  solve(world);
  const watching = watch(world);
  world.done(world.take("mount").op);
  world.done(world.take("mount").op);
  const { op } = world.take("extract");
  world.progress(op, "downloading", 1000, 0);
  world.progress(op, "downloading", 1500, 0);
  world.done(op);
  world.succeed(world.take("read-file").op, { tag: "bytes", val: new TextEncoder().encode("FROM scratch\n") });
  world.failAs(world.take("read-file").op, { tag: "no-such", val: { what: "member", name: "/f" } });
  expect(amounts(statuses(world, watching, "transferring dockerfile:"))).toEqual([
    [0, 0, false],
    [1000, 0, false],
    [1500, 0, false],
    [1500, 0, true],
  ]);
});

test("the bytes of a directory that is a named context are told in its own step", () => {
  const world = new ImageWorld();
  openSession(world);
  solve(world, { FrontendAttrs: { "force-network-mode": "none", "context:files": "local:dir" } });
  const watching = watch(world);
  sendDefinition(world, "FROM busybox\nCOPY --from=files /a /b\n");
  world.done(world.take("mount").op);
  world.done(world.take("extract").op);
  world.failAs(world.take("read-file").op, { tag: "no-such", val: { what: "member", name: "/f" } });
  world.done(world.take("mount").op);
  const { op } = world.take("extract");
  world.progress(op, "downloading", 1000, 0);
  world.progress(op, "downloading", 1500, 0);
  expect(amounts(statuses(world, watching, "transferring dir:"))).toEqual([
    [0, 0, false],
    [1000, 0, false],
    [1500, 0, false],
  ]);
  const { vertex } = statuses(world, watching, "transferring dir:")[0]!;
  const isOfContext = `"digest":"${vertex}","name":"[context files] load from client"`;
  expect(world.answer(watching).text).toContain(isOfContext);
});

test("the layers of an image that is pulled are told one by one: what has come, and what is unpacked", () => {
  const world = new ImageWorld();
  openSession(world);
  solve(world);
  const watching = watch(world);
  world.done(world.take("mount").op);
  world.done(world.take("mount").op);
  world.done(world.take("extract").op);
  world.succeed(world.take("read-file").op, { tag: "bytes", val: new TextEncoder().encode("FROM r.example/a\n") });
  const missing = { tag: "no-such", val: { what: "member", name: "/f" } } as const;
  world.failAs(world.take("read-file").op, missing);
  world.done(world.take("mount").op);
  world.done(world.take("extract").op);
  world.failAs(world.take("read-file").op, missing);
  const image = makeImage(["one"]);
  world.succeed(world.take("resolve").op, resolved(image.manifest));
  world.succeed(world.take("blob").op, { tag: "bytes", val: image.config });
  const { op, val } = world.take("layer");
  const total = Number((val.source.val as { size?: bigint }).size ?? 0n);
  world.progress(op, "downloading", 1, total);
  const [first] = statuses(world, watching, "downloading ");
  expect(first).toMatchObject({ ID: expect.stringMatching(/^downloading [0-9a-f]{12}$/) as string, current: 1, total });
  world.succeed(op, { tag: "size", val: 3n });
  const [extracted] = statuses(world, watching, "extracting ");
  expect(extracted).toMatchObject({ current: total, total, completed: expect.any(String) as string });
  expect(amounts(statuses(world, watching, "downloading "))).toEqual([
    [1, total, false],
    [total, total, true],
  ]);
});

/** A solve for which both directories are asked for at once: their commands, the Dockerfile's first. */
function bothAsked(world: ImageWorld): {
  watching: bigint;
  solving: bigint;
  asked: { op: bigint; directory: string }[];
} {
  openSession(world);
  const solving = solve(world);
  const watching = watch(world);
  for (let at = 0; at < 3; at++) world.done(world.take("mount").op);
  const asked = [world.take("extract"), world.take("extract")].map(({ op, val }) => {
    if (val.source.tag !== "session") throw new Error("the files are the session's");
    return { op, directory: val.source.val.directory };
  });
  return { watching, solving, asked };
}

const MISSING = { tag: "no-such", val: { what: "member", name: "/f" } } as const;
const FILE = new TextEncoder().encode("FROM busybox\nENV A=1\n");

test("the `.dockerignore` is asked for while the Dockerfile comes, and each is told in its own step", () => {
  const world = new ImageWorld();
  const { watching, solving, asked } = bothAsked(world);
  const [definition, context] = asked as [(typeof asked)[0], (typeof asked)[0]];
  expect([definition.directory, context.directory]).toEqual(["dockerfile", "context"]);
  world.progress(context.op, "downloading", 7, 0);
  world.progress(definition.op, "downloading", 1000, 0);
  world.done(context.op);
  world.failAs(world.take("read-file").op, MISSING);
  expect(amounts(statuses(world, watching, "transferring context:"))).toEqual([
    [0, 0, false],
    [7, 0, false],
    [7, 0, true],
  ]);
  world.done(definition.op);
  world.succeed(world.take("read-file").op, { tag: "bytes", val: FILE });
  world.failAs(world.take("read-file").op, MISSING);
  expect(amounts(statuses(world, watching, "transferring dockerfile:")).at(-1)).toEqual([1000, 0, true]);
  expect(world.answer(solving).status).toBe(200);
});

test("it is given up if the Dockerfile has one of its own", () => {
  const world = new ImageWorld();
  const { solving, asked } = bothAsked(world);
  world.done(asked[0]!.op);
  world.succeed(world.take("read-file").op, { tag: "bytes", val: FILE });
  world.succeed(world.take("read-file").op, { tag: "bytes", val: new TextEncoder().encode("a\n") });
  expect(world.take("abandon").val).toBe(asked[1]!.op);
  expect(world.answer(solving).status).toBe(200);
});

test("one that cannot be had fails the build only when the Dockerfile needs it", () => {
  const world = new ImageWorld();
  const { solving, asked } = bothAsked(world);
  world.failAs(asked[1]!.op, { tag: "body-broke", val: "it broke" });
  expect(world.answer(solving).over).toBe(false);
  world.done(asked[0]!.op);
  world.succeed(world.take("read-file").op, { tag: "bytes", val: FILE });
  world.failAs(world.take("read-file").op, MISSING);
  expect(world.answer(solving).text).toContain("failed to read .dockerignore");
});
