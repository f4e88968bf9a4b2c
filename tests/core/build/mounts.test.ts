// `RUN --mount`, as seen by the core: the key of a step, who gets which cache, and what is left after an end.

import { beforeEach, describe, expect, test } from "vitest";
import type { Outcome, failures } from "../../../hosts/shared/host.js";
import { digestOf, encode, ImageWorld } from "../support/image-world.js";
import { beginBuild, CACHED } from "./beginning.js";

const LOCKED = "FROM busybox\nRUN --network=none --mount=type=cache,target=/c,sharing=locked x\n";

let world: ImageWorld;
beforeEach(() => {
  world = new ImageWorld();
});

function begin(dockerfile: string, query = ""): bigint {
  return beginBuild(world, dockerfile, query);
}

/** The files of a bind of the context. */
function choose(text: string): void {
  const files = [{ path: "", directory: true, pattern: 0 }];
  world.succeed(world.take("choose").op, { tag: "chosen", val: { files, digest: digestOf(encode(text)) } });
}

/** Answers until the step's command runs; returns what it mounts besides the usual. */
function launch(): string[] {
  while (world.open().includes("mount")) world.done(world.take("mount").op);
  const { op, val } = world.takeLaunch();
  const { mounts } = JSON.parse(new TextDecoder().decode(val.spec)) as { mounts: { source: string }[] };
  world.succeed(op, { tag: "launched", val: { pid: 7, at: world.now() } });
  return mounts.map(({ source }) => source).filter((source) => /^(volume|files|chain):/.test(source));
}

/** The step's container ends, and wrote nothing. */
function end(): void {
  world.exited(running()[0]!, 1);
  world.succeed(world.take("commit").op, {
    tag: "committed",
    val: { diffId: digestOf(encode("")), size: 0n, empty: true },
  });
}

/** Makes the files of a new cache. */
function fill(): void {
  world.done(world.take("mount").op);
  world.done(world.takeVolume("make"));
  world.done(world.takeVolume("populate"));
}

function running(): string[] {
  return (world.call("GET", "/containers/json").json as { Id: string }[]).map(({ Id }) => Id);
}

function caches(): { ID: string; InUse: boolean; UsageCount: number }[] {
  return (
    world.call("GET", "/v1.41/system/df").json as { BuildCache: { ID: string; InUse: boolean; UsageCount: number }[] }
  ).BuildCache;
}

describe("the key of a step", () => {
  const FILE = "FROM busybox\nRUN --mount=target=/in --network=none x\n";

  test("has the digest of what it mounts", () => {
    begin(FILE);
    choose("one");
    expect(launch()).toEqual([expect.stringMatching(/^files:[0-9a-f]{64}$/)]);
    end();
    const again = begin(FILE);
    choose("one");
    expect(world.said(again)).toContain(CACHED);
    const other = begin(FILE);
    choose("two");
    expect(world.said(other)).not.toContain(CACHED);
  });
});

describe("a locked cache", () => {
  test("is handed on when its step is over", () => {
    begin(LOCKED, "nocache=1");
    fill();
    const [first] = launch();
    const second = begin(LOCKED, "nocache=1");
    expect(world.said(second).at(-1)).toMatch(/^Step 2/);
    world.wait(1);
    expect(world.said(second).at(-1)).toMatch(/^Step 2/);
    end();
    world.wait(1);
    expect(launch()).toEqual([first]);
    expect(caches()).toMatchObject([{ InUse: true, UsageCount: 2 }]);
  });

  test("is not pruned while a step has it", () => {
    begin(LOCKED);
    fill();
    launch();
    expect(world.call("POST", "/build/prune").json).toEqual({ CachesDeleted: null, SpaceReclaimed: 0 });
    end();
    const [cache] = caches();
    expect(world.call("POST", "/build/prune").json).toEqual({ CachesDeleted: [cache?.ID], SpaceReclaimed: 0 });
    expect(caches()).toEqual([]);
    world.succeed(world.takeVolume("measure"), { tag: "size", val: 0n });
    world.done(world.takeVolume("drop"));
  });

  test("is not shared", () => {
    begin(LOCKED, "nocache=1");
    fill();
    const [first] = launch();
    end();
    begin(LOCKED, "nocache=1");
    expect(launch()).toEqual([first]);
    begin(LOCKED.replace(",sharing=locked", ""), "nocache=1");
    expect(world.open()).toContain("mount");
    fill();
    expect(launch()).not.toEqual([first]);
  });

  test("is kept over a restart", () => {
    begin(LOCKED);
    fill();
    const [first] = launch();
    end();
    world = new ImageWorld({ records: world.records, volumes: [first!.replace("volume:", "")] });
    begin(LOCKED, "nocache=1");
    expect(launch()).toEqual([first]);
  });

  test("whose files are gone is made anew", () => {
    begin(LOCKED);
    fill();
    const [first] = launch();
    end();
    world = new ImageWorld({ records: world.records });
    begin(LOCKED, "nocache=1");
    fill();
    expect(launch()).not.toEqual([first]);
  });

  test("is one for a step that mounts it twice, once shared", () => {
    begin(
      `FROM busybox\nRUN --network=none --mount=type=cache,id=c,target=/a --mount=type=cache,id=c,target=/b,sharing=locked true\n`,
    );
    fill();
    const [one, other] = launch();
    expect(one).toMatch(/^volume:/);
    expect(other).toBe(one);
  });

  test.each(["mount", "make", "populate"] as const)(
    "whose files cannot be made (%s) is none, and the next is whole",
    (failing) => {
      const id = begin(LOCKED);
      const full: failures.Failure = { tag: "call", val: { call: "mkdir", path: "/", inside: false, error: "ENOSPC" } };
      if (failing !== "mount") world.done(world.take("mount").op);
      if (failing === "populate") world.done(world.takeVolume("make"));
      world.failAs(failing === "mount" ? world.take("mount").op : world.takeVolume(failing), full);
      expect(world.answer(id).over).toBe(true);
      expect(world.said(id).at(-1)).toMatch(/^RUN failed: .*no space left on device$/);
      expect(caches()).toEqual([]);
      expect([...world.records.keys()].filter((key) => key.startsWith("cache/"))).toEqual([]);
      world.done(world.takeVolume("drop"));
      begin(LOCKED);
      fill();
      expect(launch()).toEqual([expect.stringMatching(/^volume:/)]);
      expect(caches()).toMatchObject([{ InUse: true, UsageCount: 1 }]);
    },
  );
});

describe("a cancelled step", () => {
  test("gives its cache back when its run ends, also if nothing could kill it", () => {
    const first = begin(LOCKED, "nocache=1");
    fill();
    const [cache] = launch();
    const [container = ""] = running();
    world.hangUp(first);
    world.failAs(world.takeProcess("signal"), {
      tag: "call",
      val: { call: "kill", path: "", inside: false, error: "EIO" },
    });
    world.wait(13);
    expect(running()).toEqual([container]);
    expect(caches()).toMatchObject([{ InUse: true }]);
    const second = begin(LOCKED, "nocache=1");
    world.wait(1);
    expect(world.said(second).at(-1)).toMatch(/^Step 2/);
    const removal = world.ask("DELETE", `/containers/${container}?force=1`);
    world.exited(container, 1);
    world.wait(1);
    expect(launch()).toEqual([cache]);
    expect(world.answer(removal).status).not.toBe(409);
  });
});

describe("a cache that begins with a path of a stage or an image", () => {
  const FROM = "FROM busybox\nRUN --network=none --mount=type=cache,target=/c,from=busybox,source=s/in x\n";
  const stat = (mode: number): Outcome => ({
    tag: "stat",
    val: { name: "in", size: 0n, mode, modified: 0n, linkTarget: "", place: "/", readOnly: false },
  });

  test("is filled from it", () => {
    begin(FROM);
    world.done(world.take("mount").op);
    const { op, val } = world.take("stat");
    expect(val).toMatchObject({ path: "/s/in", follow: true });
    world.succeed(op, stat(0o040755));
    world.done(world.takeVolume("make"));
    world.done(world.takeVolume("populate"));
    expect(launch()).toHaveLength(1);
  });

  test.each<[string, Outcome | failures.Failure, string]>([
    [
      "nothing",
      { tag: "call", val: { call: "lstat", path: "/s/in", inside: true, error: "ENOENT" } },
      "no such file or directory",
    ],
    ["a file", stat(0o100644), "not a directory"],
  ])("fails if there is %s", (_what, answer, why) => {
    const id = begin(FROM);
    world.done(world.take("mount").op);
    const { op } = world.take("stat");
    if (answer.tag === "stat") world.succeed(op, answer);
    else world.failAs(op, answer as failures.Failure);
    expect(world.said(id).at(-1)).toBe(`RUN failed: cannot access path s/in of the image that is mounted: ${why}`);
    expect(caches()).toEqual([]);
    world.done(world.takeVolume("drop"));
  });
});
