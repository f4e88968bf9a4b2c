// An engine's life: opened, crashed, opened again, closed.

import { openEngine, simulatedHost } from "coracle-engine";
import { describe, expect, test } from "vitest";
import type { ImportObject } from "../../build/core/core.js";
import { realClock } from "../../hosts/shared/clock.js";
import { derivedSeeds } from "../../hosts/embedding/seeds.js";
import type { Host, RecordChange, RecordStore } from "../../hosts/shared/host.js";
import { MemoryJournal } from "../../hosts/shared/journal.js";
import { FastRecords, answer, scripted } from "../driver/fake.js";
import { whole } from "../node/scripted-server.js";
import { chunk, hijack, open, scriptedEngine } from "./scripted-engine.js";
import { NOTHING_FOUND } from "../support/nothing-found.js";

describe("opening", () => {
  test("that fails closes records and host, and rejects with the reason", async () => {
    const closed: string[] = [];
    const load = () => Promise.reject(new Error("no such disk"));
    const records = Object.assign(new FastRecords(), { load, close: async () => void closed.push("records") });
    const host = { records, close: async () => void closed.push("host") };
    await expect(scriptedEngine(undefined, {}, host)).rejects.toThrow("no such disk");
    expect(closed).toEqual(["records", "host"]);
  });

  test("starts a transaction of custom records when they need it", async () => {
    const order: string[] = [];
    const records = Object.assign(new FastRecords(), {
      gather: async () => void order.push("gather"),
      commit: async () => void order.push("commit"),
    });
    const { engine } = await scriptedEngine(undefined, { records }, {}, (imports) => {
      const val = { key: "k", value: new Uint8Array() };
      imports["coracle:engine/records"].perform(0n, { tag: "put", val });
    });
    expect(order).toEqual(["gather", "commit"]);
    await engine.close();
  });

  test("of records of a later version is refused, and changes nothing", async () => {
    const host = simulatedHost({ pace: "fast" });
    const changes: RecordChange[] = [];
    const later = { key: "engine/version", value: new TextEncoder().encode("9") };
    const records = Object.assign(new FastRecords(), {
      load: async () => [later],
      commit: async (all: RecordChange[]) => void changes.push(...all),
    });
    const opening = openEngine({ host, records });
    await expect(opening).rejects.toThrow("records of version 9: this engine reads up to 4");
    expect(changes).toEqual([]);
  });

  test("is refused for a host of another engine, and for a closed simulated one", async () => {
    const host = simulatedHost({ pace: "fast" });
    const engine = await openEngine({ host });
    await expect(openEngine({ host })).rejects.toThrow("belongs to another engine");
    expect((await engine.fetch("/_ping")).status).toBe(200);
    await engine.close();
    await expect(openEngine({ host })).rejects.toThrow("the simulated host is closed");
  });
});

describe("a crash", () => {
  test("cuts off pending requests, and later ones are told that the engine is down", async () => {
    const { engine, reply, requests } = await scriptedEngine((request, reply) => {
      if (request.target === "/attach") reply(hijack("c"));
    });
    const waiting = engine.fetch("/wait");
    const answered = engine.fetch("/events");
    reply(requests[1]!.id, open());
    const { body } = await answered;
    const { readable } = await engine.connect("/attach", { method: "POST" });
    engine.crash();
    expect(engine.state).toBe("down");
    await expect(waiting).rejects.toThrow("broke the connection off");
    await expect(body!.getReader().read()).rejects.toThrow("broke the connection off");
    await expect(readable.getReader().read()).rejects.toThrow("broke the connection off");
    await expect(engine.fetch("/info")).rejects.toThrow("fetch failed: the engine is down");
    await expect(engine.connect("/attach")).rejects.toThrow(TypeError);
  });

  test("ends when the engine is opened again, with a later epoch", async () => {
    const world = await scriptedEngine((_request, reply) => reply(whole(200)));
    const { engine, epochs, inputs } = world;
    await engine.fetch("/info");
    engine.crash();
    engine.crash();
    await engine.reopen();
    await engine.reopen();
    expect(engine.state).toBe("open");
    expect(epochs).toEqual([1, 2]);
    expect((await engine.fetch("/info")).status).toBe(200);
    world.happen({ tag: "elapsed", val: 1n });
    world.happen({ tag: "drained", val: { request: 1n, bytes: 1 } });
    expect(inputs).toHaveLength(1);
  });
});

describe("pending commands of a crashed engine", () => {
  test("are abandoned, and have ended before the next life begins", async () => {
    const order: string[] = [];
    let interrupt = (_error: Error): void => {};
    const content: Host["content"] = async (op, command) => {
      order.push(`${command.tag} ${op}`);
      if (command.tag === "ingest") await new Promise((_resolve, reject) => (interrupt = reject));
      else if ("val" in command && command.val === 5n) setTimeout(() => interrupt(new Error("given up")), 20);
      return { tag: "done" };
    };
    const inventory: Host["inventory"] = async () => {
      order.push("inventory");
      return NOTHING_FOUND;
    };
    const ask = (imports: ImportObject) => {
      imports["coracle:engine/content"].perform(5n, {
        tag: "ingest",
        val: { archive: "load", request: 1n, limits: { unpacked: 1n << 40n, holes: 0n } },
      });
      imports["coracle:engine/content"].perform(6n, { tag: "drop-chain", val: "sha256:1" });
    };
    const { engine } = await scriptedEngine((_request, _reply, imports) => ask(imports), {}, { content, inventory });
    engine.fetch("/a").catch(() => {});
    engine.crash();
    await engine.reopen();
    expect(order).toEqual(["inventory", "ingest 5", "drop-chain 6", "abandon 0", "inventory"]);
  });
});

describe("closing", () => {
  test("waits for answers, ends streams, then closes records and host", async () => {
    const { engine, reply, requests, closed } = await scriptedEngine();
    const answered = engine.fetch("/slow");
    const streamed = engine.fetch("/events");
    reply(requests[1]!.id, open());
    const { body } = await streamed;
    const closing = engine.close();
    expect(engine.state).toBe("closed");
    await expect(engine.fetch("/info")).rejects.toThrow("closed");
    reply(requests[0]!.id, whole(204, "", ""));
    expect((await answered).status).toBe(204);
    await closing;
    await expect(body!.getReader().read()).rejects.toThrow("closed");
    expect(closed).toEqual(["records", "host"]);
    await engine.close();
    expect(closed).toHaveLength(2);
    await expect(engine.reopen()).rejects.toThrow("closed");
  });

  test("waits for an answer that takes the core many turns, as long as it makes progress", async () => {
    let turns = 0;
    const core = scripted({
      step: (imports, input) => {
        if (input.tag !== "request" && input.tag !== "elapsed") return;
        // Together they take longer than the time limit for pending answers.
        if (input.tag === "elapsed") Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 250);
        if (++turns > 4) answer(imports, 1n);
        else imports["coracle:engine/timers"].perform(BigInt(turns), { tag: "set", val: 0n });
      },
    });
    const { engine } = await scriptedEngine(undefined, { core }, { timers: realClock });
    const answered = engine.fetch("/large");
    await engine.close();
    expect((await answered).status).toBe(200);
  });

  test("closes everything, even if a part fails", async () => {
    const closed: string[] = [];
    const records = Object.assign(new FastRecords(), { close: () => Promise.reject(new Error("cannot be closed")) });
    const own = Object.assign(new FastRecords(), { close: async () => void closed.push("the host's records") });
    const host = { records: own, close: async () => void closed.push("host") };
    const { engine } = await scriptedEngine(undefined, { records }, host);
    await expect(engine.close()).rejects.toThrow("cannot be closed");
    expect(closed).toEqual(["the host's records", "host"]);
  });

  test("waits for an engine that is being opened again, and commits no records after it", async () => {
    const order: string[] = [];
    let loading: Promise<void> | undefined;
    const records: RecordStore = {
      load: async () => (await loading, []),
      journal: new MemoryJournal(),
      commit: async () => void order.push("commit"),
      close: async () => void order.push("close"),
    };
    const keep = (imports: ImportObject) => imports["coracle:engine/records"].perform(1n, { tag: "delete", val: "k" });
    const { engine } = await scriptedEngine(undefined, { records }, {}, keep);
    engine.crash();
    loading = new Promise((resolve) => setTimeout(resolve, 50));
    const reopened = engine.reopen();
    await new Promise((resolve) => setTimeout(resolve, 10));
    await Promise.all([engine.close(), reopened]);
    await loading;
    expect(order).toEqual(["commit", "commit", "close"]);
    expect(engine.state).toBe("closed");
  });

  test("does not wait forever", async () => {
    const { engine } = await scriptedEngine();
    const never = engine.fetch("/wait");
    never.catch(() => {});
    await engine.close();
    await expect(never).rejects.toThrow("closed");
  });
});

describe("events", () => {
  const MESSAGES = ['{"Type":"container","Action":"start"}\n{"Type":"cont', 'ainer","Action":"die"}\n'];

  test("come one by one, from the moment of the call", async () => {
    const { engine, requests } = await scriptedEngine((_request, reply) => {
      reply(open());
      for (const text of MESSAGES) reply(chunk(text));
      reply({ tag: "end" });
    });
    const events = engine.events({ since: "1", until: "2", filters: { type: ["container"] } });
    expect(requests[0]!.target).toBe("/events?since=1&until=2&filters=%7B%22type%22%3A%5B%22container%22%5D%7D");
    const actions: string[] = [];
    for await (const event of events) actions.push(event.Action);
    expect(actions).toEqual(["start", "die"]);
  });

  test("end when the loop is left, when the signal aborts, and when the engine is closed", async () => {
    const { engine, inputs, requests } = await scriptedEngine((_request, reply) => {
      reply(open());
      reply(chunk(MESSAGES[0]!));
    });
    for await (const event of engine.events()) {
      expect(event.Action).toBe("start");
      break;
    }
    expect(inputs.at(-1)).toEqual({ tag: "closed", val: { request: requests[0]!.id, why: "client" } });
    const aborting = new AbortController();
    const events = engine.events({ signal: aborting.signal });
    await events.next();
    aborting.abort();
    expect(await events.next()).toEqual({ done: true, value: undefined });
    const last = engine.events();
    await last.next();
    const [end] = await Promise.all([last.next(), engine.close()]);
    expect(end.done).toBe(true);
  });

  test("fail when the engine crashes, or refuses", async () => {
    const { engine } = await scriptedEngine((request, reply) => {
      if (request.target.includes("until")) reply(whole(400, '{"message":"invalid until"}'));
      else reply(open());
    });
    await expect(engine.events({ until: "x" }).next()).rejects.toThrow("invalid until");
    const next = engine.events().next();
    engine.crash();
    await expect(next).rejects.toThrow(TypeError);
  });
});

describe("seeds", () => {
  const SEED = new Uint8Array(32).fill(9);

  test("are equal for equal seeds, and different for each opening", () => {
    const [first, again] = [derivedSeeds(SEED), derivedSeeds(SEED)];
    const drawn = [first(), first(), first()];
    expect([again(), again(), again()]).toEqual(drawn);
    expect(new Set(drawn.map(String)).size).toBe(3);
    expect(drawn.every((seed) => seed.length === 32)).toBe(true);
  });

  test("have 32 bytes", async () => {
    await expect(scriptedEngine(undefined, { seed: new Uint8Array(31) })).rejects.toThrow(RangeError);
  });

  test("open the engine's instances", async () => {
    const { engine, seeds } = await scriptedEngine(undefined, { seed: SEED });
    engine.crash();
    await engine.reopen();
    const expected = derivedSeeds(SEED);
    expect(seeds).toEqual([expected(), expected()]);
  });
});

describe("limits", () => {
  test.each([
    ["bodyLimit", -1, 2 ** 32 - 1],
    ["unpackedLimit", 1.5, Number.MAX_SAFE_INTEGER],
    ["unpackedLimit", Infinity, Number.MAX_SAFE_INTEGER],
    ["documentLimit", NaN, 64 << 20],
    ["documentLimit", (64 << 20) + 1, 64 << 20],
    ["layerLimit", 0, 2 ** 32 - 1],
    ["layerLimit", 2 ** 32, 2 ** 32 - 1],
  ])("%s cannot be %d", async (name, limit, most) => {
    await expect(scriptedEngine(undefined, { [name]: limit })).rejects.toThrow(
      new RangeError(`${name} is ${limit}: only whole numbers from 1 to ${most} are possible`),
    );
  });
});
