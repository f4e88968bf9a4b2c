// Stages of a build that are made side by side, as seen by the core: what they wait for, and what their client is told.

import { describe, expect, test } from "vitest";
import type { failures } from "../../../hosts/shared/host.js";
import { digestOf, encode, ImageWorld } from "../support/image-world.js";
import { beginBuild } from "./beginning.js";

const MISSING: failures.Failure = { tag: "no-such", val: { what: "member", name: "/f" } };
/** Labels whose lines make the stream crowded. */
const LONG = `LABEL long=${"x".repeat(40 * 1024)}\n`.repeat(8);

function choose(world: ImageWorld): void {
  world.succeed(world.take("choose").op, {
    tag: "chosen",
    val: { files: [{ path: "f", directory: false, pattern: 0 }], digest: digestOf(encode("files")) },
  });
}

/** Answers a COPY whose files are chosen. */
function copy(world: ImageWorld, name: string): void {
  world.done(world.take("mount").op);
  world.failAs(world.take("stat").op, MISSING);
  world.done(world.take("copy").op);
  const val = { diffId: digestOf(encode(name)), size: 3n, empty: false };
  world.succeed(world.take("commit").op, { tag: "committed", val });
  world.succeed(world.take("layer").op, { tag: "size", val: 3n });
}

/** Starts all containers that are to start: their ids by their commands. */
function launchAll(world: ImageWorld): Map<string, string> {
  const launched = new Map<string, string>();
  while (world.open().includes("mount")) {
    world.done(world.take("mount").op);
    const { op, val } = world.takeLaunch();
    const { process } = JSON.parse(new TextDecoder().decode(val.spec)) as { process: { args: string[] } };
    launched.set(process.args.at(-1)!, val.container);
    world.succeed(op, { tag: "launched", val: { pid: 7, at: world.now() } });
  }
  return launched;
}

/** The container of a step ends, and wrote nothing. */
function end(world: ImageWorld, container: string, run = 1): void {
  world.exited(container, run);
  if (run === 1) {
    const val = { diffId: digestOf(encode("")), size: 0n, empty: true };
    world.succeed(world.take("commit").op, { tag: "committed", val });
    world.done(world.take("drop-archive").op);
  }
  world.done(world.takeProcess("reap"));
  world.done(world.take("unmount").op);
}

const TWO_RUNS = "FROM busybox AS one\nRUN 1\nFROM busybox AS two\nRUN 2\nFROM one\nCOPY --from=two f /\n";

/** The container of the second stage, which has ended before the first one. */
function endSecond(world: ImageWorld): { first: string; second: string } {
  const launched = launchAll(world);
  const [first, second] = [launched.get("1")!, launched.get("2")!];
  end(world, second);
  return { first, second };
}

describe("a container whose log is not told yet", () => {
  test.each(["", "&rm=0"])("is not pruned (%s)", (query) => {
    const world = new ImageWorld();
    beginBuild(world, TWO_RUNS, `networkmode=none${query}`);
    const { second } = endSecond(world);
    const pruned = world.ask("POST", "/containers/prune");
    expect(world.open()).not.toContain("drop-container");
    expect(JSON.parse(world.answer(pruned).text)).toMatchObject({ ContainersDeleted: null });
    expect(world.call("GET", `/containers/${second}/json`).status).toBe(200);
  });

  test("is an ordinary one as soon as it is told, if the build keeps it", () => {
    const world = new ImageWorld();
    beginBuild(world, TWO_RUNS, "networkmode=none&rm=0");
    const { first, second } = endSecond(world);
    end(world, first);
    world.ask("POST", "/containers/prune");
    while (world.open().includes("measure")) world.succeed(world.take("measure").op, { tag: "size", val: 0n });
    const dropped = [world.take("drop-container").val, world.take("drop-container").val];
    expect(dropped.sort()).toEqual([first, second].sort());
  });

  test("is killed and removed when it is told, if a client has started it meanwhile", () => {
    const world = new ImageWorld();
    const id = beginBuild(world, TWO_RUNS, "networkmode=none");
    const { first, second } = endSecond(world);
    world.ask("POST", `/containers/${second}/start`);
    expect(launchAll(world).get("2")).toBe(second);
    end(world, first);
    world.done(world.take("drop-container").op);
    world.wait(1);
    world.done(world.takeProcess("signal"));
    end(world, second, 2);
    expect(world.take("drop-container").val).toBe(second);
    expect(world.said(id).join()).toContain("Running in");
  });
});

describe("how many stages are built at once", () => {
  test("one that waits for the same step of another one does not count", () => {
    const world = new ImageWorld();
    const stages = ["1", "1", "2"].map((command, at) => `FROM busybox AS s${at}\nRUN ${command}\n`).join("");
    beginBuild(world, `${stages}FROM s0\nCOPY --from=s1 f /\nCOPY --from=s2 f /\n`, "networkmode=none");
    expect([...launchAll(world).keys()]).toEqual(["1", "2"]);
  });

  test("none begins while those before hold too much that is not told", () => {
    const world = new ImageWorld();
    const names = Array.from({ length: 12 }, (_, at) => `s${at}`);
    const stages = names.map((name) => `FROM scratch AS ${name}\nLABEL n=${name} long=${"x".repeat(40 * 1024)}\n`);
    const copies = names.map((name) => `COPY --from=${name} f /\n`).join("");
    const dockerfile = `FROM busybox AS one\nRUN 1\n${stages.join("")}FROM one\n${copies}`;
    const id = beginBuild(world, dockerfile, "networkmode=none");
    const made = (): number => (world.call("GET", "/images/json?all=1").json as unknown[]).length - 1;
    expect(made()).toBe(7);
    end(world, launchAll(world).get("1")!);
    world.done(world.take("drop-container").op);
    expect(world.lines(id).filter((line) => "aux" in line)).toHaveLength(13);
  });
});

describe("a stage that waits for its client to read", () => {
  test("is made once, though another stage ends meanwhile", () => {
    const world = new ImageWorld({ reading: false });
    const first = `FROM scratch AS one\n${LONG}`;
    const id = beginBuild(world, `${first}FROM scratch AS two\nCOPY f /\nFROM one\nCOPY --from=two f /\n`, "");
    choose(world);
    copy(world, "two");
    while (world.answer(id).unread > 0) world.read(id, 8 * 1024);
    const made = world.lines(id).filter((line) => "aux" in line);
    expect(made).toHaveLength(2);
  });
});
