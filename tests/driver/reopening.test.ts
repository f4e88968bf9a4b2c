// How soon the next instance comes after a trap, and what happens to work under way and to requests that arrive
// meanwhile.

import { describe, expect, test } from "vitest";
import type { ImportObject } from "../../build/core/core.js";
import { HostFailure, interrupted } from "../../hosts/shared/failure.js";
import type { Host, Outcome } from "../../hosts/shared/host.js";
import { HeldRecords, answer, launch, openWorld, put, settle, signal, unmount } from "./fake.js";
import type { Script } from "./fake.js";
import { NOTHING_FOUND } from "../support/nothing-found.js";

const SECOND = 1_000_000_000n;
const MS = 1_000_000n;

/** The commands of requests, by their targets. */
const ASKED: Record<string, (imports: ImportObject) => void> = {
  "/populate": (imports) =>
    imports["coracle:engine/volumes"].perform(1n, {
      tag: "populate",
      val: { name: "data", container: "c", path: "/data" },
    }),
  "/launch": (imports) => launch(imports, 2n, "c"),
  "/signal": (imports) => signal(imports, 3n, "c"),
  "/ps": (imports) =>
    imports["coracle:engine/processes"].perform(4n, {
      tag: "ps",
      val: { subject: { container: "c", run: 1 }, arguments: [] },
    }),
  "/load": (imports) =>
    imports["coracle:engine/content"].perform(5n, {
      tag: "ingest",
      val: { archive: "load", request: 2n, limits: { unpacked: 1n << 40n, holes: 0n } },
    }),
  "/drop": (imports) => imports["coracle:engine/content"].perform(6n, { tag: "drop-chain", val: "sha256:1" }),
  "/write": (imports) => put(imports, "key"),
};

function script(epochs: number[]): Script {
  return {
    open: (_imports, { epoch }) => void epochs.push(epoch),
    step: (imports, input) => {
      if (input.tag !== "request") return;
      const { id, target } = input.val;
      if (target === "/trap") throw new Error("unreachable");
      const ask = ASKED[target];
      if (ask === undefined) answer(imports, id);
      else ask(imports);
    },
  };
}

/** A machine whose commands never end by themselves. Those that support `abandon` end when it is called. */
function slowMachine(heeding: readonly string[]) {
  const begun: string[] = [];
  const givenUp: bigint[] = [];
  const ends = new Map<bigint, (failed: Error) => void>();
  const takeForEver = (op: bigint, command: { tag: string }) => {
    begun.push(command.tag);
    return new Promise<Outcome>((_, fail) => {
      if (heeding.includes(command.tag)) ends.set(op, fail);
    });
  };
  const content: Host["content"] = async (op, command) => {
    if (command.tag !== "abandon") return takeForEver(op, command);
    givenUp.push(command.val);
    ends.get(command.val)?.(interrupted("given-up"));
    return { tag: "done" };
  };
  return { parts: { processes: takeForEver, volumes: takeForEver, content }, begun, givenUp };
}

async function trapWhile(targets: readonly string[], heeding: readonly string[]) {
  const epochs: number[] = [];
  const machine = slowMachine(heeding);
  const world = await openWorld(script(epochs), machine.parts);
  for (const target of targets) world.request(target);
  world.request("/trap");
  await settle();
  return { ...world, ...machine, epochs };
}

describe("the next instance opens at once", () => {
  test("even while a volume is being filled or an archive read: that is cancelled", async () => {
    const { epochs, givenUp, request, left } = await trapWhile(["/populate", "/load"], ["populate", "ingest"]);
    expect(givenUp).toEqual([1n, 5n]);
    expect(epochs).toEqual([1, 2]);
    request("/read");
    expect(left.at(-1)).toBe("4:whole 200");
  });

  test("even while the host answers a query: nothing waits for the answer", async () => {
    const { epochs, begun } = await trapWhile(["/ps"], []);
    expect(begun).toEqual(["ps"]);
    expect(epochs).toEqual([1, 2]);
  });
});

test("a removal is not cancelled: the next instance waits for its end", async () => {
  const { epochs, givenUp, clock } = await trapWhile(["/populate", "/drop"], ["populate", "drop-chain"]);
  clock.advance(SECOND);
  await settle();
  expect([givenUp, epochs]).toEqual([[1n], [1]]);
});

describe("a slow launch", () => {
  test("is cancelled after half a second, and commands queued behind it never start", async () => {
    const { epochs, begun, givenUp, clock, request, left, fatal } = await trapWhile(["/launch", "/signal"], ["launch"]);
    clock.advance(SECOND / 2n - 1n);
    await settle();
    expect([epochs, givenUp]).toEqual([[1], []]);
    clock.advance(1n);
    await settle();
    expect(givenUp).toContain(2n);
    expect([begun, epochs]).toEqual([["launch"], [1, 2]]);
    request("/read");
    expect(left.at(-1)).toBe("4:whole 200");
    expect(fatal).toEqual([]);
  });

  test("that cannot be cancelled causes requests to be refused after a second, until it ends or a minute is over", async () => {
    const { epochs, clock, request, left, messages, fatal } = await trapWhile(["/launch"], []);
    const early = request("/read");
    clock.advance(SECOND - 1n);
    await settle();
    expect(left).not.toContain(`${early}:whole 500`);
    clock.advance(1n);
    await settle();
    expect(left.at(-1)).toBe(`${early}:whole 500`);
    const late = request("/read");
    expect(left.at(-1)).toBe(`${late}:whole 500`);
    const why = "the engine cannot continue right now: the core trapped: Error: unreachable";
    expect(messages.slice(-2)).toEqual([why, why]);
    clock.advance(59n * SECOND);
    await settle();
    expect([epochs, fatal.map(String)]).toEqual([[1], ["Error: commands do not end: processes launch"]]);
  });

  test("causes no refusals once the next instance is open", async () => {
    const epochs: number[] = [];
    let finish = () => {};
    const processes = () => new Promise<Outcome>((end) => (finish = () => end({ tag: "done" })));
    const { request, clock, left } = await openWorld(script(epochs), { processes });
    request("/launch");
    request("/trap");
    await settle();
    clock.advance(2n * SECOND);
    await settle();
    finish();
    await settle();
    expect(epochs).toEqual([1, 2]);
    request("/read");
    expect(left.at(-1)).toBe("3:whole 200");
    clock.advance(60n * SECOND);
    await settle();
    request("/read");
    expect(left.at(-1)).toBe("4:whole 200");
  });
});

describe("a delayed orderly shutdown", () => {
  test("cancels a queued launch as soon as it begins", async () => {
    const ends: (() => void)[] = [];
    const done: string[] = [];
    const processes: Host["processes"] = (_op, { tag }) =>
      new Promise((end, fail) => {
        done.push(tag);
        ends.push(tag === "launch" ? () => fail(interrupted("given-up")) : () => end({ tag: "done" }));
      });
    const givenUp: bigint[] = [];
    const content: Host["content"] = async (_op, command) => {
      if (command.tag === "abandon") givenUp.push(command.val);
      if (command.tag === "abandon" && command.val === 2n) ends[1]?.();
      return { tag: "done" };
    };
    const { request, driver, clock } = await openWorld(script([]), { processes, content });
    request("/signal");
    request("/launch");
    const closed = driver.close();
    await settle();
    clock.advance(2n * SECOND);
    await settle();
    expect(done).toEqual(["signal"]);
    ends[0]!();
    await settle();
    expect([done, givenUp.at(-1)]).toEqual([["signal", "launch"], 2n]);
    await closed;
  });

  test("lets the undoing of a launch finish, and tells the core of the failure", async () => {
    const givenUp: bigint[] = [];
    let giveUp = (): void => {};
    let unmounted = (_failed: Error): void => {};
    const content: Host["content"] = (_op, command) => {
      if (command.tag === "unmount") return new Promise((_, fail) => (unmounted = fail));
      if (command.tag === "abandon") givenUp.push(command.val);
      if (command.tag === "abandon" && command.val === 2n) giveUp();
      if (command.tag === "abandon" && command.val === 7n) unmounted(interrupted("given-up"));
      return Promise.resolve({ tag: "done" });
    };
    const processes: Host["processes"] = () => new Promise((_, fail) => (giveUp = () => fail(interrupted("given-up"))));
    const told: string[] = [];
    const undoing: Script = {
      step: (imports, input) => {
        if (input.tag === "request") launch(imports, 2n, "c");
        if (input.tag !== "completed") return;
        const { op, outcome } = input.val;
        told.push(`${op} ${outcome.tag === "err" ? outcome.val.tag : outcome.tag}`);
        if (op === 2n) unmount(imports, 7n, "c");
      },
    };
    const { request, driver, clock } = await openWorld(undoing, { processes, content });
    request("/");
    const closed = driver.close();
    await settle();
    clock.advance(2n * SECOND);
    await settle();
    expect([told, givenUp]).toEqual([["2 interrupted"], [2n]]);
    unmounted(new HostFailure({ tag: "call", val: { call: "unmount", path: "/c", inside: false, error: "EBUSY" } }));
    await closed;
    expect([told, givenUp]).toEqual([["2 interrupted", "7 call"], [2n]]);
  });
});

describe("an orderly shutdown", () => {
  /** Requests a turn, and in that turn another one, in which it answers. */
  const inTurns: Script = {
    step: (imports, input) => {
      const op = input.tag === "elapsed" ? input.val : 0n;
      if (op === 2n) answer(imports, 1n);
      else if (op === 1n || input.tag === "request") setTimer(imports, op + 1n, 0n);
    },
  };

  test("gives the core the turns that it requested, and its answers leave", async () => {
    const { request, driver, clock, left } = await openWorld(inTurns);
    request("/");
    let isClosed = false;
    const closed = driver.close().then(() => (isClosed = true));
    await settle();
    clock.advance(0n);
    await settle();
    expect([left, isClosed]).toEqual([[], false]);
    clock.advance(0n);
    await closed;
    expect(left).toEqual(["1:whole 200"]);
  });

  test("tells the core that clients are gone once nothing is under way that could answer them", async () => {
    const told: string[] = [];
    const script: Script = {
      step: (imports, input) => {
        told.push(input.tag);
        if (input.tag === "request") setTimer(imports, 1n, 0n);
      },
    };
    const { request, driver, clock } = await openWorld(script);
    request("/");
    const closed = driver.close();
    await settle();
    expect(told).toEqual(["request"]);
    clock.advance(0n);
    await closed;
    expect(told).toEqual(["request", "elapsed", "closed"]);
  });

  test("ends 10 s after the request, even if other work used up some time and a command never ends", async () => {
    const content: Host["content"] = () => new Promise(() => {});
    const { request, driver, clock } = await openWorld(script([]), { content });
    request("/drop");
    const since = clock.now().monotonic;
    clock.advance(3n * SECOND);
    let isClosed = false;
    const closed = driver.close(since).then(() => (isClosed = true));
    await settle();
    clock.advance(7n * SECOND - 1n);
    await settle();
    expect(isClosed).toBe(false);
    clock.advance(1n);
    await closed;
  });

  test("does not wait for timers that are not due", async () => {
    const script: Script = { step: (imports) => setTimer(imports, 1n, SECOND) };
    const { request, driver } = await openWorld(script);
    request("/");
    await driver.close();
  });

  test("does not wait for a cancelled turn", async () => {
    const script: Script = {
      step: (imports, input) => {
        if (input.tag !== "request") return;
        if (input.val.target === "/") setTimer(imports, 1n, 0n);
        else imports["coracle:engine/timers"].perform(1n, { tag: "cancel" });
      },
    };
    const { request, driver } = await openWorld(script);
    request("/");
    request("/off");
    await driver.close();
  });
});

function setTimer(imports: ImportObject, op: bigint, val: bigint): void {
  imports["coracle:engine/timers"].perform(op, { tag: "set", val });
}

test("a slow transaction also causes requests to be refused after a second; afterwards they are served", async () => {
  const records = new HeldRecords();
  const epochs: number[] = [];
  const { request, clock, left } = await openWorld(script(epochs), { records });
  request("/write");
  await settle();
  request("/trap");
  await settle();
  const waiting = request("/read");
  expect(left).toEqual([]);
  clock.advance(SECOND);
  expect(left).toEqual([`${waiting}:whole 500`]);
  records.commits[0]!.keep();
  await settle();
  expect(epochs).toEqual([1, 2]);
  request("/read");
  expect(left.at(-1)).toBe("4:whole 200");
});

test("a slow inventory causes requests to be refused after a second, including earlier ones", async () => {
  const epochs: number[] = [];
  let take = () => {};
  const inventory = async () => {
    if (epochs.length > 0) await new Promise<void>((taken) => (take = taken));
    return NOTHING_FOUND;
  };
  const { request, clock, left } = await openWorld(script(epochs), { inventory });
  request("/trap");
  await settle();
  request("/read");
  clock.advance(999n * MS);
  expect(left).toEqual(["1:whole 500"]);
  clock.advance(MS);
  expect(left).toEqual(["1:whole 500", "2:whole 500"]);
  take();
  await settle();
  request("/read");
  expect(left.at(-1)).toBe("3:whole 200");
  expect(epochs).toEqual([1, 2]);
});
