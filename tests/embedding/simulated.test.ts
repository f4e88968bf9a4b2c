// An engine on the simulated host, through the package's exports.

import { MemoryJournal, Recorder, Ring, coreIdentity, decodeTrace, hostWith, openEngine, realClock, replay, simulatedHost } from "coracle-engine"; // prettier-ignore
import type { Engine, EngineOptions, RecordStore, SimulatedHost, SimulatedOptions } from "coracle-engine";
import { describe, expect, onTestFinished, test } from "vitest";
import { moving } from "../../hosts/embedding/moving.js";
import { frames } from "../support/frames.js";

const JSON_BODY = { "content-type": "application/json" };
const SEED = new Uint8Array(32).fill(5);

describe("first images", () => {
  test("a new engine has them; a removed one does not come back", async () => {
    const { engine } = await opened({ images: ["busybox:latest", "alpine:latest"] });
    expect(await tags(engine)).toEqual(["alpine:latest", "busybox:latest"]);
    await engine.fetch("/images/alpine:latest", { method: "DELETE" });
    engine.crash();
    await engine.reopen();
    expect(await tags(engine)).toEqual(["busybox:latest"]);
  });

  test("an engine that crashed while it loaded them loads them when it is opened again", async () => {
    const host = simulatedHost({ pace: "fast", images: ["busybox:latest", "alpine:latest"] });
    host.faults.inject({ kind: "engine-crash", afterOutputs: 8 }, 1);
    const engine = await openEngine({ host });
    onTestFinished(() => engine.close());
    expect(engine.state).toBe("down");
    await engine.reopen();
    expect(await tags(engine)).toEqual(["alpine:latest", "busybox:latest"]);
  });
});

test("the newest API version can be an older one, but none that the core does not know", async () => {
  const host = (): SimulatedHost => simulatedHost({ pace: "fast", images: [] });
  const engine = await openEngine({ host: host(), maxApiVersion: "1.41" });
  onTestFinished(() => engine.close());
  expect((await engine.fetch("/_ping")).headers.get("api-version")).toBe("1.41");
  expect((await engine.fetch("/v1.42/info")).status).toBe(400);
  const refused = openEngine({ host: host(), maxApiVersion: "1.99" });
  await expect(refused).rejects.toThrow('invalid API version "1.99": it must be from 1.24 to 1.55');
});

describe("a crash", () => {
  test("comes on demand, after any output, and the engine recovers", async () => {
    for (let afterOutputs = 1; afterOutputs <= 12; afterOutputs++) {
      const { engine, host } = await opened();
      const id = await create(engine);
      host.faults.inject({ kind: "engine-crash", afterOutputs }, 1);
      await engine.fetch(`/containers/${id}/start`, { method: "POST" }).catch(() => null);
      host.faults.lift("engine-crash");
      if (engine.state === "down") await engine.reopen();
      await engine.fetch(`/containers/${id}/start`, { method: "POST" });
      const waited = await engine.fetch(`/containers/${id}/wait`, { method: "POST" });
      expect(await waited.json(), `after ${afterOutputs} outputs`).toMatchObject({ StatusCode: 7 });
      expect((await engine.fetch(`/containers/${id}`, { method: "DELETE" })).status).toBe(204);
      await engine.close();
    }
  });
});

test("a request without a connection cannot become a websocket", async () => {
  const { engine } = await opened();
  const id = await create(engine);
  for (const path of [`/containers/${id}/attach/ws?stream=1`, `/v1.41/containers/${id}/attach/ws`]) {
    const answer = await engine.fetch(path);
    expect([answer.status, await answer.json()]).toEqual([
      501,
      { message: "there is no connection here that could become a websocket: attach without one" },
    ]);
  }
  await engine.close();
});

test("an exec is a pair of streams: it echoes its input, until the program's half-close ends it", async () => {
  const { engine } = await opened();
  const id = await create(engine, ["sleep", "3600"]);
  await engine.fetch(`/containers/${id}/start`, { method: "POST" });
  const Id = await created(engine, `/containers/${id}/exec`, {
    Cmd: ["cat"],
    AttachStdin: true,
    AttachStdout: true,
    Tty: false,
  });
  const connection = await engine.connect(`/exec/${Id}/start`, { method: "POST", headers: JSON_BODY, body: "{}" });
  expect([connection.status, connection.refusal]).toEqual([101, null]);
  const reader = connection.readable.getReader();
  const writer = connection.writable.getWriter();
  for (const line of ["first\n", "second\n"]) {
    await writer.write(new TextEncoder().encode(line));
    const { value } = await reader.read();
    expect(frames(Buffer.from(value!))).toEqual({ stdout: line, stderr: "" });
  }
  await writer.close();
  expect((await reader.read()).done).toBe(true);
  const ended = await engine.fetch(`/exec/${Id}/json`);
  expect(await ended.json()).toMatchObject({ Running: false, ExitCode: 0 });
});

test("custom records: another engine, on another host, continues from them", async () => {
  const kept = new Map<string, Uint8Array>();
  const journal = new MemoryJournal();
  const records: RecordStore = {
    load: async () => [...kept].map(([key, value]) => ({ key, value })).toSorted((a, b) => (a.key < b.key ? -1 : 1)),
    journal,
    commit: async (changes) => {
      for (const { tag, val } of changes) {
        if (tag === "put") kept.set(val.key, val.value);
        else if (tag === "delete") kept.delete(val);
        else journal.append(val);
      }
    },
    close: async () => {},
  };
  const first = await opened({}, { records });
  const id = await create(first.engine);
  await first.engine.close();
  const { engine } = await opened({}, { records });
  const { Id } = (await (await engine.fetch(`/containers/${id}/json`)).json()) as { Id: string };
  expect(Id).toBe(id);
  // Its layers stayed with the first host, and only a new engine gets the first images.
  const started = await engine.fetch(`/containers/${id}/start`, { method: "POST" });
  expect([started.status, await started.text()]).toEqual([500, expect.stringContaining("does not exist")]);
});

test("waiting for a world that advances by itself uses no CPU time", async () => {
  let looks = 0;
  const timers = { ...realClock, step: async () => false, get pace() { return looks++, "fast" }, next: null }; // prettier-ignore
  const host = hostWith(simulatedHost(), { timers });
  expect(await moving(host, new Promise((resolve) => setTimeout(() => resolve("over"), 100)))).toBe("over");
  expect(looks).toBeLessThan(20);
});

test("equal seeds give equal ids, other seeds give other ids", async () => {
  const ids = async (seed: Uint8Array): Promise<string[]> => {
    const { engine } = await opened({ pace: "stopped" }, { seed });
    const first = await create(engine);
    engine.crash();
    await engine.reopen();
    return [first, await create(engine)];
  };
  const [one, same, other] = [await ids(SEED), await ids(SEED), await ids(new Uint8Array(32))];
  expect(same).toEqual(one);
  expect(new Set([...one, ...other]).size).toBe(4);
});

test("a recorded life can be replayed with the same result", async () => {
  const ring = new Ring();
  const { engine } = await opened({}, { observer: new Recorder({ core: coreIdentity(), sink: ring }) });
  const id = await create(engine);
  await engine.fetch(`/containers/${id}/start`, { method: "POST" });
  engine.crash();
  await engine.reopen();
  await engine.fetch(`/containers/${id}/wait`, { method: "POST" });
  const trace = decodeTrace(ring.text());
  const { compared, difference, snapshot } = replay(trace);
  expect(difference).toBe(null);
  expect(compared).toBe(trace.segments.reduce((sum, { calls }) => sum + calls.length, 0) + 2);
  expect(snapshot!.length).toBeGreaterThan(100);
});

test("events of a life, one by one", async () => {
  const { engine } = await opened();
  const events = engine.events({ filters: { type: ["container"] } });
  const id = await create(engine);
  await engine.fetch(`/containers/${id}/start`, { method: "POST" });
  const actions: string[] = [];
  for await (const { Action, Actor } of events) {
    expect(Actor.ID).toBe(id);
    actions.push(Action);
    if (Action === "die") break;
  }
  expect(actions).toEqual(["create", "start", "die"]);
});

test("the rules are the core's", async () => {
  const { engine } = await opened();
  expect(engine.rules()).toContainEqual({ from: "created", cause: "start", to: "starting" });
});

async function opened(
  world: SimulatedOptions = {},
  options: Partial<EngineOptions> = {},
): Promise<{ engine: Engine; host: SimulatedHost }> {
  const host = simulatedHost({ pace: "fast", ...world });
  const engine = await openEngine({ host, ...options });
  onTestFinished(() => engine.close());
  return { engine, host };
}

function create(engine: Engine, Cmd = ["sh", "-c", "exit 7"]): Promise<string> {
  return created(engine, "/containers/create", { Image: "busybox", Cmd });
}

async function created(engine: Engine, path: string, body: object): Promise<string> {
  const response = await engine.fetch(path, { method: "POST", headers: JSON_BODY, body: JSON.stringify(body) });
  expect(response.status).toBe(201);
  return ((await response.json()) as { Id: string }).Id;
}

async function tags(engine: Engine): Promise<string[]> {
  const images = (await (await engine.fetch("/images/json")).json()) as { RepoTags: string[] }[];
  return images.flatMap(({ RepoTags }) => RepoTags).toSorted();
}
