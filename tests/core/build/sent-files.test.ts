// What clients of BuildKit have sent before, as seen by the core: where the host keeps it, for how long, and who sees it.

import { beforeEach, expect, test } from "vitest";
import { ImageWorld } from "../support/image-world.js";
import { sendDefinition } from "../support/session-files.js";
import { drop, METHOD } from "./solving.js";

const COPIES = "FROM busybox\nCOPY . /\n";
const GIB = 2 ** 30;

let world: ImageWorld;
let builds = 0;
beforeEach(() => {
  world = new ImageWorld();
  builds = 0;
});

/** One that wants its context. Returns the command that asks for it, and the client's session. */
function build(key = "k"): { op: bigint; memory: string | undefined; session: bigint } {
  const session = `s${builds++}`;
  const request = world.ask("POST", "/session", undefined, {
    ...{ Connection: "Upgrade", Upgrade: "h2c", [METHOD]: "/moby.filesync.v1.FileSync/DiffCopy" },
    ...{ "X-Docker-Expose-Session-Uuid": session, "X-Docker-Expose-Session-Sharedkey": key },
  });
  const FrontendAttrs = { "force-network-mode": "none", "no-cache": "" };
  const message = { Ref: session, Session: session, Exporter: "moby", Frontend: "dockerfile.v0", FrontendAttrs };
  world.makeCall("moby.buildkit.v1.Control/Solve", message);
  sendDefinition(world, COPIES);
  const { op, val } = world.take("extract");
  if (val.source.tag !== "session") throw new Error("the context is the session's");
  return { op, memory: val.source.val.memory, session: request };
}

interface Entry {
  ID: string;
  Type: string;
  Description: string;
  InUse: boolean;
  Size: number;
  UsageCount: number;
}

const entries = (): Entry[] =>
  (world.call("GET", "/v1.41/system/df").json as { BuildCache: Entry[] }).BuildCache.filter(
    ({ Type }) => Type === "source.local",
  );

/** The first build of a directory; its files have come. */
function first(size = 10, key = "k"): string {
  const { op, memory } = build(key);
  world.done(world.takeVolume("make"));
  world.done(op);
  world.succeed(world.takeVolume("measure"), { tag: "size", val: BigInt(size) });
  return memory!;
}

test("the next build of a directory has what the last one sent; it is an entry of the cache", () => {
  const kept = first(1000);
  expect(entries()).toMatchObject([
    { ID: kept, Description: "local source for context", InUse: false, Size: 1000, UsageCount: 1 },
  ]);
  const second = build();
  expect(second.memory).toBe(kept);
  expect(entries()).toMatchObject([{ InUse: true, UsageCount: 2 }]);
  expect(world.call("POST", "/v1.41/build/prune", {}).json).toMatchObject({ CachesDeleted: null });
  world.done(second.op);
  world.succeed(world.takeVolume("measure"), { tag: "size", val: 2000n });
  expect(entries()).toMatchObject([{ InUse: false, Size: 2000 }]);
  expect(world.call("POST", "/v1.41/build/prune?all=1", {}).json).toMatchObject({ CachesDeleted: [kept] });
  world.done(world.takeVolume("drop"));
  expect(build().memory).not.toBe(kept);
});

test("files that a build under way has just used are none that were unused for long", () => {
  const kept = first();
  world.wait(60);
  const second = build();
  world.done(second.op);
  const filters = encodeURIComponent(JSON.stringify({ until: ["30s"] }));
  expect(world.call("POST", `/v1.41/build/prune?all=1&filters=${filters}`, {}).json).toMatchObject({
    CachesDeleted: null,
  });
  expect(entries()).toMatchObject([{ ID: kept, InUse: false, UsageCount: 2 }]);
});

test("another directory has files of its own", () => {
  const kept = first();
  expect(build("other").memory).not.toBe(kept);
});

test("a build at the same time has the files of before, too; one that comes before the first are there has none", () => {
  const [one, early] = [build(), build()];
  expect([typeof one.memory, early.memory]).toEqual(["string", undefined]);
  world.done(world.takeVolume("make"));
  world.done(early.op);
  world.done(one.op);
  const [two, three] = [build(), build()];
  expect([two.memory, three.memory]).toEqual([one.memory, one.memory]);
  world.done(two.op);
  expect(entries()).toMatchObject([{ InUse: true }]);
  world.done(three.op);
  expect(entries()).toMatchObject([{ InUse: false }]);
});

test.each<[string, (op: bigint, session: bigint) => void]>([
  ["fails", (op) => world.failAs(op, { tag: "body-broke", val: "it broke" })],
  ["comes to a volume that cannot be made", (op) => world.done(op)],
])("a first transfer that %s leaves nothing", (what, end) => {
  const { op, session } = build();
  const make = world.takeVolume("make");
  if (what.startsWith("fails")) world.done(make);
  else world.failAs(make, { tag: "call", val: { call: "mkdir", path: "/", inside: false, error: "ENOSPC" } });
  end(op, session);
  world.done(world.takeVolume("drop"));
  expect(entries()).toEqual([]);
  expect(build().memory).toBeTypeOf("string");
});

test("a later transfer that fails leaves what was there", () => {
  const kept = first();
  world.failAs(build().op, { tag: "body-broke", val: "it broke" });
  expect(entries()).toMatchObject([{ ID: kept, InUse: false }]);
  expect(build().memory).toBe(kept);
});

test("the next engine has them; without their volume they are forgotten", () => {
  const kept = first();
  const { records } = world;
  world = new ImageWorld({ records, volumes: [kept] });
  expect(build().memory).toBe(kept);
  world = new ImageWorld({ records, volumes: [] });
  expect(entries()).toEqual([]);
});

test("there are 32 of them with 4 GiB at most; those that were not used for the longest time go", () => {
  const kept = Array.from({ length: 32 }, (_, at) => {
    world.wait(1);
    return first(GIB / 32, `${at}`);
  });
  expect(entries()).toHaveLength(32);
  world.wait(1);
  const large = first(3.5 * GIB, "large");
  const left = entries().map(({ ID }) => ID);
  expect(left).toEqual([...kept.slice(16), large]);
  expect(kept.slice(0, 16).map(() => world.takeVolume("drop"))).toHaveLength(16);
  drop(world);
});
