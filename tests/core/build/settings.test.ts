// The builder's settings, as seen by the core: which caches go by themselves, and how long the history is.

import { describe, expect, test } from "vitest";
import { Instance } from "../../../hosts/driver/instance.js";
import { packageCore } from "../../../hosts/embedding/core.js";
import { OPTIONS } from "../support/fixtures.js";
import { ImageWorld } from "../support/image-world.js";
import { beginBuild } from "./beginning.js";
import { CONTROL, drop, METHOD, openSession, solve, writeStep } from "./solving.js";

const HOUR = 3_600_000;
const core = packageCore();

interface Entry {
  Description: string;
  LastUsedAt: string;
  UsageCount: number;
}

const dockerfile = (name: string): string => `FROM busybox\nRUN ${name}\nENV A=1\n`;

/** Builds an image with a step of 1000 bytes, and removes it: only then the step counts as the builder's cache. */
function step(world: ImageWorld, name: string): void {
  const id = beginBuild(world, dockerfile(name), "version=2&networkmode=none");
  writeStep(world, name);
  drop(world);
  expect(world.answer(id).over).toBe(true);
  world.call("POST", `/images/prune?filters=${encodeURIComponent('{"dangling":["true"]}')}`);
}

function cached(world: ImageWorld): string[] {
  const { BuildCache } = world.call("GET", "/system/df").json as { BuildCache: Entry[] };
  return BuildCache.map(({ Description }) => Description.slice("/bin/sh -c ".length));
}

function built(builder: object | undefined, disk = 0n, apart = 0): string[] {
  const world = new ImageWorld({ ...(builder === undefined ? {} : { builder }), disk });
  for (const name of ["one", "two", "three", "four"]) {
    step(world, name);
    world.sleep(apart);
  }
  return cached(world);
}

describe("the builder's cache", () => {
  test("has what it may have by the settings: the oldest goes when a build is over", () => {
    expect(built(undefined)).toEqual(["one", "two", "three", "four"]);
    expect(built({ gc: { defaultReservedSpace: "1500" } })).toEqual(["three", "four"]);
    expect(built({ gc: { defaultKeepStorage: "1500" } })).toEqual(["three", "four"]);
    expect(built({ gc: { defaultReservedSpace: "500", defaultMaxUsedSpace: "2500" } })).toEqual([
      "two",
      "three",
      "four",
    ]);
    expect(built({ gc: { enabled: false, defaultReservedSpace: "1500" } })).toHaveLength(4);
  });

  test("has a tenth of the disk without settings", () => {
    expect(built(undefined, 15_000n)).toEqual(["three", "four"]);
    expect(built({ gc: { enabled: false } }, 15_000n)).toHaveLength(4);
    expect(built({ gc: { defaultReservedSpace: "1g" } }, 15_000n)).toHaveLength(4);
  });

  /** `free`: bytes of the disk, whenever they are asked for. */
  function builtWith(gc: object, free: number): string[] {
    const world = new ImageWorld({ builder: { gc } });
    for (const name of ["one", "two", "three", "four"]) {
      step(world, name);
      while (world.open().includes("free-space")) {
        world.succeed(world.take("free-space").op, { tag: "size", val: BigInt(free) });
        free += 1000 * drops(world);
      }
    }
    return cached(world);
  }

  /** Lets layers go; tells how many. */
  function drops(world: ImageWorld): number {
    let count = 0;
    for (; world.open().includes("drop-chain"); count++) world.done(world.take("drop-chain").op);
    return count;
  }

  test("makes room on the disk if there is less than is asked for, and keeps what is reserved", () => {
    const defaultMinFreeSpace = "5000";
    expect(builtWith({ defaultMinFreeSpace }, 5000)).toEqual(["one", "two", "three", "four"]);
    expect(builtWith({ defaultMinFreeSpace }, 4000)).toEqual(["two", "three", "four"]);
    expect(builtWith({ defaultMinFreeSpace }, 0)).toEqual([]);
    expect(builtWith({ defaultMinFreeSpace, defaultReservedSpace: "1500" }, 0)).toEqual(["four"]);
    expect(builtWith({ defaultMinFreeSpace, defaultMaxUsedSpace: "2500" }, 9000)).toEqual(["three", "four"]);
    expect(
      builtWith({ policy: [{ minFreeSpace: defaultMinFreeSpace, filter: ["type=source.local"] }] }, 0),
    ).toHaveLength(4);
  });

  test("counts what is being removed as free: nothing more goes for the same lack", () => {
    const world = new ImageWorld({ builder: { gc: { defaultMinFreeSpace: "5000" } } });
    const learn = (free: bigint): void => {
      while (world.open().includes("free-space"))
        world.succeed(world.take("free-space").op, { tag: "size", val: free });
    };
    for (const [name, free] of [
      ["one", 6000n],
      ["two", 5000n],
      ["three", 4000n],
      ["four", 4000n],
    ] as const) {
      step(world, name);
      learn(free);
    }
    expect(cached(world)).toEqual(["two", "three", "four"]);
    step(world, "five");
    const asked = world.take("free-space").op;
    expect(drops(world)).toBe(1);
    world.succeed(asked, { tag: "size", val: 4000n });
    expect(cached(world)).toEqual(["two", "three", "four", "five"]);
    step(world, "six");
    learn(4000n);
    expect(cached(world)).toEqual(["three", "four", "five", "six"]);
  });

  test("waits if a build begins before it is known how much room there is", () => {
    const world = new ImageWorld({ builder: { gc: { defaultMinFreeSpace: "1g" } } });
    step(world, "one");
    const { op } = world.take("free-space");
    const slow = beginBuild(world, "FROM busybox\nRUN slow\n", "version=2&networkmode=none");
    world.succeed(op, { tag: "size", val: 0n });
    expect([cached(world), world.open().includes("free-space")]).toEqual([["one"], false]);
    world.hangUp(slow);
    while (world.open().includes("mount")) world.done(world.take("mount").op);
    world.failAs(world.take("free-space").op, {
      tag: "call",
      val: { call: "statfs", path: "/", inside: false, error: "EIO" },
    });
    expect(cached(world)).toEqual(["one"]);
  });

  test("goes by the rules of a policy, in both forms of their filters", () => {
    const policy = (...rules: object[]): object => ({ gc: { policy: rules } });
    expect(built(policy({ filter: ["unused-for=3h"] }), 0n, 2 * HOUR)).toEqual(["three", "four"]);
    expect(built(policy({ filter: { "unused-for": { "3h": true } } }), 0n, 2 * HOUR)).toEqual(["three", "four"]);
    expect(built(policy({ filter: { "unused-for": ["3h"] } }), 0n, 2 * HOUR)).toEqual(["three", "four"]);
    expect(built(policy({ filter: ["type=exec.cachemount"] }))).toHaveLength(4);
    expect(built(policy({ reservedSpace: "3k" }, { keepStorage: "500" }))).toEqual(["four"]);
    expect(built(policy(), 15_000n)).toHaveLength(4);
  });

  test("keeps what was used last, whenever it was made", () => {
    const world = new ImageWorld({ builder: { gc: { defaultReservedSpace: "1500" } } });
    for (const name of ["one", "two"]) {
      step(world, name);
      world.sleep(HOUR);
    }
    const again = beginBuild(world, dockerfile("one"), "version=2&networkmode=none");
    expect(world.answer(again).over).toBe(true);
    world.call("POST", "/images/prune");
    const { BuildCache } = world.call("GET", "/system/df").json as { BuildCache: Entry[] };
    expect(BuildCache.map(({ UsageCount }) => UsageCount)).toEqual([2, 1]);
    expect(Date.parse(BuildCache[0]!.LastUsedAt)).toBeGreaterThan(Date.parse(BuildCache[1]!.LastUsedAt));
    step(world, "three");
    expect(cached(world)).toEqual(["one", "three"]);
  });

  test("stays while a build is under way", () => {
    const world = new ImageWorld({ builder: { gc: { defaultReservedSpace: "1500" } } });
    const slow = beginBuild(world, "FROM busybox\nRUN slow\n", "version=2&networkmode=none");
    while (world.open().includes("mount")) world.done(world.take("mount").op);
    const launch = world.takeLaunch();
    step(world, "one");
    step(world, "two");
    expect(cached(world)).toEqual(["one", "two"]);
    world.hangUp(slow);
    world.succeed(launch.op, { tag: "launched", val: { pid: 7, at: world.now() } });
    expect(cached(world)).toEqual(["two"]);
  });

  test("keeps what a request still sends to its client, up to the end", () => {
    const world = new ImageWorld({ builder: { gc: { defaultReservedSpace: "500" } } });
    openSession(world, {
      [METHOD]: `/moby.filesync.v1.FileSync/DiffCopy\n${METHOD}: /moby.filesync.v1.FileSend/DiffCopy`,
    });
    const outputs = encodeURIComponent(JSON.stringify([{ Type: "tar" }]));
    const query = `version=2&networkmode=none&session=s&outputs=${outputs}`;
    const id = beginBuild(world, "FROM busybox\nRUN one\nENV A=1\n", query);
    writeStep(world, "one");
    drop(world);
    world.done(world.take("mount").op);
    const sent = world.take("send-files");
    expect(cached(world)).toContain("one");
    world.call("POST", "/build/prune?all=1");
    expect(cached(world)).toContain("one");
    world.done(sent.op);
    expect([world.answer(id).over, cached(world)]).toEqual([true, []]);
    expect(world.open().indexOf("unmount")).toBeLessThan(world.open().indexOf("drop-chain"));
  });

  test("goes also after a build that failed or only asked", () => {
    const world = new ImageWorld({ builder: { gc: { defaultReservedSpace: "500" } } });
    step(world, "one");
    const failed = beginBuild(world, "FROM busybox\nRUN bad\nRUN more\n", "version=2&networkmode=none");
    while (world.open().includes("mount")) world.done(world.take("mount").op);
    const { op, val } = world.takeLaunch();
    world.succeed(op, { tag: "launched", val: { pid: 7, at: world.now() } });
    world.exited(val.container, 1, 1);
    expect([world.answer(failed).over, cached(world)]).toEqual([true, []]);
  });

  const policyOf = (world: ImageWorld): object[] => {
    const { record } = JSON.parse(world.answer(world.makeCall(`${CONTROL}/ListWorkers`, {})).text) as {
      record: { GCPolicy: object[] }[];
    };
    return record[0]!.GCPolicy;
  };

  test("is shown with its rules by the worker", () => {
    const world = new ImageWorld({
      builder: {
        gc: {
          policy: [
            { all: true, keepStorage: "2k", filter: ["type=regular"] },
            { maxUsedSpace: "3k", minFreeSpace: "4k" },
          ],
        },
      },
    });
    const limits = { keepDuration: 0, reservedSpace: 0, maxUsedSpace: 0, minFreeSpace: 0 };
    expect(policyOf(world)).toEqual([
      { ...limits, all: true, reservedSpace: 2048, filters: ["type==regular"] },
      { ...limits, all: false, maxUsedSpace: 3072, minFreeSpace: 4096, filters: [] },
    ]);
    const easily = ["type==source.local", "type==exec.cachemount", "type==source.git.checkout"];
    expect(policyOf(new ImageWorld({ disk: 15_000n }))[0]).toMatchObject({ reservedSpace: 1500, filters: easily });
  });
});

test("the history has as many builds, and for as long, as the settings say", () => {
  const world = new ImageWorld({ builder: { history: { maxEntries: 2, maxAge: "1h" } } });
  openSession(world);
  const refs = (): number =>
    world
      .answer(world.makeCall(`${CONTROL}/ListenBuildHistory`, { EarlyExit: true }))
      .text.split("\n")
      .filter((line) => line !== "").length;
  for (let number = 0; number < 5; number++) solve(world, { Ref: `${number}`, Frontend: "other.v0" });
  expect(refs()).toBe(5);
  world.sleep(2 * HOUR);
  expect(refs()).toBe(2);
});

test.each([
  ['{"gc": {"enabled": "yes"}}', "builder.gc.enabled: it must be true or false"],
  ['{"gc": {"defaultKeepStorage": "much"}}', "builder.gc.defaultKeepStorage: it must be a size such as 20GB"],
  ['{"gc": {"defaultMinFreeSpace": "some"}}', "builder.gc.defaultMinFreeSpace: it must be a size such as 20GB"],
  ['{"gc": {"policy": {}}}', "builder.gc.policy: it must be a list"],
  ['{"gc": {"policy": [{"keep": "1"}]}}', "builder.gc.policy[0].keep: there is no such setting, only all, filter"],
  ['{"gc": {"policy": [{}, {"filter": ["x=1"]}]}}', "builder.gc.policy[1].filter: invalid filter 'x'"],
  ['{"gc": {"policy": [{"filter": ["until"]}]}}', "builder.gc.policy[0].filter: it must be a list of KEY=VALUE"],
  ['{"gc": {"policy": [{"filter": {"until": "24h"}}]}}', "builder.gc.policy[0].filter: it must be a list of KEY=VALUE"],
  ['{"gc": {"policy": [{"filter": ["until=soon"]}]}}', '"until" filter expects a duration'],
  ['{"history": {"maxAge": "long"}}', "builder.history.maxAge: it must be a duration such as 48h"],
  ['{"history": {"maxEntries": 101}}', "builder.history.maxEntries: it must be a number from 1 to 100"],
  ['{"entitlements": {"security-insecure": true}}', "builder.entitlements.security-insecure: steps never run"],
  ['{"entitlements": {"network-host": false}}', "builder.entitlements.network-host: steps may always"],
  ['{"garbage": {}}', "builder.garbage: there is no such setting, only gc, history, entitlements"],
  ["[", "builder: it is not valid JSON"],
  ["[]", "builder: it must be an object"],
])("%s is refused with what to do", (builder, why) => {
  expect(new Instance(core).refuses({ ...OPTIONS, builder }, [])).toContain(why);
});

test("all of Docker's settings that there are here are taken", () => {
  const rule = {
    all: true,
    filter: ["unused-for=2200h"],
    keepStorage: "1GB",
    reservedSpace: "1GB",
    maxUsedSpace: "2GB",
  };
  const gc = {
    enabled: true,
    defaultKeepStorage: "1GB",
    defaultReservedSpace: "1GB",
    defaultMaxUsedSpace: "2GB",
    policy: [rule],
  };
  const entitlements = { "network-host": true, "security-insecure": false };
  const builder = JSON.stringify({ gc, history: { maxAge: 3600, maxEntries: 10 }, entitlements });
  expect(new Instance(core).refuses({ ...OPTIONS, builder }, [])).toBeUndefined();
});
