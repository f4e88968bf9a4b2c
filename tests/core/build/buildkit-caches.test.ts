// The images of steps and the builder's cache in builds by BuildKit's calls, as seen by the core.

import { describe, expect, test } from "vitest";
import { ImageWorld } from "../support/image-world.js";
import { beginBuild } from "./beginning.js";
import { sendDefinition } from "../support/session-files.js";
import { CONTROL, openSession, solve, watch, runStep, writeStep, drop, direct } from "./solving.js";

describe("the images of steps", () => {
  interface Pruned {
    SpaceReclaimed: number;
    CachesDeleted: string[] | null;
    ImagesDeleted: object[] | null;
  }

  const images = (world: ImageWorld, query = ""): string[] =>
    (world.call("GET", `/images/json${query}`).json as { RepoTags: string[] | null }[]).map(
      ({ RepoTags }) => RepoTags?.[0] ?? "<none>",
    );
  interface Usage {
    LayersSize: number;
    BuildCache: { ID: string; Description: string; Type: string; InUse: boolean; Shared: boolean; Size: number }[];
    Images: { Size: number; SharedSize: number }[];
  }

  const usage = (world: ImageWorld): Usage => world.call("GET", "/system/df").json as Usage;
  const cached = (world: ImageWorld): Usage["BuildCache"] => usage(world).BuildCache;
  const prune = (world: ImageWorld, what: string): Pruned => world.call("POST", `/${what}`).json as Pruned;

  /** Builds the image, whose steps are all configs. */
  function build(world: ImageWorld, dockerfile: string, query = ""): void {
    const id = beginBuild(world, dockerfile, `version=2&networkmode=none${query}`);
    expect(world.answer(id)).toMatchObject({ status: 200, over: true });
    drop(world);
  }

  /** A world in which `made` was built from two stages. */
  function built(exporter: object = { ExporterAttrs: { name: "made" } }): ImageWorld {
    const world = new ImageWorld();
    openSession(world);
    const solving = solve(world, exporter);
    sendDefinition(world, "FROM busybox AS one\nENV A=1\nENV B=2\nFROM busybox\nENV C=3\nENV D=4\n");
    drop(world);
    expect(world.answer(solving).status).toBe(200);
    return world;
  }

  test("are in no list of images; the result is", () => {
    const world = built();
    expect(images(world).sort()).toEqual(["busybox:latest", "made:latest"]);
    expect(images(world, "?all=1")).toHaveLength(2);
    expect(images(built({})).sort()).toEqual(["<none>", "busybox:latest"]);
    expect(images(built({ Exporter: "" }))).toEqual(["busybox:latest"]);
    expect(cached(world).map(({ Description, Type }) => [Type, Description])).toEqual([
      ["regular", "/bin/sh -c #(nop)  ENV C=3"],
    ]);
  });

  test("stay when images are pruned or removed, and go when the builder is pruned", () => {
    const world = built();
    expect(prune(world, "images/prune").ImagesDeleted).toBeNull();
    expect(prune(world, "build/prune").CachesDeleted).toBeNull();
    world.call("DELETE", "/images/made");
    expect(cached(world)).toHaveLength(1);
    expect(prune(world, "images/prune").ImagesDeleted).toBeNull();
    expect(prune(world, "build/prune").CachesDeleted).toHaveLength(1);
    expect(cached(world)).toEqual([]);
    expect(images(world)).toEqual(["busybox:latest"]);
  });

  test("go the oldest branch first, from its end on, until little enough is left", () => {
    const world = new ImageWorld();
    const step = (name: string): void => {
      const dockerfile = `FROM busybox\nENV A=${name}\nRUN ${name}\nENV B=${name}\n`;
      const id = beginBuild(world, dockerfile, "version=2&networkmode=none");
      writeStep(world, name);
      drop(world);
      expect(world.answer(id).over).toBe(true);
    };
    step("one");
    step("two");
    prune(world, `images/prune?filters=${encodeURIComponent('{"dangling":["true"]}')}`);
    const [envOne, runOne, envTwo, runTwo, ...more] = cached(world).map(({ ID }) => ID);
    expect(more).toEqual([]);
    const { CachesDeleted, SpaceReclaimed } = prune(world, "build/prune?all=1&keep-storage=1500");
    expect([CachesDeleted, SpaceReclaimed]).toEqual([[runOne], 1000]);
    expect(prune(world, "build/prune?all=1&keep-storage=1500").CachesDeleted).toBeNull();
    expect(prune(world, "build/prune?all=1").CachesDeleted).toEqual([envOne, runTwo, envTwo]);
  });

  test("whose layer an image has, too, stay for a prune that does not ask for all, and count as the image's", () => {
    const world = new ImageWorld();
    beginBuild(world, "FROM busybox\nRUN one\n", "version=2&networkmode=none&t=made");
    writeStep(world, "one");
    drop(world);
    beginBuild(world, "FROM busybox\nENV A=1\nRUN one\nENV B=1\n", "version=2&networkmode=none");
    writeStep(world, "one");
    drop(world);
    prune(world, "images/prune");
    const { LayersSize, Images, BuildCache } = usage(world);
    expect(BuildCache.map(({ Shared, Size }) => [Shared, Size])).toEqual([
      [false, 0],
      [true, 1000],
    ]);
    const [made, busybox] = Images;
    expect([made!.SharedSize, LayersSize]).toEqual([busybox!.Size, made!.Size]);
    expect(prune(world, "build/prune").CachesDeleted).toBeNull();
    expect(prune(world, "build/prune?all=1")).toMatchObject({
      SpaceReclaimed: 0,
      CachesDeleted: [expect.any(String), expect.any(String)],
    });
  });

  test("stay while a build uses them, which makes its image of them", () => {
    const world = new ImageWorld();
    const id = beginBuild(world, "FROM busybox\nENV A=1\nENV B=1\nRUN one\n", "version=2&networkmode=none&t=made");
    expect(cached(world).map(({ InUse }) => InUse)).toEqual([true, true]);
    expect(prune(world, "build/prune?all=1").CachesDeleted).toBeNull();
    writeStep(world, "one");
    drop(world);
    expect(world.answer(id).over).toBe(true);
    expect(cached(world).map(({ InUse }) => InUse)).toEqual([false, false]);
  });

  test("stay while the client has not returned the result that is made of them", () => {
    const world = new ImageWorld();
    openSession(world);
    solve(world, { Frontend: "" });
    direct(world, "Solve", { Frontend: "dockerfile.v0", FrontendOpt: { "force-network-mode": "none" } });
    sendDefinition(world, "FROM busybox\nENV A=1\nENV B=1\n");
    drop(world);
    expect(prune(world, "build/prune?all=1").CachesDeleted).toBeNull();
    direct(world, "Return");
    expect(prune(world, "build/prune?all=1").CachesDeleted).toHaveLength(2);
  });

  test("do not keep the image that they are made of: the builder's prune takes its files with them", () => {
    const world = new ImageWorld();
    build(world, "FROM busybox\nENV A=1\nENV B=1\n");
    const unused = `images/prune?filters=${encodeURIComponent('{"dangling":["false"]}')}`;
    const deleted = prune(world, unused).ImagesDeleted;
    expect(deleted).toContainEqual({ Untagged: "busybox:latest" });
    expect(deleted).toContainEqual({ Deleted: expect.stringMatching(/^sha256:/) as string });
    expect([images(world), images(world, "?all=1")]).toEqual([[], []]);
    const again = new ImageWorld({ records: world.records });
    expect(images(again)).toEqual([]);
    const { CachesDeleted, SpaceReclaimed } = prune(again, "build/prune?all=1");
    expect([CachesDeleted!.length, SpaceReclaimed > 0]).toEqual([2, true]);
    expect(cached(again)).toEqual([]);
  });

  test("are meant by the beginning of an id only if no image of clients is", () => {
    const world = built({ Exporter: "" });
    const shown = (world.call("GET", "/images/busybox/json").json as { Id: string }).Id.slice("sha256:".length);
    for (let number = 0; !cached(world).some(({ ID }) => ID[0] === shown[0]); number++) {
      build(world, `FROM busybox\nENV N=${number}\nENV M=${number}\n`);
      prune(world, "images/prune");
    }
    const named = world.call("GET", `/images/${shown[0]}/json`);
    expect(named).toMatchObject({ status: 200, json: { Id: `sha256:${shown}` } });
  });

  test("become images if a client names them, also after a restart", () => {
    const world = built({ Exporter: "" });
    const [, step] = cached(world);
    expect(images(world)).toHaveLength(1);
    const again = new ImageWorld({ records: world.records });
    expect(images(again)).toHaveLength(1);
    expect(again.call("POST", `/images/${step!.ID}/tag?repo=step`).status).toBe(201);
    expect(images(again).sort()).toEqual(["busybox:latest", "step:latest"]);
    expect(cached(again)).toHaveLength(1);
  });
});

describe("caches", () => {
  const GIGABYTES = 10_000_000_000;
  const HOURS = 3_600_000_000_000;

  /** A world with one cache, of 5 bytes, which was last used now. */
  function cached(): ImageWorld {
    const world = new ImageWorld();
    const dockerfile = "FROM busybox\nRUN --network=none --mount=type=cache,target=/c x\n";
    beginBuild(world, dockerfile, "");
    world.done(world.take("mount").op);
    world.done(world.takeVolume("make"));
    world.done(world.takeVolume("populate"));
    runStep(world);
    world.succeed(world.takeVolume("measure"), { tag: "size", val: 5n });
    return world;
  }

  const prune = (world: ImageWorld, limits: object): string =>
    world.answer(world.makeCall(`${CONTROL}/Prune`, limits)).text;

  test.each([
    ["those that take less than what may stay", { keepBytes: GIGABYTES }],
    ["those that take less than the most that may be used", { maxUsedSpace: GIGABYTES }],
    ["those that were used within some time", { keepDuration: HOURS }],
  ])("%s are not pruned", (_which, limits) => {
    const world = cached();
    expect(prune(world, limits)).toBe("");
    world.wait(3601);
    expect(JSON.parse(prune(world, { keepBytes: 1, keepDuration: HOURS }))).toMatchObject({ Size: 5 });
  });

  test("that were used within half a year are not pruned: a number has too few digits for that time", () => {
    const world = cached();
    const halfAYear = { keepDuration: String(4380 * HOURS) };
    world.wait(4379 * 3600);
    expect(prune(world, halfAYear)).toBe("");
    world.wait(3601);
    expect(JSON.parse(prune(world, halfAYear))).toMatchObject({ Size: 5 });
  });

  test.each([
    ["a call", (world: ImageWorld) => world.makeCall(`${CONTROL}/Prune`, { minFreeSpace: GIGABYTES })],
    ["a request", (world: ImageWorld) => world.ask("POST", `/build/prune?min-free-space=${GIGABYTES}`)],
  ])("are pruned by %s only if the disk has less room than it wants, and its client waits", (_which, ask) => {
    const world = cached();
    const left = ask(world);
    world.hangUp(left);
    world.succeed(world.take("free-space").op, { tag: "size", val: 0n });
    for (const [free, text] of [
      [BigInt(GIGABYTES), /^$|"CachesDeleted":null/],
      [0n, /"Size":5|"SpaceReclaimed":5/],
    ] as const) {
      const asked = ask(world);
      expect(world.answer(asked).over).toBe(false);
      world.succeed(world.take("free-space").op, { tag: "size", val: free });
      expect(world.answer(asked).text).toMatch(text);
    }
  });
});

describe("filters of the cache", () => {
  test.each([
    [["type==regular"], 1],
    [["type==regular,description~=A=1"], 1],
    [["type==exec.cachemount", "id!=none"], 1],
    [["mutable"], 0],
    [["immutable"], 1],
    [["private==true"], 1],
    [["shared"], 0],
    [["inuse!=true"], 1],
    [["parents"], 0],
    [['description=="no, none"'], 0],
    [["unknown"], 0],
    [[""], 1],
  ])("%j: %i", (filter, count) => {
    const world = new ImageWorld();
    openSession(world);
    const id = solve(world, {});
    sendDefinition(world, "FROM scratch\nENV A=1\nENV B=2\n");
    expect(world.answer(id).status).toBe(200);
    const { record } = JSON.parse(world.answer(world.makeCall(`${CONTROL}/DiskUsage`, { filter })).text) as {
      record: object[];
    };
    expect(record).toHaveLength(count);
  });

  test("that are none are refused, and nothing is removed", () => {
    const world = new ImageWorld();
    for (const filter of ["type=regular", "=a", "id~=(", "a,".repeat(101)]) {
      const call = world.makeCall(`${CONTROL}/Prune`, { filter: [filter], all: true });
      expect(world.answer(call)).toMatchObject({ status: 400 });
    }
  });
});

test("a build that finds all its steps in the cache waits once, at its end, and has then used them", () => {
  const world = new ImageWorld();
  const dockerfile = "FROM busybox\nENV A=1\nRUN one\nENV B=1\n";
  const uses = (): number[] => {
    const usage = world.call("GET", "/v1.41/system/df").json as { BuildCache: { UsageCount: number }[] };
    return usage.BuildCache.map(({ UsageCount }) => UsageCount);
  };
  openSession(world);
  const first = solve(world);
  sendDefinition(world, dockerfile);
  writeStep(world, "one");
  drop(world);
  expect(world.answer(first)).toMatchObject({ status: 200, over: true });
  const before = { transactions: world.transactions, uses: uses() };
  const second = solve(world, { Ref: "b" });
  const watching = watch(world, "b");
  sendDefinition(world, dockerfile);
  expect(world.answer(second)).toMatchObject({ status: 200, over: true });
  expect(world.answer(watching).text).toContain('"name":"[2/2] RUN one","cached":true');
  expect(world.transactions - before.transactions).toBe(1);
  expect(before.uses.length).toBeGreaterThan(0);
  expect(uses()).toEqual(before.uses.map((count) => count + 1));
});
