// Builds by BuildKit's calls, as seen by the core.

import { describe, expect, test } from "vitest";
import type { failures } from "../../../hosts/shared/host.js";
import { digestOf, encode, ImageWorld } from "../support/image-world.js";

const CONTROL = "/grpc/moby.buildkit.v1.Control";
const UPGRADE = { Connection: "Upgrade", Upgrade: "h2c" };
const UNIMPLEMENTED = "Grpc-Status: 12";
const EXHAUSTED = "Grpc-Status: 8";
/** Two steps with such a command are more than may be unsent to one watcher. */
const LONG = "x".repeat(55 * 1024);

const FILES = { "X-Docker-Expose-Session-Grpc-Method": "/moby.filesync.v1.FileSync/DiffCopy" };

function openSession(world: ImageWorld, more: Record<string, string> = FILES): bigint {
  return world.ask("POST", "/session", undefined, { ...UPGRADE, ...more, "X-Docker-Expose-Session-Uuid": "s" });
}

function solve(world: ImageWorld, more: object = {}): bigint {
  const message = {
    Ref: "a",
    Session: "s",
    Frontend: "dockerfile.v0",
    FrontendAttrs: { "force-network-mode": "none" },
    ...more,
  };
  return world.ask("POST", `${CONTROL}/Solve`, message);
}

function watch(world: ImageWorld, Ref = "a"): bigint {
  return world.ask("POST", `${CONTROL}/Status`, { Ref });
}

/** The session's files arrive. There is no `.dockerignore`. */
function sendFiles(world: ImageWorld, dockerfile: string): void {
  const missing: failures.Failure = { tag: "no-such", val: { what: "member", name: "/f" } };
  world.done(world.take("mount").op);
  world.done(world.take("mount").op);
  world.done(world.take("extract").op);
  world.succeed(world.take("read-file").op, { tag: "bytes", val: encode(dockerfile) });
  world.failAs(world.take("read-file").op, missing);
  world.done(world.take("mount").op);
  world.done(world.take("extract").op);
  world.failAs(world.take("read-file").op, missing);
  const { op, val } = world.take("extract");
  expect(val.source).toMatchObject({ tag: "session", val: { directory: "context" } });
  world.done(op);
}

/** A RUN that writes nothing. */
function runStep(world: ImageWorld): void {
  while (world.open().includes("mount")) world.done(world.take("mount").op);
  const { op, val } = world.takeLaunch();
  world.succeed(op, { tag: "launched", val: { pid: 7, at: world.now() } });
  world.exited(val.container, 1);
  const empty = { diffId: digestOf(encode("")), size: 0n, empty: true };
  world.succeed(world.take("commit").op, { tag: "committed", val: empty });
  world.done(world.take("drop-archive").op);
  world.done(world.takeProcess("reap"));
  world.done(world.take("unmount").op);
}

/** Of the step, and of what only held files. */
function drop(world: ImageWorld): void {
  for (const tag of ["unmount", "drop-container"] as const) {
    while (world.open().includes(tag)) world.done(world.take(tag).op);
  }
}

describe("a build", () => {
  test("waits for its session and is watched from its beginning; the image is its answer", () => {
    const world = new ImageWorld();
    const watching = watch(world);
    const solving = solve(world);
    expect(world.open()).toEqual([]);
    openSession(world);
    sendFiles(world, "FROM busybox\nRUN true\n");
    runStep(world);
    drop(world);
    expect(JSON.parse(world.answer(solving).text)).toMatchObject({
      ExporterResponse: { "containerimage.digest": expect.stringMatching(/^sha256:/) as string },
    });
    expect(world.answer(watching).over).toBe(true);
    expect(world.answer(watching).text).toContain("[2/2] RUN true");
  });

  test("misses a session that does not come", () => {
    const world = new ImageWorld();
    const solving = solve(world);
    const watching = watch(world, "none");
    world.wait(4);
    expect(world.answer(solving).over).toBe(false);
    world.wait(2);
    expect(world.answer(solving).text).toContain("no active session for s: context deadline exceeded");
    expect(world.answer(watching).text).toContain("no such job none");
  });

  test("waits for those that watch it to read, and for none that has left", () => {
    const world = new ImageWorld({ reading: false });
    openSession(world);
    solve(world);
    const [reads, leaves] = [watch(world), watch(world)];
    sendFiles(world, `FROM busybox\n${["1", "2", "3"].map((number) => `RUN ${number}${LONG}\n`).join("")}`);
    runStep(world);
    runStep(world);
    const begun = (): boolean => world.open().includes("mount");
    expect(begun()).toBe(false);
    world.read(reads, 200 * 1024);
    expect(begun()).toBe(false);
    world.hangUp(leaves);
    expect(begun()).toBe(true);
  });
});

describe("limits", () => {
  test("of calls that wait for something that is missing", () => {
    const world = new ImageWorld();
    const waiting = Array.from({ length: 1000 }, (_, at) => watch(world, `none-${at}`));
    const one = watch(world, "none");
    expect(world.answer(one).text).toContain("no such job none");
    expect(waiting.filter((id) => world.answer(id).over)).toEqual([]);
    world.hangUp(waiting[0]!);
    expect(world.answer(watch(world, "other")).over).toBe(false);
  });

  test("of those who watch one build", () => {
    const world = new ImageWorld();
    solve(world);
    for (let number = 0; number < 100; number++) expect(world.answer(watch(world)).status).toBe(200);
    expect(world.answer(watch(world)).headers).toContain(EXHAUSTED);
  });
});

test("what is not built is refused by name", () => {
  const world = new ImageWorld();
  const refused = (more: object): { headers: string; text: string } => world.answer(solve(world, more));
  expect(refused({ Exporter: "tar" })).toMatchObject({ headers: expect.stringContaining(UNIMPLEMENTED) as string });
  expect(refused({ Frontend: "gateway.v0" }).text).toContain("gateway.v0");
  expect(refused({ FrontendAttrs: { context: "https://web.example/x.tar" } })).toMatchObject({
    headers: expect.stringContaining(UNIMPLEMENTED) as string,
    text: expect.stringContaining("the option context") as string,
  });
  expect(refused({ FrontendAttrs: { "shm-size": "x" } }).headers).not.toContain(UNIMPLEMENTED);
});
