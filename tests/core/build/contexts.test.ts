// Named contexts of builds by BuildKit, as seen by the core.

import { beforeEach, expect, test } from "vitest";
import type { failures } from "../../../hosts/shared/host.js";
import { digestOf, encode, ImageWorld } from "../support/image-world.js";
import { sendDefinition } from "../support/session-files.js";

const METHOD = "X-Docker-Expose-Session-Grpc-Method";
const FILES = "/moby.filesync.v1.FileSync/DiffCopy";
const MISSING: failures.Failure = { tag: "no-such", val: { what: "member", name: "/f" } };

let world: ImageWorld;
beforeEach(() => {
  world = new ImageWorld();
});

function openSession(method = FILES): void {
  const upgrade = { Connection: "Upgrade", Upgrade: "h2c" };
  world.ask("POST", "/session", undefined, { ...upgrade, [METHOD]: method, "X-Docker-Expose-Session-Uuid": "s" });
}

function solve(contexts: Record<string, string>): bigint {
  const more = Object.fromEntries(Object.entries(contexts).map(([name, value]) => [`context:${name}`, value]));
  const FrontendAttrs = { "force-network-mode": "none", ...more };
  const message = { Ref: "a", Session: "s", Exporter: "moby", Frontend: "dockerfile.v0", FrontendAttrs };
  return world.makeCall("moby.buildkit.v1.Control/Solve", message);
}

function extract(): bigint {
  const { op, val } = world.take("extract");
  asked.push(val.source);
  return op;
}

let asked: unknown[] = [];
beforeEach(() => {
  asked = [];
});

/** Answers until the files of a directory are asked for. */
function sendIgnores(text: string | null): void {
  world.done(world.take("mount").op);
  world.done(extract());
  const { op } = world.take("read-file");
  if (text === null) world.failAs(op, MISSING);
  else world.succeed(op, { tag: "bytes", val: encode(text) });
}

test("a directory is fetched without what its own .dockerignore names, and only when it is needed", () => {
  openSession();
  solve({ files: "local:dir", other: "local:unused" });
  sendDefinition(world, "FROM busybox\nCOPY --from=files /a /b\n");
  sendIgnores("*.log\n");
  world.done(world.take("mount").op);
  world.done(extract());
  const sent = (more: object): object => ({
    tag: "session",
    val: expect.objectContaining({ directory: "dir", ...more }),
  });
  expect(asked).toEqual([
    sent({ excludes: [], follows: [".dockerignore"] }),
    sent({ excludes: ["*.log"], follows: [] }),
  ]);
  const { val } = world.take("choose");
  expect([val.patterns, val.owners]).toEqual([[""], true]);
});

test.each<[string, (op: bigint) => void]>([
  ["cannot be read", () => world.failAs(world.take("read-file").op, { tag: "body-broke", val: "it broke" })],
  ["is malformed", () => world.succeed(world.take("read-file").op, { tag: "bytes", val: encode("[\n") })],
])("a .dockerignore that %s ends the build", (_what, answer) => {
  openSession();
  const id = solve({ files: "local:dir" });
  sendDefinition(world, "FROM files\n");
  world.done(world.take("mount").op);
  const op = extract();
  world.done(op);
  answer(op);
  expect(world.answer(id)).toMatchObject({
    over: true,
    text: expect.stringMatching(/\.dockerignore|it broke/) as string,
  });
});

test("a directory needs a session with files, and may be missing there", () => {
  openSession();
  const id = solve({ files: "local:dir" });
  sendDefinition(world, "FROM files\n");
  world.done(world.take("mount").op);
  world.failAs(extract(), { tag: "body-broke", val: "no such directory" });
  expect(world.answer(id).text).toContain("failed to read .dockerignore of the context dir: no such directory");
});

test("a client that hangs up ends the fetching", () => {
  openSession();
  const id = solve({ files: "local:dir" });
  sendDefinition(world, "FROM files\n");
  sendIgnores(null);
  world.done(world.take("mount").op);
  const op = extract();
  world.hangUp(id);
  expect(world.open()).not.toContain("choose");
  world.done(op);
  expect(world.open()).not.toContain("choose");
});

test("one for the build's platform comes first, and one for another is none", () => {
  openSession();
  const images = { "Base::linux/amd64": "docker-image://of/own", base: "docker-image://busybox" };
  solve({ ...images, "base::linux/s390x": "docker-image://of/other" });
  sendDefinition(world, "FROM base:latest\n");
  expect(world.take("resolve").val).toMatchObject({ repository: "of/own" });
});

test("an image by its digest is no address with a password", () => {
  openSession();
  const digest = digestOf(encode("x"));
  solve({ base: `docker-image://of/own@${digest}` });
  sendDefinition(world, "FROM base\n");
  expect(world.take("resolve").val).toMatchObject({ repository: "of/own", reference: digest });
});

test.each([
  ["oci-layout://a@sha256:0", "the context x in an OCI layout is not built yet"],
  ["input:other", "the context x is no result of a build of this engine, or it was pruned: build it again"],
  ["https://user:password@a.test/b.git", "the context x at an address with a user or a query is not built yet"],
  ["ftp://a.test/", "unsupported context source ftp for x"],
  ["nothing", "invalid context specifier nothing for x"],
])("%s is refused: %s", (value, said) => {
  openSession();
  expect(world.answer(solve({ x: value })).text).toContain(said);
});
