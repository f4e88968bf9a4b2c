// An engine that is killed between two outputs: no later output leaves, and the next engine repairs the state.

import { describe, expect, test } from "vitest";
import type { ImportObject } from "../../build/core/core.js";
import { RequestBodies } from "../../hosts/request/bodies.js";
import { CutOff, Driver } from "../../hosts/driver/driver.js";
import type { Host, Input, RecordChange, engine, replies } from "../../hosts/shared/host.js";
import { MemoryJournal } from "../../hosts/shared/journal.js";
import { Outbox } from "../../hosts/driver/outbox.js";
import { type StepOutputs } from "../../hosts/shared/outputs.js";
import { HandClock, HeldRecords, answer, beginWorld, openWorld, put, scripted, settle } from "./fake.js";
import { launch, signal } from "./fake.js";
import { keep, keysOf } from "../support/records/kept-records.js";
import { NO_STREAMS } from "../support/no-streams.js";
import { NOTHING_FOUND } from "../support/nothing-found.js";

/**
 * `/count` puts a record and launches. When the launch is done, it puts another record, sets a timer and answers.
 * `open` finishes half-done work: a record `begun/N` without `done/N`.
 */
const counting = {
  open(imports: ImportObject, options: engine.Options, stored: engine.Stored[]) {
    const keys = stored.map(({ key }) => key);
    for (const key of keys) {
      const [state, name] = key.split("/") as [string, string];
      if (state !== "begun" || keys.includes(`done/${name}`)) continue;
      put(imports, `mended/${name}`);
      put(imports, `done/${name}`);
      signal(imports, operation(options.epoch, 1n), name);
    }
  },
  step(imports: ImportObject, input: Input) {
    if (input.tag === "request") {
      const name = `c${input.val.id}`;
      put(imports, `begun/${name}`);
      launch(imports, input.val.id, name);
    }
    if (input.tag === "completed" && input.val.op < 1n << 40n) {
      const name = `c${input.val.op}`;
      put(imports, `done/${name}`);
      imports["coracle:engine/timers"].perform(input.val.op, { tag: "set", val: 5n });
      signal(imports, operation(0xffff, input.val.op), name);
      answer(imports, input.val.op);
    }
  },
};

function operation(epoch: number, counter: bigint): bigint {
  return (BigInt(epoch) << 48n) | counter;
}

/** A host that outlives its drivers, and everything that they asked it to do. */
class Ground {
  readonly stored = new Map<string, Uint8Array>();
  readonly asked: string[] = [];
  readonly replied: string[] = [];
  readonly clock = new HandClock();
  readonly epochs: number[] = [];
  readonly #journal = new MemoryJournal();
  happen: (input: Input) => void = () => {};
  readonly host: Host;

  constructor() {
    const perform = (name: string) => async (op: bigint, command: { tag: string }) => {
      this.asked.push(`${name} ${command.tag} ${op}`);
      await Promise.resolve();
      return { tag: "done" } as const;
    };
    this.host = {
      timers: this.clock,
      records: {
        load: async () => Array.from(this.stored, ([key, value]) => ({ key, value })),
        journal: this.#journal,
        commit: async (changes) => this.#keep(changes),
        close: async () => {},
      },
      processes: perform("processes"),
      content: perform("content"),
      networks: perform("networks"),
      volumes: perform("volumes"),
      inventory: async () => NOTHING_FOUND,
      replies: { log: () => Promise.reject(new Error("no log")), stdin: () => ({}) as never, ...NO_STREAMS },
      machine: {} as engine.Machine,
      runtimes: [],
      listen: (happened) => void (this.happen = happened),
      seed: () => new Uint8Array(32),
      close: async () => {},
    };
  }

  #keep(changes: RecordChange[]): void {
    for (const change of changes) keep(change, this.stored, this.#journal);
    this.asked.push(`commit ${keysOf(changes).join(" ")}`);
  }

  begin(epoch: number, left: () => void = () => {}): Driver {
    const replies = {
      perform: (request: bigint, command: replies.ReplyCommand) => void this.replied.push(`${request} ${command.tag}`),
    };
    const core = scripted({
      ...counting,
      open: (imports, options, stored) => {
        this.epochs.push(options.epoch);
        counting.open(imports, options, stored);
      },
    });
    return Driver.begin(core, this.host, replies, new RequestBodies(), {
      engine: {} as Omit<engine.Options, "epoch">,
      lost: (error) => expect.fail(String(error)),
      fatal: (error) => expect.fail(String(error)),
      epoch,
      left,
    });
  }

  /** Everything that is visible from outside. */
  get sum(): number {
    return this.asked.length + this.replied.length;
  }
}

async function ask(driver: Driver): Promise<void> {
  const id = driver.nextRequest();
  const body = { tag: "none" } as const;
  driver.deliver({ tag: "request", val: { id, listener: "", method: "GET", target: "/count", headers: "", body } });
  await settle();
}

/** Sends two requests and cuts the engine off after this many outputs. Returns how many outputs there were. */
async function play(ground: Ground, cutAfter: number): Promise<{ driver: Driver; outputs: number }> {
  let outputs = 0;
  const driver: Driver = ground.begin(0, () => {
    if (++outputs === cutAfter) driver.cut();
  });
  await driver.opened;
  await ask(driver);
  await ask(driver);
  return { driver, outputs };
}

describe("cut", () => {
  test("strikes between any two outputs: nothing leaves after it, and the next driver repairs the state", async () => {
    const { outputs: all } = await play(new Ground(), 0);
    // Each request: record, launch; record, timer, signal, reply.
    expect(all).toBe(12);
    for (let after = 1; after <= all; after++) {
      const ground = new Ground();
      const { driver, outputs } = await play(ground, after);
      expect(outputs).toBe(after);
      const sum = ground.sum;
      ground.clock.advance(10n ** 12n);
      await settle();
      expect(ground.sum).toBe(sum);

      const next = ground.begin(driver.epoch);
      await next.opened;
      await settle();
      expect(ground.epochs).toEqual([1, 2]);
      const begun = [...ground.stored.keys()].filter((key) => key.startsWith("begun/"));
      for (const key of begun) expect(ground.stored.has(key.replace("begun", "done"))).toBe(true);
      await ask(next);
      expect(ground.replied.at(-1)).toBe(`${(1n << 32n) + 1n} whole`);
      const closed = next.close();
      ground.clock.advance(0n);
      await closed;
    }
  });

  test("strikes during the repair too; then `opened` rejects", async () => {
    const ground = new Ground();
    ground.stored.set("begun/x", new Uint8Array());
    const first: Driver = ground.begin(0, () => first.cut());
    await expect(first.opened).rejects.toThrow(CutOff);
    await settle();
    expect(ground.asked).toEqual(["commit mended/x done/x"]);
    const second: Driver = ground.begin(first.epoch);
    await second.opened;
    expect(second.epoch).toBe(2);
  });

  test("strikes before the records are read: nothing is opened", async () => {
    const epochs: number[] = [];
    const world = beginWorld({ open: (_imports, { epoch }) => void epochs.push(epoch), step: () => {} });
    world.driver.cut();
    await expect(world.driver.opened).rejects.toThrow(CutOff);
    await settle();
    expect(epochs).toEqual([]);
  });

  test("cancels alarms, drops completions, and starts no queued command", async () => {
    const ends: (() => void)[] = [];
    const started: bigint[] = [];
    const inputs: string[] = [];
    const script = {
      step: (imports: ImportObject, input: Input) => {
        inputs.push(input.tag);
        if (input.tag !== "request") return;
        signal(imports, 1n, "c");
        signal(imports, 2n, "c");
        imports["coracle:engine/timers"].perform(3n, { tag: "set", val: 5n });
      },
    };
    const processes = (op: bigint) => {
      started.push(op);
      return new Promise<{ tag: "done" }>((resolve) => ends.push(() => resolve({ tag: "done" })));
    };
    const world = await openWorld(script, { processes });
    world.request("/");
    expect(started).toEqual([1n]);
    world.driver.cut();
    ends[0]!();
    await settle();
    world.clock.advance(10n ** 12n);
    world.happen({ tag: "elapsed", val: 3n });
    world.driver.deliver({ tag: "elapsed", val: 3n });
    expect(started).toEqual([1n]);
    expect(inputs).toEqual(["request"]);
    await world.driver.close();
  });

  test("strikes while a transaction is being flushed: it is kept, and nothing follows from it", async () => {
    const records = new HeldRecords();
    const script = {
      step: (imports: ImportObject, input: Input) => {
        if (input.tag !== "request") return;
        put(imports, `key ${input.val.id}`);
        answer(imports, input.val.id);
      },
    };
    const { driver, request, left, lost } = await openWorld(script, { records });
    request("/");
    await settle();
    request("/");
    driver.cut();
    records.commits[0]!.keep();
    await settle();
    expect(records.commits.length).toBe(1);
    expect([left, lost]).toEqual([[], []]);
  });

  test("strikes while a transaction is being flushed: no output that waits for it leaves, by any path", async () => {
    let keep = (): void => {};
    const left: StepOutputs[] = [];
    const outbox = new Outbox(
      async () => {},
      () => new Promise<void>((resolve) => (keep = resolve)),
      (step) => void left.push(step),
      (error) => expect.fail(String(error)),
    );
    outbox.push({ records: [{ tag: "delete", val: "key" }], effects: [], replies: [] });
    await settle();
    outbox.push({ records: [], effects: [], replies: [] });
    outbox.cut();
    keep();
    await outbox.settled();
    expect(left).toEqual([]);
  });

  test("strikes while an instance is being replaced: no request is answered, and none is opened", async () => {
    const epochs: number[] = [];
    const script = {
      open: (_imports: ImportObject, { epoch }: { epoch: number }) => void epochs.push(epoch),
      step: (): void => {
        throw new Error("unreachable");
      },
    };
    const { driver, request, left } = await openWorld(script);
    request("/");
    driver.cut();
    await settle();
    expect([left, epochs]).toEqual([[], [1]]);
    await driver.close();
  });

  test("strikes between two notifications about a lost instance", async () => {
    const script = {
      step: (imports: ImportObject, input: Input) => {
        if (input.tag !== "request") return;
        if (input.val.target === "/trap") throw new Error("unreachable");
        imports["coracle:engine/content"].perform(1n, { tag: "drop-archive", val: "a" });
      },
    };
    const asked: string[] = [];
    const content: Host["content"] = (_op, command) => {
      asked.push(command.tag);
      return new Promise(() => {});
    };
    const world = await openWorld(script, { content }, { left: () => world.left.length > 0 && world.driver.cut() });
    for (const target of ["/wait", "/wait", "/trap"]) world.request(target);
    await settle();
    expect(world.left).toEqual(["1:whole 500"]);
    // Commands that were begun are not cancelled: no engine is left to ask for that.
    expect(asked).toEqual(["drop-archive"]);
  });

  test("strikes while the driver is being closed: closing ends at once", async () => {
    const script = { step: (imports: ImportObject) => signal(imports, 1n, "c") };
    const world = await openWorld(script, { processes: () => new Promise(() => {}) });
    world.request("/");
    const closed = world.driver.close();
    world.driver.cut();
    await closed;
    await world.driver.close();
  });

  test("is caused by an observer of the opening: nothing of it is kept", async () => {
    const records = new HeldRecords();
    const observer = {
      opened: () => world.driver.cut(),
      stepped: () => expect.fail("no step"),
      lost: () => {},
    };
    const world = beginWorld({ open: (imports) => put(imports, "key"), step: () => {} }, { records }, { observer });
    await expect(world.driver.opened).rejects.toThrow(CutOff);
    expect(records.commits).toEqual([]);
  });

  test("a queued command counts as an output when it reaches the host", async () => {
    const ends: (() => void)[] = [];
    let left = 0;
    const script = {
      step: (imports: ImportObject, input: Input) => {
        if (input.tag !== "request") return;
        signal(imports, 1n, "c");
        signal(imports, 2n, "c");
      },
    };
    const processes = () => new Promise<{ tag: "done" }>((resolve) => ends.push(() => resolve({ tag: "done" })));
    const world = await openWorld(script, { processes }, { left: () => void left++ });
    world.request("/");
    expect(left).toBe(1);
    ends[0]!();
    await settle();
    expect(left).toBe(2);
  });
});
