// A long trace in the playground: thousands of steps and hundreds of containers, with a correct world at every moment.

import { beforeAll, describe, expect, test } from "vitest";
import { openTrace } from "../../hosts/browser/session/recorded/open-trace.js";
import type { Session } from "../../hosts/browser/session/session.js";
import type { Engine } from "../../hosts/embedding/engine.js";
import { openEngine } from "../../hosts/embedding/open.js";
import { simulatedHost } from "../../hosts/simulated/host.js";
import type { World } from "../../hosts/timeline/world.js";
import { Recorder } from "../../hosts/trace/recorder.js";
import { Ring } from "../../hosts/trace/ring.js";
import { CORE } from "./session-fixture.js";

/** This many concurrent clients run one container after the other, each with a volume. */
const CLIENTS = 24;
const LIVES = 18;
/** One in this many is not removed. */
const STAYS = 3;
/** Inputs per segment of the trace. */
const INPUTS = 2000;
const LIST = "/containers/json?all=1";
const SECOND = 1_000_000_000n;

/** What an engine reports about itself at one moment. */
interface Truth {
  states: Record<string, string>;
  volumes: string[];
  onBridge: string[];
  events: number;
}

describe("a long trace", () => {
  let text = "";
  let truths: Truth[] = [];
  let session: Session;

  beforeAll(async () => {
    [text, truths] = await recorded();
    session = await openedTrace("long.ndjson", text);
  });

  test("replays as it was recorded, over all segments", () => {
    expect(session.recording?.remark).toBe("Every step matches the recording.");
    const steps = session.steps.value;
    expect(steps.length).toBeGreaterThan(5000);
    expect(text.match(/^\{"format"/gm)!.length).toBeGreaterThan(2);
    expect(steps.map(({ number }) => number)).toEqual(steps.map((_, place) => place));
  });

  test("is read without blocking other work, until it is cancelled", async () => {
    const shares: number[] = [];
    const wantedTo = async (most: number): Promise<Session | null> =>
      openTrace("long.ndjson", text, CORE, async (share) => shares.push(share) > 0 && share < most);
    expect(await wantedTo(0.3)).toBeNull();
    expect(shares.length).toBeGreaterThan(1);
    expect(shares.at(-1)).toBeLessThan(0.9);
    expect(shares).toEqual(shares.toSorted((a, b) => a - b));
  });

  test("shows the world at its start, in the middle and at its end", () => {
    session.goTo(0);
    expect(shown(session.world.value)).toEqual({ states: {}, volumes: [], onBridge: [], events: 0 });
    expect(truths.map(({ states }) => Object.values(states).filter((state) => state === "running").length)).toEqual([
      CLIENTS,
      0,
    ]);
    expect(looks(session)).toEqual(truths);
    session.goTo(null);
    expect(shown(session.world.value)).toEqual(truths[1]);
  });

  test("that begins during an engine's life shows its end, too", async () => {
    const rest = text.slice(text.indexOf('\n{"format"', text.length / 3) + 1);
    const later = await openedTrace("later.ndjson", rest);
    expect(later.steps.value[0]?.kind).toBe("resumed");
    expect(later.steps.value.length).toBeLessThan(session.steps.value.length);
    expect({ ...shown(later.world.value), events: 0 }).toEqual({ ...truths[1]!, events: 0 });
  });

  // Storing a world for each step would take time and memory that grow with the square of the steps.
  test("stores unchanged state only once", () => {
    const worlds = session.steps.value.map(({ world }) => world);
    const lives = CLIENTS * (LIVES + 1);
    const made = (parts: readonly unknown[]): number => new Set(parts).size / lives;
    expect(made(worlds.flatMap(({ containers }) => containers))).toBeLessThan(8);
    expect(made(worlds.map(({ networks }) => networks))).toBeLessThan(3);
    expect(made(worlds.map(({ volumes }) => volumes))).toBeLessThan(3);
    expect(made(worlds.flatMap(({ volumes }) => volumes))).toBeLessThan(3);
  });
});

/** The world at each request for the engine's list. */
function looks(session: Session): Truth[] {
  const asked = session.steps.value.filter(({ cause }) => cause === `GET ${LIST}`);
  return asked.map(({ number }) => {
    session.goTo(number);
    return shown(session.world.value);
  });
}

function shown({ containers, volumes, networks, events }: World): Truth {
  return {
    states: Object.fromEntries(containers.map(({ name, status }) => [name, status])),
    volumes: volumes.map(({ name }) => name).sort(),
    onBridge: [...(networks.find(({ name }) => name === "bridge")?.containers ?? [])].sort(),
    events: events.length,
  };
}

/** The trace of a busy engine, and what it reported in the middle and at the end. */
async function recorded(): Promise<[text: string, truths: Truth[]]> {
  const ring = new Ring();
  const host = simulatedHost({ seed: 1, pace: "fast" });
  const observer = new Recorder({ core: CORE.hash, sink: ring, inputs: INPUTS });
  const engine = await openEngine({ host, seed: new Uint8Array(32), observer });
  const now = (): bigint => host.timers.now().wall;
  await allClients(async (client) => {
    for (let life = 0; life < LIVES / 2; life += 1) await live(engine, `of-${client}-${life}`);
    // It depends on no timing: time passes as fast as possible.
    await start(engine, `of-${client}`, "cat");
  });
  const truths = [await truth(engine, now())];
  await allClients(async (client) => {
    await ask(engine, "DELETE", `/containers/of-${client}?force=1`);
    for (let life = LIVES / 2; life < LIVES; life += 1) await live(engine, `of-${client}-${life}`);
  });
  truths.push(await truth(engine, now()));
  const text = ring.text();
  await engine.close();
  return [text, truths];
}

async function openedTrace(name: string, text: string): Promise<Session> {
  const session = await openTrace(name, text, CORE, async () => true);
  if (session === null) throw new Error("nobody gave it up");
  return session;
}

async function allClients(act: (client: number) => Promise<void>): Promise<void> {
  await Promise.all(Array.from({ length: CLIENTS }, (_, client) => act(client)));
}

async function live(engine: Engine, name: string): Promise<void> {
  await start(engine, name, "echo hello; sleep 3");
  await ask(engine, "POST", `/containers/${name}/wait`);
  const life = Number(name.slice(name.lastIndexOf("-") + 1));
  if (life % STAYS > 0) await ask(engine, "DELETE", `/containers/${name}`);
}

async function start(engine: Engine, name: string, command: string): Promise<void> {
  const HostConfig = { Binds: [`${name}:/data`] };
  const body = { Image: "busybox", Cmd: ["sh", "-c", command], OpenStdin: true, HostConfig };
  await ask(engine, "POST", `/containers/create?name=${name}`, body);
  await ask(engine, "POST", `/containers/${name}/start`);
}

async function truth(engine: Engine, now: bigint): Promise<Truth> {
  const events = await ask(
    engine,
    "GET",
    `/events?since=0&until=${now / SECOND}.${String(now % SECOND).padStart(9, "0")}`,
  );
  const list = JSON.parse(await ask(engine, "GET", LIST)) as { Names: string[]; State: string }[];
  const volumes = JSON.parse(await ask(engine, "GET", "/volumes")) as { Volumes: { Name: string }[] };
  const bridge = JSON.parse(await ask(engine, "GET", "/networks/bridge")) as { Containers: object };
  return {
    states: Object.fromEntries(list.map(({ Names, State }) => [Names[0]!.slice(1), State])),
    volumes: volumes.Volumes.map(({ Name }) => Name).sort(),
    onBridge: Object.keys(bridge.Containers).sort(),
    events: events.trimEnd().split("\n").length,
  };
}

async function ask(engine: Engine, method: string, path: string, body?: object): Promise<string> {
  const headers = { "Content-Type": "application/json" };
  const sent = body === undefined ? {} : { headers, body: JSON.stringify(body) };
  const response = await engine.fetch(path, { method, ...sent });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status}: ${text}`);
  return text;
}
