// Core instances that trap or cannot write their records: which requests are answered, and how the next instance
// begins.

import { describe, expect, test } from "vitest";
import type { ImportObject } from "../../build/core/core.js";
import type { Input } from "../../hosts/shared/host.js";
import { HeldRecords, openWorld, put, settle } from "./fake.js";
import { script } from "./streaming.js";
import { NOTHING_FOUND } from "../support/nothing-found.js";

describe("a trap", () => {
  test("answers 500 to waiting requests, cuts answers under way, leaves bound streams, and opens a new instance", async () => {
    const epochs: number[] = [];
    const { request, left, lost } = await openWorld(script(epochs));
    request("/pending");
    request("/wait");
    request("/logs");
    request("/trap");
    await settle();
    expect(left).toEqual([
      "processes:7",
      "2:open",
      "3:open",
      "3:splice",
      "1:whole 500",
      "2:cut",
      "4:whole 500",
      "3:end",
    ]);
    expect(String(lost[0])).toContain("unreachable");
    request("/read");
    expect(left.at(-1)).toBe("5:whole 200");
    expect(epochs).toEqual([1, 2]);
  });

  test("lets a bound stream continue while its container runs, and ends it at the exit", async () => {
    const inventory = async () => ({
      ...NOTHING_FOUND,
      processes: [
        { container: "c", run: 1, state: { tag: "running" as const, val: { pid: 1, at: 0n } }, memoryKills: 0 },
      ],
    });
    const { request, left, happen } = await openWorld(script([]), { inventory });
    request("/logs");
    request("/trap");
    await settle();
    expect(left).not.toContain("1:end");
    happen({
      tag: "exited",
      val: { container: "c", run: 1, exit: { code: 0, outOfMemory: false, lost: false, at: 0n } },
    });
    expect(left.at(-1)).toBe("1:end");
  });

  test("does not cut a client that left while the head of its reply waited for a flush", async () => {
    const records = new HeldRecords();
    const base = script([]);
    const step = (imports: ImportObject, input: Input) => {
      if (input.tag === "request" && input.val.target === "/wait") put(imports, "key");
      base.step(imports, input);
    };
    const { driver, request, left } = await openWorld({ ...base, step }, { records });
    const id = request("/wait");
    await settle();
    driver.deliver({ tag: "closed", val: { request: id, why: "client" } });
    records.commits[0]!.keep();
    await settle();
    request("/trap");
    await settle();
    expect(left).toEqual(["1:open", "2:whole 500"]);
  });

  test("keeps nothing of its step, and releases the steps before it", async () => {
    const records = new HeldRecords();
    const { request, left } = await openWorld(script([]), { records });
    request("/write");
    await settle();
    request("/trap");
    await settle();
    expect(left).toEqual([]);
    records.commits[0]!.keep();
    await settle();
    expect(left).toEqual(["1:whole 200", "2:whole 500"]);
    expect(records.commits.map(({ keys }) => keys)).toEqual([["key"]]);
  });

  test("opens the next instance only when operations in flight have settled, and drops their results", async () => {
    const epochs: number[] = [];
    const completions: bigint[] = [];
    let finish = () => {};
    const base = script(epochs);
    const step = (imports: ImportObject, input: Input) => {
      if (input.tag === "completed") completions.push(input.val.op);
      base.step(imports, input);
    };
    const processes = () => new Promise<{ tag: "done" }>((resolve) => (finish = () => resolve({ tag: "done" })));
    const { request } = await openWorld({ ...base, step }, { processes });
    request("/pending");
    request("/trap");
    await settle();
    expect(epochs).toEqual([1]);
    finish();
    await settle();
    expect(epochs).toEqual([1, 2]);
    expect(completions).toEqual([]);
  });

  test("does not wait for answers to queries, and does not pass them to the next instance", async () => {
    const epochs: number[] = [];
    const completions: bigint[] = [];
    // One of them cancels the other.
    const ends: (() => void)[] = [];
    const base = script(epochs);
    const step = (imports: ImportObject, input: Input) => {
      if (input.tag === "completed") completions.push(input.val.op);
      if (input.tag === "request" && input.val.target === "/ask")
        imports["coracle:engine/content"].perform(7n, { tag: "measure", val: "c" });
      base.step(imports, input);
    };
    const content = () => new Promise<{ tag: "done" }>((resolve) => ends.push(() => resolve({ tag: "done" })));
    const { request } = await openWorld({ ...base, step }, { content });
    request("/ask");
    request("/trap");
    await settle();
    expect(epochs).toEqual([1, 2]);
    for (const end of ends) end();
    await settle();
    expect(completions).toEqual([]);
  });

  test("ends the process when an operation in flight does not settle within a minute", async () => {
    const epochs: number[] = [];
    const { request, clock, fatal } = await openWorld(script(epochs), { processes: () => new Promise(() => {}) });
    request("/pending");
    request("/trap");
    await settle();
    clock.advance(59_000_000_000n);
    await settle();
    expect(fatal).toEqual([]);
    clock.advance(1_000_000_000n);
    await settle();
    expect(fatal.map(String)).toEqual(["Error: commands do not end: processes signal"]);
    expect(epochs).toEqual([1]);
  });

  test("does not keep the driver from closing, even if an operation in flight does not settle", async () => {
    const { driver, request, clock, fatal } = await openWorld(script([]), { processes: () => new Promise(() => {}) });
    request("/pending");
    request("/trap");
    await settle();
    let closed = false;
    void driver.close().then(() => (closed = true));
    await settle();
    expect(closed).toBe(false);
    clock.advance(10_000_000_000n);
    await settle();
    expect(closed).toBe(true);
    clock.advance(60_000_000_000n);
    await settle();
    expect(fatal).toEqual([]);
  });

  test("has an incident id, which is in each answer and in the log", async () => {
    const { request, messages, incidents } = await openWorld(script([]));
    request("/pending");
    request("/trap");
    await settle();
    expect(incidents).toEqual([expect.stringMatching(/^[0-9a-f]{12}$/)]);
    const message = `the engine had to restart: the core trapped: Error: unreachable (incident ${incidents[0]})`;
    expect(messages).toEqual([message, message]);
  });

  test("holds requests that arrive meanwhile for the next instance", async () => {
    let finish = () => {};
    const processes = () => new Promise<{ tag: "done" }>((resolve) => (finish = () => resolve({ tag: "done" })));
    const { request, left } = await openWorld(script([]), { processes });
    request("/pending");
    request("/trap");
    await settle();
    request("/read");
    expect(left).toEqual(["1:whole 500", "2:whole 500"]);
    finish();
    await settle();
    expect(left.at(-1)).toBe("3:whole 200");
  });

  test("tells the next instance which clients have hung up meanwhile: otherwise it would serve them for ever", async () => {
    let [finish, epoch] = [() => {}, 0];
    const heard: string[] = [];
    const base = script([]);
    const state = { tag: "running" as const, val: { pid: 1, at: 0n } };
    const { driver, request, left, happen } = await openWorld(
      {
        open: (_imports, options) => void (epoch = options.epoch),
        step: (imports, input) => {
          if (input.tag === "request") heard.push(`${epoch}: ${input.val.target}`);
          if (input.tag === "closed") heard.push(`${epoch}: closed ${input.val.request}`);
          base.step(imports, input);
        },
      },
      {
        processes: () => new Promise<{ tag: "done" }>((resolve) => (finish = () => resolve({ tag: "done" }))),
        inventory: async () => ({ ...NOTHING_FOUND, processes: [{ container: "c", run: 1, state, memoryKills: 0 }] }),
      },
    );
    request("/pending");
    request("/logs");
    request("/trap");
    await settle();
    const id = request("/wait");
    for (const gone of [id, 2n]) driver.deliver({ tag: "closed", val: { request: gone, why: "client" } });
    finish();
    await settle();
    expect(heard).toEqual(["1: /pending", "1: /logs", "1: /trap", "2: /wait", `2: closed ${id}`, "2: closed 2"]);
    // The client that was bound to the run is gone too, so its end is not reported to anyone.
    happen({
      tag: "exited",
      val: { container: "c", run: 1, exit: { code: 0, outOfMemory: false, lost: false, at: 0n } },
    });
    expect(left.filter((what) => what.startsWith("2:"))).toEqual(["2:open", "2:splice"]);
  });

  test("ends the process at the third trap within a minute, not later", async () => {
    const quick = await openWorld(script([]));
    for (let trap = 0; trap < 3; trap++) {
      expect(quick.fatal).toEqual([]);
      quick.request("/trap");
      await settle();
    }
    expect(quick.fatal).toHaveLength(1);

    const slow = await openWorld(script([]));
    for (let trap = 0; trap < 5; trap++) {
      slow.request("/trap");
      await settle();
      slow.clock.advance(31_000_000_000n);
    }
    expect(slow.fatal).toEqual([]);
  });
});

describe("a transaction that is not kept", () => {
  const full = new Error("no space left on device");

  test("releases nothing of its steps or later ones, answers 500 with the cause, and continues with a new instance", async () => {
    const epochs: number[] = [];
    const records = new HeldRecords();
    const { request, left, fatal, clock } = await openWorld(script(epochs), { records });
    request("/write");
    await settle();
    request("/read");
    records.commits[0]!.lose(full);
    await settle();
    expect(left).toEqual(["1:whole 500", "2:whole 500"]);
    clock.advance(200_000_000n);
    await settle();
    expect(epochs).toEqual([1, 2]);
    request("/read");
    expect(left.at(-1)).toBe("3:whole 200");
    expect(fatal).toEqual([]);
  });

  test("is no trap, however often it happens; requests in the pauses between, each twice as long, get the reason", async () => {
    const epochs: number[] = [];
    const records = new HeldRecords();
    const { request, left, messages, fatal, clock } = await openWorld(script(epochs), { records });
    for (const [index, pause] of [200n, 400n, 800n, 1600n, 3200n, 5000n, 5000n].entries()) {
      request("/write");
      await settle();
      records.commits[index]!.lose(full);
      await settle();
      clock.advance((pause - 1n) * 1_000_000n);
      await settle();
      request("/read");
      expect(left.at(-1)).toMatch(/:whole 500$/);
      expect(messages.at(-1)).toBe("the engine cannot continue right now: no space left on device");
      clock.advance(1_000_000n);
      await settle();
      expect(epochs).toHaveLength(index + 2);
    }
    request("/write");
    await settle();
    records.commits.at(-1)!.keep();
    await settle();
    request("/write");
    await settle();
    records.commits.at(-1)!.lose(full);
    await settle();
    clock.advance(200_000_000n);
    await settle();
    expect(epochs).toHaveLength(9);
    expect(fatal).toEqual([]);
  });

  test("in an instance's opening is retried, whether it is the first opening or not", async () => {
    const epochs: number[] = [];
    const records = new HeldRecords();
    const open = (imports: ImportObject, options: { epoch: number }) => {
      epochs.push(options.epoch);
      put(imports, "mended");
    };
    const opening = openWorld({ ...script([]), open }, { records });
    await settle();
    records.commits[0]!.lose(full);
    const { request, left, fatal, lost, clock, driver } = await opening;
    expect(lost).toHaveLength(1);
    for (const [index, pause] of [200n, 400n, 800n, 1600n].entries()) {
      request("/read");
      expect(left.at(-1)).toBe(`${index + 1}:whole 500`);
      clock.advance(pause * 1_000_000n);
      await settle();
      if (index < 3) records.commits.at(-1)!.lose(full);
      else records.commits.at(-1)!.keep();
      await settle();
    }
    request("/read");
    expect(left.at(-1)).toBe("5:whole 200");
    expect(epochs).toEqual([1, 2, 3, 4, 5]);
    expect(fatal).toEqual([]);
    await driver.close();
  });

  test("does not keep the driver from closing", async () => {
    const records = new HeldRecords();
    const { driver, request } = await openWorld(script([]), { records });
    request("/write");
    await settle();
    records.commits[0]!.lose(full);
    await settle();
    await driver.close();
  });
});

describe("the first open", () => {
  test("rejects when the core traps in it three times", async () => {
    let opens = 0;
    const open = () => {
      opens++;
      throw new Error("unreachable");
    };
    await expect(openWorld({ open, step: () => {} })).rejects.toThrow("the core trapped: Error: unreachable");
    expect(opens).toBe(3);
  });

  test("survives one trap, and two", async () => {
    for (const traps of [1, 2]) {
      const epochs: number[] = [];
      const open = (_imports: ImportObject, { epoch }: { epoch: number }) => {
        epochs.push(epoch);
        if (epoch <= traps) throw new Error("unreachable");
      };
      const { request, left, lost, fatal } = await openWorld({ ...script([]), open });
      request("/read");
      expect(left).toEqual(["1:whole 200"]);
      expect(epochs).toEqual(Array.from({ length: traps + 1 }, (_, at) => at + 1));
      expect([lost.length, fatal.length]).toEqual([traps, 0]);
    }
  });

  test("has kept its records before it resolves", async () => {
    const records = new HeldRecords();
    let opened = false;
    const world = openWorld({ open: (imports) => put(imports, "mended"), step: () => {} }, { records });
    void world.then(() => (opened = true));
    await settle();
    expect(opened).toBe(false);
    records.commits[0]!.keep();
    await world;
  });
});

describe("records that the core refuses", () => {
  test("keep it from opening, and the host gets no cleanup commands", async () => {
    let asked = 0;
    const records = new HeldRecords();
    const inventory = async () => {
      asked++;
      return NOTHING_FOUND;
    };
    const refuses = () => "records of version 9: this engine reads up to 2";
    const world = openWorld({ ...script([]), refuses }, { records, inventory });
    await expect(world).rejects.toThrow("records of version 9: this engine reads up to 2");
    expect([asked, records.commits]).toEqual([0, []]);
  });

  test("end the process when they are found later", async () => {
    const epochs: number[] = [];
    let why: string | undefined;
    const { request, fatal } = await openWorld({ ...script(epochs), refuses: () => why });
    why = "records of version 9: this engine reads up to 2";
    request("/trap");
    await settle();
    expect([epochs, fatal.map(String)]).toEqual([[1], [`Error: ${why}`]]);
  });
});
