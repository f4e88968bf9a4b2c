// Stages of a build that are made side by side, as seen by the core: what they wait for, and what their client is told.

import { describe, expect, test } from "vitest";
import type { failures } from "../../../hosts/shared/host.js";
import { digestOf, encode, ImageWorld } from "../support/image-world.js";
import { sendDefinition } from "../support/session-files.js";
import { beginBuild } from "./beginning.js";
import { commands, drop, openSession, solve, watch } from "./solving.js";

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

describe("a stage that takes files from another one", () => {
  const COPIES = "FROM busybox AS one\nRUN 1\nFROM busybox\nRUN 2\nCOPY --from=one f /\nRUN 3\n";
  const MOUNTS = COPIES.replace("COPY --from=one f /", "RUN --mount=from=one,target=/one 4");
  const BASE = "FROM busybox AS base\nONBUILD RUN 2\nONBUILD COPY --from=one f /\n";
  const TRIGGERS = `FROM busybox AS one\nRUN 1\n${BASE}FROM base\nRUN 3\n`;

  test.each([
    ["a COPY", COPIES],
    ["a mount", MOUNTS],
    ["a trigger that takes files", TRIGGERS],
  ])("does the steps before %s meanwhile", (_what, dockerfile) => {
    const world = new ImageWorld();
    beginBuild(world, dockerfile, "networkmode=none");
    const launched = launchAll(world);
    expect([...launched.keys()]).toEqual(["1", "2"]);
    end(world, launched.get("2")!);
    expect(world.open()).not.toContain("mount");
    end(world, launched.get("1")!);
    expect(world.open()).toContain("mount");
  });

  test("does not count while it waits", () => {
    const world = new ImageWorld();
    const waiting = Array.from({ length: 3 }, (_, at) => `FROM busybox AS w${at}\nCOPY --from=one f /\nRUN w${at}\n`);
    const copies = [0, 1, 2].map((at) => `COPY --from=w${at} f /\n`).join("");
    const other = "FROM busybox AS two\nRUN 2\n";
    const last = `FROM busybox\n${copies}COPY --from=two f /\n`;
    beginBuild(world, `FROM busybox AS one\nRUN 1\n${waiting.join("")}${other}${last}`, "networkmode=none");
    expect([...launchAll(world).keys()]).toEqual(["1", "2"]);
  });

  test("that has a wrong FROM ends the build only when the other one is made", () => {
    const world = new ImageWorld();
    const id = beginBuild(world, "FROM busybox AS one\nRUN 1\nFROM $none\nCOPY --from=one f /\n", "networkmode=none");
    const launched = launchAll(world);
    expect(world.answer(id).over).toBe(false);
    end(world, launched.get("1")!);
    drop(world);
    expect(world.lines(id).at(-1)).toMatchObject({ error: "base name ($none) should not be blank" });
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

describe("stages of a build by BuildKit", () => {
  const OTHERS = "FROM busybox\nCOPY --from=one f /\nCOPY --from=two f /\n";
  const STAGES = `FROM busybox AS one\nRUN 1\nFROM busybox AS two\nRUN 2\n${OTHERS}`;

  interface Seen {
    digest: string;
    name: string;
    completed?: string;
    error?: string;
  }

  /** What a watcher was told of its vertices, in order. */
  function vertices(world: ImageWorld, watching: bigint): Seen[] {
    const lines = world.answer(watching).text.split("\n").slice(0, -1);
    return lines.flatMap((line) => (JSON.parse(line) as { vertexes?: Seen[] }).vertexes ?? []);
  }

  /** `name`, and what became of it. */
  function told(world: ImageWorld, watching: bigint): string[] {
    return vertices(world, watching)
      .filter(({ name }) => name.includes("RUN"))
      .map(({ name, completed, error }) => `${name} ${error ?? (completed === undefined ? "begun" : "over")}`);
  }

  function begin(world: ImageWorld, dockerfile = STAGES): { solving: bigint; watching: bigint } {
    openSession(world);
    const solving = solve(world);
    const watching = watch(world);
    sendDefinition(world, dockerfile);
    return { solving, watching };
  }

  /** The command of a step ends, and has written nothing. */
  function over(world: ImageWorld, container: string, code = 0): void {
    world.exited(container, 1, code);
    world.succeed(world.take("keep-log").op, { tag: "size", val: 0n });
    if (code !== 0) return;
    const val = { diffId: digestOf(encode("")), size: 0n, empty: true };
    world.succeed(world.take("commit").op, { tag: "committed", val });
    world.done(world.take("drop-archive").op);
    world.done(world.takeProcess("reap"));
    drop(world);
  }

  test("run at the same time, and the logs of both are told until each is over", () => {
    const world = new ImageWorld();
    const { watching } = begin(world);
    const launched = launchAll(world);
    expect([...launched.keys()]).toEqual(["1", "2"]);
    const { logs } = world.answer(watching);
    expect(logs.map(({ until }) => until)).toEqual([undefined, undefined]);
    over(world, launched.get("2")!);
    const [one, two] = ["1", "2"].map((command) => logs.find(({ container }) => container === launched.get(command))!);
    expect(one!.until).toBeUndefined();
    const end = vertices(world, watching).find(
      ({ name, completed }) => name.endsWith("RUN 2") && completed !== undefined,
    );
    expect(two!.vertex).toBe(end!.digest);
    // The end of its vertex comes after its log.
    expect(world.answer(watching).text.slice(two!.at, two!.until)).not.toContain(`"completed"`);
    expect(world.answer(watching).text.slice(two!.until)).toContain(`"digest":"${two!.vertex}"`);
    over(world, launched.get("1")!);
    expect(told(world, watching)).toEqual([
      "[one 2/2] RUN 1 begun",
      "[two 2/2] RUN 2 begun",
      "[two 2/2] RUN 2 over",
      "[one 2/2] RUN 1 over",
    ]);
    expect(commands(world)).toEqual(["mount"]);
  });

  test("are all known to a client that watches later", () => {
    const world = new ImageWorld();
    begin(world);
    const launched = launchAll(world);
    const late = world.answer(watch(world, "a", world.openDoor()));
    expect(late.logs.map(({ container }) => container).sort()).toEqual([...launched.values()].sort());
    over(world, launched.get("1")!);
    expect(late.logs.filter(({ until }) => until !== undefined)).toHaveLength(1);
  });

  test("end with one that fails: its step has the error, and the others are given up", () => {
    const world = new ImageWorld();
    const { solving, watching } = begin(world);
    const launched = launchAll(world);
    over(world, launched.get("2")!, 3);
    const failure = 'process "/bin/sh -c 2" did not complete successfully: exit code: 3';
    const { text, logs, over: isOver } = world.answer(watching);
    expect(world.answer(solving).text).toContain(JSON.stringify(failure).slice(1, -1));
    expect(told(world, watching).slice(2).sort()).toEqual([
      "[one 2/2] RUN 1 context canceled",
      `[two 2/2] RUN 2 ${failure}`,
    ]);
    expect(logs.map(({ until }) => until !== undefined)).toEqual([true, true]);
    expect([isOver, text.endsWith("\n")]).toEqual([true, true]);
  });

  test("are given up with their client, and those who watch learn it", () => {
    const world = new ImageWorld();
    const { solving } = begin(world);
    const launched = launchAll(world);
    const late = watch(world, "a", world.openDoor());
    world.hangUp(solving);
    expect(told(world, late).slice(2)).toEqual([
      "[one 2/2] RUN 1 context canceled",
      "[two 2/2] RUN 2 context canceled",
    ]);
    const { logs, over: isOver } = world.answer(late);
    expect([logs.length, logs.every(({ until }) => until !== undefined), isOver]).toEqual([2, true, true]);
    for (const container of launched.values()) {
      world.done(world.takeProcess("signal"));
      world.exited(container, 1);
    }
  });

  test("wait for a client that leaves the logs of too many steps unread", () => {
    const world = new ImageWorld({ reading: false });
    const steps = Array.from({ length: 6 }, (_, at) => `RUN ${at}\n`).join("");
    const { watching } = begin(world, `FROM busybox\n${steps}`);
    let count = 0;
    for (let launched = launchAll(world); launched.size > 0; launched = launchAll(world)) {
      over(world, [...launched.values()][0]!);
      count += 1;
    }
    // Each counts 64 KiB until all of it has been sent.
    expect(count).toBe(4);
    world.drained(watching, 64 * 1024);
    expect(launchAll(world).size).toBe(1);
  });

  test("of POST /build with version=2 run at the same time, too", () => {
    const world = new ImageWorld();
    const id = beginBuild(world, TWO_RUNS, "version=2&networkmode=none");
    const launched = launchAll(world);
    expect([...launched.keys()]).toEqual(["1", "2"]);
    over(world, launched.get("2")!);
    const { logs } = world.answer(id);
    expect(logs.map(({ container, until }) => [container, until !== undefined])).toEqual([
      [launched.get("1"), false],
      [launched.get("2"), true],
    ]);
  });
});
