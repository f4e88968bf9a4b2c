// The state that another driver needs to continue from a fork.

import { describe, expect, test } from "vitest";
import type { ImportObject } from "../../build/core/core.js";
import type { Input, Outcome } from "../../hosts/shared/host.js";
import type { Fork } from "../../hosts/driver/life.js";
import { HeldRecords, answer, beginWorld, openWorld, put, settle, signal } from "./fake.js";

function setTimer(imports: ImportObject, op: bigint, at: bigint): void {
  imports["coracle:engine/timers"].perform(op, { tag: "set", val: at });
}

/** On `/go` gives one command of each kind; on `/more`, commands that follow a record. */
function step(imports: ImportObject, input: Input): void {
  if (input.tag !== "request") return;
  const { id, target } = input.val;
  if (target === "/go") {
    signal(imports, 1n, "a");
    setTimer(imports, 2n, 1_000n);
    setTimer(imports, 3n, 2_000n);
  } else if (target === "/more") {
    put(imports, "k");
    signal(imports, 4n, "b");
    imports["coracle:engine/timers"].perform(3n, { tag: "cancel" });
  } else answer(imports, id);
}

const NEVER = (): Promise<Outcome> => new Promise(() => {});

async function forked(): Promise<Fork> {
  const { driver, request } = await openWorld({ step }, { records: new HeldRecords(), processes: NEVER });
  request("/go");
  request("/more");
  await settle();
  return driver.fork()!;
}

describe("a fork", () => {
  test("has the pending commands in order, and the outputs that have not left yet", async () => {
    const { pending, lastRequest, epoch } = await forked();
    expect(pending.map(({ to, op, command }) => `${to} ${op} ${command.tag}`)).toEqual([
      "processes 1 signal",
      "timers 2 set",
      "timers 3 set",
      "processes 4 signal",
      "timers 3 cancel",
    ]);
    expect([lastRequest, epoch]).toEqual([2n, 1]);
  });

  test("is continued by another driver, on its own host", async () => {
    const fork = await forked();
    const heard: string[] = [];
    const hears = (imports: ImportObject, input: Input): void => {
      if (input.tag === "request") return step(imports, input);
      heard.push(input.tag === "completed" ? `completed ${input.val.op}` : input.tag);
    };
    const opened = () => Promise.reject(new Error("it is not opened"));
    const world = beginWorld({ step: hears, open: () => expect.unreachable() }, { inventory: opened }, {}, fork);
    await settle();
    expect(world.left).toEqual(["processes:1", "processes:4"]);
    expect(heard).toEqual(["completed 1", "completed 4"]);
    world.clock.advance(5_000n);
    expect(heard.slice(2)).toEqual(["elapsed"]);
    expect(world.request("/answer")).toBe(3n);
    expect(world.left.slice(2)).toEqual(["3:whole 200"]);
  });

  test("is impossible within a step, and for a driver without an instance", async () => {
    const within: (Fork | null)[] = [];
    const world = beginWorld({ step: () => within.push(world.driver.fork()) });
    expect(world.driver.fork()).toBeNull();
    await world.driver.opened;
    world.request("/go");
    expect(within).toEqual([null]);
    expect(world.driver.fork()).not.toBeNull();
    world.driver.cut();
    expect(world.driver.fork()).toBeNull();
  });
});

test("other listeners are told of ends until they unsubscribe", async () => {
  const { driver, happen } = await openWorld({ step });
  const told: string[] = [];
  const exit = { code: 0, outOfMemory: false, lost: false, at: 0n };
  const callOff = driver.onEnd((input) => told.push(input.tag));
  happen({ tag: "exited", val: { container: "a", run: 1, exit } });
  happen({ tag: "out-of-memory", val: { container: "a", run: 1, kills: 1 } });
  callOff();
  happen({ tag: "exited", val: { container: "a", run: 2, exit } });
  expect(told).toEqual(["exited"]);
});
