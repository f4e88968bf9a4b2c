// The engine that all front ends use, with a core scripted by the test.

import { describe, expect, test } from "vitest";
import { AssembledEngine } from "../../hosts/engine/assembled-engine.js";
import type { EngineParts } from "../../hosts/engine/assembled-engine.js";
import type { Clients } from "../../hosts/engine/entrance.js";
import type { DriverOptions } from "../../hosts/driver/driver.js";
import type { Host, ReplyOrCut, RequestId, engine } from "../../hosts/shared/host.js";
import { FastRecords, answer, idleHost, scripted } from "../driver/fake.js";
import type { Script } from "../driver/fake.js";

const OPTIONS = { bodyLimit: 1000, labels: ["old"] } as unknown as DriverOptions["engine"];
const SETTINGS = { labels: ["new"] } as unknown as engine.Settings;

describe("clients that have joined", () => {
  test("get time before the core is told of the shutdown, and are disconnected after it", async () => {
    const order: string[] = [];
    const engine = assembled({ step: (_imports, { tag }) => void order.push(tag) });
    const clients = new Held(order);
    engine.join(clients);
    await engine.open();
    ask(engine);
    const closing = engine.close();
    await expect.poll(() => order).toEqual(["request", "drain"]);
    clients.go();
    await closing;
    expect(order).toEqual(["request", "drain", "closed", "close"]);
  });

  test("may send requests during this time, unlike other clients; then they are cut off", async () => {
    const engine = assembled({
      step: (imports, input) => {
        if (input.tag === "request") answer(imports, input.val.id);
      },
    });
    const clients = new Held([]);
    engine.join(clients);
    await engine.open();
    const closing = engine.close();
    const asked = ask(engine);
    await expect.poll(() => asked.told.map(({ tag }) => tag)).toEqual(["whole"]);
    await expect(engine.fetch("/info")).rejects.toThrow("closed");
    clients.go();
    await closing;
    expect(ask(engine).told).toEqual([{ tag: "cut" }]);
  });
});

test("stateless answers are of another generation once settings, the instance or the state are others", async () => {
  const step: Script["step"] = (imports, input) => {
    if (input.tag !== "request") return;
    answer(imports, input.val.id, 200, true);
    if (input.val.target === "/trap") throw new Error("trapped");
  };
  const engine = assembled({ step });
  let last = engine.generation;
  const hasChanged = (): boolean => last !== (last = engine.generation);
  await engine.open();
  ask(engine);
  expect(hasChanged()).toBe(false);
  engine.reload(SETTINGS);
  expect(hasChanged()).toBe(true);
  ask(engine, "/trap");
  expect(hasChanged()).toBe(true);
  const told = ask(engine).told;
  await expect.poll(() => told.length).toBe(1);
  expect(hasChanged()).toBe(false);
  engine.cut(new Error("cut off"));
  expect(hasChanged()).toBe(true);
  await engine.open();
  expect(hasChanged()).toBe(false);
  await engine.close();
  expect(hasChanged()).toBe(true);
});

describe("the lives of an engine", () => {
  test("are numbered from the last known one, and each gets the reloaded configuration", async () => {
    const told: [epoch: number, labels: string[]][] = [];
    const open: Script["open"] = (_imports, { epoch, labels }) => void told.push([epoch, labels]);
    const engine = assembled({ open, step: () => {} }, { epoch: 7 });
    expect(await engine.open()).toBe(true);
    engine.cut(new Error("cut off"));
    expect(engine.state).toBe("down");
    engine.reload(SETTINGS);
    expect(await engine.open()).toBe(true);
    expect(told).toEqual([
      [8, ["old"]],
      [9, ["new"]],
    ]);
    await engine.close();
  });

  test("one that cannot begin can be started later", async () => {
    let load = (): Promise<engine.Stored[]> => Promise.reject(new Error("no such disk"));
    const records = Object.assign(new FastRecords(), { load: () => load() });
    const engine = assembled({ step: () => {} }, {}, { records });
    await expect(engine.open()).rejects.toThrow("no such disk");
    expect([engine.state, engine.driver]).toEqual(["down", null]);
    load = async () => [];
    expect(await engine.open()).toBe(true);
    await engine.close();
  });

  test("one that is cut off while it begins never opens, and its requests are cut off", async () => {
    let loaded = (_records: engine.Stored[]): void => {};
    const load = (): Promise<engine.Stored[]> => new Promise((resolve) => (loaded = resolve));
    const engine = assembled({ step: () => {} }, {}, { records: Object.assign(new FastRecords(), { load }) });
    const opening = engine.open();
    engine.cut(new Error("cut off"));
    loaded([]);
    await expect(opening).rejects.toThrow("cut");
    expect(engine.state).toBe("down");
    expect(ask(engine).told).toEqual([{ tag: "cut" }]);
  });
});

function assembled(script: Script, more: Partial<EngineParts> = {}, parts: Partial<Host> = {}): AssembledEngine {
  const ends = { lost: () => {}, fatal: () => {} };
  return new AssembledEngine({
    ...{ core: scripted(script), host: idleHost(parts), options: () => OPTIONS, ...ends },
    ...more,
  });
}

/** Sends a request as a server does. `told` collects the replies. */
function ask(engine: AssembledEngine, target = "/info"): { id: RequestId; told: ReplyOrCut[] } {
  const id = engine.nextRequest();
  const told: ReplyOrCut[] = [];
  engine.replies.add(id, { perform: (command) => void told.push(command) });
  const request = { id, listener: "test", method: "GET", target, headers: "", body: { tag: "none" } as const };
  engine.deliver({ tag: "request", val: request });
  return { id, told };
}

/** Clients that read only when the test says so. */
class Held implements Clients {
  go: () => void = () => {};
  readonly #order: string[];

  constructor(order: string[]) {
    this.#order = order;
  }

  drain(): Promise<void> {
    this.#order.push("drain");
    return new Promise((resolve) => (this.go = resolve));
  }

  close(): void {
    this.#order.push("close");
  }
}
