// How the driver carries out commands: their order, completions, timers and idle collections.

import { describe, expect, test } from "vitest";
import type { ImportObject } from "../../build/core/core.js";
import { HostFailure } from "../../hosts/shared/failure.js";
import type { Input, Outcome, Report, content, failures, processes } from "../../hosts/shared/host.js";
import { launch, openWorld, settle, signal, unmount } from "./fake.js";

/** Commands that end when the test says so. */
function heldCommands<Command>() {
  const started: {
    op: bigint;
    command: Command;
    report: Report;
    end: (outcome: Outcome) => void;
    fail: (error: unknown) => void;
  }[] = [];
  const perform = (op: bigint, command: Command, report: Report) =>
    new Promise<Outcome>((end, fail) => started.push({ op, command, report, end, fail }));
  return { started, perform, ops: () => started.map(({ op }) => op) };
}

/** A request whose step makes all calls of `ask`. The resulting inputs are kept in `inputs`. */
async function openAsking(ask: (imports: ImportObject) => void, parts: Parameters<typeof openWorld>[1]) {
  const inputs: Input[] = [];
  const step = (imports: ImportObject, input: Input) => {
    if (input.tag === "request") ask(imports);
    else inputs.push(input);
  };
  const world = await openWorld({ step }, parts);
  world.request("/go");
  return { ...world, inputs };
}

describe("commands", () => {
  test("on one subject run in order, on different subjects in parallel", async () => {
    const content = heldCommands<content.ContentCommand>();
    const ask = (imports: ImportObject) => {
      unmount(imports, 1n, "a");
      imports["coracle:engine/content"].perform(2n, { tag: "drop-container", val: "a" });
      unmount(imports, 3n, "b");
    };
    const { inputs } = await openAsking(ask, { content: content.perform });
    expect(content.ops()).toEqual([1n, 3n]);
    const busy: failures.Failure = {
      tag: "call",
      val: { call: "unmount", path: "/a", inside: false, error: "EBUSY" },
    };
    content.started[0]!.fail(new HostFailure(busy));
    await settle();
    expect(content.ops()).toEqual([1n, 3n, 2n]);
    expect(inputs).toMatchObject([{ tag: "completed", val: { op: 1n, outcome: { tag: "err", val: busy } } }]);
  });

  test("on one subject: a third waits for the second, even if that was queued before the first had ended", async () => {
    const content = heldCommands<content.ContentCommand>();
    const ask = (imports: ImportObject) => {
      unmount(imports, 1n, "a");
      unmount(imports, 2n, "a");
    };
    const { request } = await openAsking(ask, { content: content.perform });
    content.started[0]!.end({ tag: "done" });
    await settle();
    request("/again");
    await settle();
    expect(content.ops()).toEqual([1n, 2n]);
    content.started[1]!.end({ tag: "done" });
    await settle();
    expect(content.ops()).toEqual([1n, 2n, 1n]);
  });

  test("of different interfaces on one container do not wait for each other", async () => {
    const content = heldCommands<content.ContentCommand>();
    const processes = heldCommands<processes.ProcessCommand>();
    const ask = (imports: ImportObject) => {
      unmount(imports, 1n, "a");
      signal(imports, 2n, "a");
    };
    await openAsking(ask, { content: content.perform, processes: processes.perform });
    expect([content.ops(), processes.ops()]).toEqual([[1n], [2n]]);
  });

  test("a signal waits for the launch before it; abandon waits for nothing", async () => {
    const content = heldCommands<content.ContentCommand>();
    const processes = heldCommands<processes.ProcessCommand>();
    const ask = (imports: ImportObject) => {
      launch(imports, 1n, "a");
      signal(imports, 2n, "a");
      unmount(imports, 3n, "a");
      imports["coracle:engine/content"].perform(4n, { tag: "abandon", val: 3n });
    };
    await openAsking(ask, { content: content.perform, processes: processes.perform });
    expect(processes.ops()).toEqual([1n]);
    expect(content.ops()).toEqual([3n, 4n]);
    processes.started[0]!.end({ tag: "launched", val: { pid: 1, at: 0n } });
    await settle();
    expect(processes.ops()).toEqual([1n, 2n]);
  });

  test("that throw something unexpected fail as internal", async () => {
    const content = heldCommands<content.ContentCommand>();
    const { inputs } = await openAsking((imports) => unmount(imports, 1n, "a"), { content: content.perform });
    content.started[0]!.fail(new TypeError("undefined is not a function"));
    await settle();
    expect(inputs).toMatchObject([
      { val: { outcome: { tag: "err", val: { tag: "internal", val: "undefined is not a function" } } } },
    ]);
  });
});

test("an exit that comes before the launch has completed is delivered after it", async () => {
  const processes = heldCommands<processes.ProcessCommand>();
  const { inputs, happen } = await openAsking((imports) => launch(imports, 1n, "a"), { processes: processes.perform });
  happen({
    tag: "exited",
    val: { container: "a", run: 1, exit: { code: 3, outOfMemory: false, lost: false, at: 0n } },
  });
  expect(inputs).toEqual([]);
  processes.started[0]!.end({ tag: "launched", val: { pid: 1, at: 0n } });
  await settle();
  expect(inputs.map(({ tag }) => tag)).toEqual(["completed", "exited"]);
});

test("progress reports are thinned out, but the last one of each phase arrives before the completion", async () => {
  const content = heldCommands<content.ContentCommand>();
  const { inputs, clock } = await openAsking((imports) => unmount(imports, 1n, "a"), { content: content.perform });
  const { report, end } = content.started[0]!;
  for (let current = 1n; current <= 5n; current++) report("downloading", current, 5n);
  clock.advance(50_000_000n);
  for (let current = 1n; current <= 3n; current++) report("extracting", current, 3n);
  end({ tag: "done" });
  await settle();
  const told = inputs.map((input) =>
    input.tag === "progress" ? `${input.val.phase} ${input.val.current}` : input.tag,
  );
  expect(told).toEqual(["downloading 1", "downloading 5", "extracting 1", "extracting 3", "completed"]);
});

test("a timer wakes the core once, unless it is cancelled or set anew", async () => {
  const set = (imports: ImportObject, op: bigint, at: bigint) =>
    imports["coracle:engine/timers"].perform(op, { tag: "set", val: at });
  const ask = (imports: ImportObject) => {
    set(imports, 1n, 100n);
    set(imports, 2n, 100n);
    imports["coracle:engine/timers"].perform(2n, { tag: "cancel" });
    set(imports, 3n, 100n);
    set(imports, 3n, 300n);
  };
  const { inputs, clock } = await openAsking(ask, {});
  clock.advance(150n);
  expect(inputs).toEqual([{ tag: "elapsed", val: 1n }]);
  clock.advance(1000n);
  expect(inputs).toEqual([
    { tag: "elapsed", val: 1n },
    { tag: "elapsed", val: 3n },
  ]);
});

test("garbage is collected after an idle time, and only if something had happened", async () => {
  let collections = 0;
  const { request, clock } = await openWorld({ step: () => {}, collect: () => void collections++, garbage: 100_000 });
  request("/go");
  clock.advance(150_000_000n);
  request("/go");
  clock.advance(100_000_000n);
  expect(collections).toBe(0);
  clock.advance(200_000_000n);
  expect(collections).toBe(1);
  clock.advance(10_000_000_000n);
  expect(collections).toBe(1);
});

test("garbage that is small compared to the memory waits until there is more", async () => {
  let collections = 0;
  const { request, clock } = await openWorld({ step: () => {}, collect: () => void collections++, garbage: 50_000 });
  for (const expected of [0, 0, 1, 1]) {
    request("/go");
    clock.advance(1_000_000_000n);
    expect(collections).toBe(expected);
  }
});

test("garbage is collected without an idle time once there is more than a megabyte of it, even when the counter wraps", async () => {
  let collections = 0;
  const { request } = await openWorld({ step: () => {}, collect: () => void collections++, garbage: 400_000_000 });
  for (let i = 0; i < 20; i++) request("/go");
  expect(collections).toBe(20);
  collections = 0;
  const small = await openWorld({ step: () => {}, collect: () => void collections++, garbage: 300_000 });
  for (let i = 0; i < 8; i++) small.request("/go");
  expect(collections).toBe(2);
});

test("a collection that takes long goes in slices, one after each step and one for each idle moment", async () => {
  let slices = 0;
  const { request, clock } = await openWorld({ step: () => {}, collect: () => ++slices % 6 === 0, garbage: 200_000 });
  request("/go");
  clock.advance(200_000_000n);
  expect(slices).toBe(1);
  clock.advance(1_000_000n);
  expect(slices).toBe(2);
  request("/go");
  expect(slices).toBe(3);
  clock.advance(100_000_000n);
  expect(slices).toBe(3);
  clock.advance(100_000_000n);
  expect(slices).toBe(4);
  for (let i = 0; i < 10; i++) clock.advance(1_000_000n);
  expect(slices).toBe(6);
});

test("a collection is finished at once if steps allocate faster than it frees", async () => {
  let slices = 0;
  const { request } = await openWorld({ step: () => {}, collect: () => ++slices % 100 === 0, garbage: 600_000 });
  for (const expected of [0, 1, 2, 3, 3]) {
    request("/go");
    expect(slices).toBe(expected);
  }
});
