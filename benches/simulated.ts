// How fast is the simulated engine, how much faster than real time is it, and what do ten thousand containers cost?
// Runs in this program, without a socket. Processor time is reported too, because elapsed time depends on other work on
// the machine.
import { setImmediate } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { openEngine } from "../hosts/embedding/open.js";
import type { Engine } from "../hosts/embedding/engine.js";
import type { Observer } from "../hosts/driver/index.js";
import { simulatedHost } from "../hosts/simulated/index.js";
import type { SimulatedHost } from "../hosts/simulated/index.js";
import { round, timed, type Answer, type Sizes } from "./question.js";

/**
 * Lives last from one to ten minutes, evenly distributed. Of every three, one has a health check, and one fails and is
 * restarted as often as its restart policy allows.
 */
const INTERVAL_S = 30;
const RETRIES = 2;
const SHORTEST_S = 60;
const LONGEST_S = 600;
const MINUTE_NS = 60_000_000_000n;

/** Containers run before measuring, so that the platform has compiled its code. */
const WARMING = 200;

export async function simulated(sizes: Sizes): Promise<Answer[]> {
  const many = sizes.simulatedContainers;
  return [
    await stepsASecond(sizes),
    await outrunning(sizes),
    await memoryOf(`${many} simulated containers that have exited`, many, exited),
    await memoryOf(`${many} running simulated containers`, many, (engine) =>
      start(engine, { Cmd: ["sleep", "864000"] }),
    ),
  ];
}

/** Creates, starts, awaits and removes one container after the other. */
async function stepsASecond({ requests }: Sizes): Promise<Answer> {
  const steps = new StepCount();
  const { engine } = await open(steps);
  for (let i = 0; i < Math.min(requests, WARMING); i += 1) await runOne(engine);
  const before = steps.count;
  const { ms, busyMs } = await busy(async () => {
    for (let i = 0; i < requests; i += 1) await runOne(engine);
  });
  const counted = steps.count - before;
  await engine.close();
  const [lives, perSteps] = [(requests / ms) * 1000, (busyMs / counted) * 1000];
  const note = `${round(lives)} containers a second; ${round(perSteps)} µs of processor a step`;
  return { question: "simulated steps", unit: "/s", figures: { simulated: (counted / ms) * 1000 }, note };
}

/** Keeps the number of containers constant: each one that ends is removed and replaced. */
async function outrunning({ simulatedLives: living, simulatedMinutes: minutes, requests }: Sizes): Promise<Answer> {
  const { engine, host } = await open();
  for (let i = 0; i < Math.min(requests, WARMING); i += 1) await runOne(engine);
  const ends = host.timers.now().monotonic + BigInt(minutes) * MINUTE_NS;
  let [lives, over] = [0, false];
  const live = async (place: number): Promise<void> => {
    while (!over) {
      lives += 1;
      const seconds = SHORTEST_S + ((place * 7919 + lives * 104_729) % (LONGEST_S - SHORTEST_S));
      await liveOnce(engine, place, seconds);
    }
  };
  let all: Promise<void>[] = [];
  const { ms, busyMs } = await busy(async () => {
    all = Array.from({ length: living }, (_, place) => live(place));
    await new Promise<void>((resolve) => void host.timers.at(ends, resolve));
  });
  over = true;
  const ended = lives - living;
  await Promise.all(all);
  await engine.close();
  const passed = minutes * 60_000;
  const alone = `${round(passed / busyMs)} times the processor's time`;
  const kinds = `of each three one is probed every ${INTERVAL_S} s, and one fails and is restarted ${RETRIES} times`;
  return {
    question: `simulated time over real time, ${living} containers coming and going, with health checks and restart policies`,
    unit: "times",
    figures: { simulated: passed / ms },
    goal: { says: "at least 1000 times", reached: (figure) => figure >= 1000 },
    note: `each for a minute to ten, ${kinds}; ${ended} ended in ${minutes} minutes; ${alone}`,
  };
}

/**
 * A life of this many seconds: one run, with or without a health check, or as many runs as its restart policy makes.
 */
async function liveOnce(engine: Engine, place: number, seconds: number): Promise<void> {
  if (place % 3 === 0) return runOne(engine, ["sleep", String(seconds)]);
  if (place % 3 === 1) {
    const probe = { Test: ["CMD", "true"], Interval: INTERVAL_S * 1e9 };
    const { State } = await runAll(engine, { Cmd: ["sleep", String(seconds)], Healthcheck: probe }, 1);
    if (!State.Health?.Log.some(({ ExitCode }) => ExitCode === 0))
      throw new Error("a container was never found healthy");
    return;
  }
  const run = `sleep ${seconds / (RETRIES + 1)}; exit 3`;
  const policy = { Name: "on-failure", MaximumRetryCount: RETRIES };
  const body = { Cmd: ["sh", "-c", run], HostConfig: { RestartPolicy: policy } };
  const { State, RestartCount } = await runAll(engine, body, RETRIES + 1);
  if (State.Running || RestartCount !== RETRIES) throw new Error(`a container was restarted ${RestartCount} times`);
}

interface Ended {
  State: { Running: boolean; Health?: { Log: { ExitCode: number }[] } };
  RestartCount: number;
}

/** Runs a container until it has exited this many times, and removes it. Returns what was observed before. */
async function runAll(engine: Engine, body: Body, exits: number): Promise<Ended> {
  const id = await start(engine, body);
  for (let i = 0; i < exits; i += 1) await done(engine.fetch(`/containers/${id}/wait`, { method: "POST" }));
  const ended = JSON.parse(await done(engine.fetch(`/containers/${id}/json`))) as Ended;
  await done(engine.fetch(`/containers/${id}`, { method: "DELETE" }));
  return ended;
}

async function memoryOf(what: string, count: number, add: (engine: Engine) => Promise<unknown>): Promise<Answer> {
  const { engine, host } = await open();
  await add(engine);
  const before = await memoryHeld();
  for (let i = 1; i < count; i += 1) await add(engine);
  const after = await memoryHeld();
  const [heap, rest] = [after.heap - before.heap, after.rest - before.rest];
  const running = host.world.processes().length;
  await engine.close();
  const each = `${Math.round((heap + rest) / (count - 1))} bytes each`;
  const resident = round((after.resident - before.resident) / 1e6);
  const parts = `JavaScript's heap ${round(heap / 1e6)} MB, wasm memory and bytes ${round(rest / 1e6)} MB, of all that ${resident} MB resident`;
  return {
    question: `memory of ${what}`,
    unit: "MB",
    figures: { simulated: (heap + rest) / 1e6 },
    note: `${each}; ${parts}; ${running} processes`,
  };
}

async function open(observer?: Observer): Promise<{ engine: Engine; host: SimulatedHost }> {
  const host = simulatedHost({ seed: 1, pace: "fast" });
  const engine = await openEngine({ host, seed: new Uint8Array(32), ...(observer && { observer }) });
  return { engine, host };
}

class StepCount implements Observer {
  count = 0;
  opened(): void {}
  lost(): void {}
  stepped(): void {
    this.count += 1;
  }
}

interface Body {
  Cmd: string[];
  Healthcheck?: object;
  HostConfig?: object;
}

async function runOne(engine: Engine, command: string[] = ["true"]): Promise<void> {
  const id = await exited(engine, command);
  await done(engine.fetch(`/containers/${id}`, { method: "DELETE" }));
}

async function exited(engine: Engine, command: string[] = ["true"]): Promise<string> {
  const id = await start(engine, { Cmd: command });
  await done(engine.fetch(`/containers/${id}/wait`, { method: "POST" }));
  return id;
}

async function start(engine: Engine, own: Body): Promise<string> {
  const HostConfig = { NetworkMode: "none", ...own.HostConfig };
  const body = JSON.stringify({ Image: "busybox", ...own, HostConfig });
  const headers = { "Content-Type": "application/json" };
  const created = await done(engine.fetch("/containers/create", { method: "POST", headers, body }));
  const { Id } = JSON.parse(created) as { Id: string };
  await done(engine.fetch(`/containers/${Id}/start`, { method: "POST" }));
  return Id;
}

async function done(asked: Promise<Response>): Promise<string> {
  const response = await asked;
  const text = await response.text();
  if (!response.ok) throw new Error(`${response.status}: ${text}`);
  return text;
}

/** How long it takes, and how much processor time it uses, including garbage collection. */
async function busy(act: () => Promise<unknown>): Promise<{ ms: number; busyMs: number }> {
  const before = process.cpuUsage();
  const ms = await timed(act);
  const { user, system } = process.cpuUsage(before);
  return { ms, busyMs: (user + system) / 1000 };
}

/**
 * Bytes in use after garbage collection: JavaScript's heap, and the memory outside it (wasm memories, which double when
 * they grow, and typed arrays). `resident`: resident memory of the process.
 */
async function memoryHeld(): Promise<{ heap: number; rest: number; resident: number }> {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  // Twice, in separate turns: the second collection frees what the first finalized, including an engine's memory.
  for (let i = 0; i < 2; i += 1) {
    await setImmediate();
    collect();
  }
  const { heapUsed, external, rss } = process.memoryUsage();
  return { heap: heapUsed, rest: external, resident: rss };
}
