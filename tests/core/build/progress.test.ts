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
