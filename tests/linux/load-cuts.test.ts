// Kills the daemon at random moments while many clients work with it, and sometimes again while it starts: everything
// that a client was told is true after the next start, and at the end nothing is left over. `CORACLE_TEST_CUTS` sets
// how many times; `CORACLE_TEST_CUTS_SEED` sets the seed, which a run prints.
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { takeCensus, type Census } from "../support/measured/census.js";
import { pause, until } from "../support/commands.js";
import type { DaemonProcess } from "../support/daemon-process.js";
import { EngineClient } from "../support/engine-client.js";
import { missingLinux, startCoracle } from "../support/engines.js";
import { startMemoryRegistry, type MemoryRegistry } from "../support/registry/memory-registry.js";
import { describeUnless } from "../support/on-engines.js";
import { randomFrom } from "../support/random.js";
import { tarOf } from "../support/archives/images.js";
import { commandLineOf, findProcesses } from "../support/processes.js";
import { packImage } from "../support/registry/push-image.js";
import type { Client, Tally } from "../support/told/client.js";
import { ContainerClient, type Processes } from "../support/told/container-client.js";
import { EventReader } from "../support/told/event-reader.js";
import { ImageClient } from "../support/told/image-client.js";

const missing = missingLinux();
const CUTS = Number(process.env["CORACLE_TEST_CUTS"] ?? (process.env["CI"] === "true" ? 30 : 5));
const SEED = Number(process.env["CORACLE_TEST_CUTS_SEED"] ?? Date.now() % 1_000_000);
const CONTAINERS = 6;
const IMAGES = 2;
/** Largest number of answers, and longest working time, before the daemon is killed. */
const ANSWERS = 25;
const LONGEST_MS = 4000;
/** Longest time from the last of these answers to the kill. */
const LATER_MS = 60;
/** Longest pause between two requests. */
const REST_MS = 150;
/** One in this many starts is cut off too, within this time. */
const START_CUTS = 3;
const START_MS = 500;
const CALM_MS = 3000;

type Held = Omit<Census, "openFiles"> & { readonly stored: readonly string[] };

describeUnless(missing, "the daemon killed under load", () => {
  const random = randomFrom(SEED);
  const ids = new Set<string>();
  const clients: Client[] = [];
  const tally: Tally = new Map();
  let registry: MemoryRegistry;
  let daemon: DaemonProcess;
  let engine: EngineClient;
  let before: Held;
  let isUp = false;

  beforeAll(async () => {
    daemon = await startCoracle(["--insecure-registry", "10.213.0.0/16"]);
    engine = new EngineClient(daemon.socketPath);
    registry = await startMemoryRegistry(daemon.netns.hostAddress);
    for (let at = 0; at < CONTAINERS; at += 1) {
      clients.push(new ContainerClient(engine, random, `of-${at}`, HERE, ids));
    }
    for (let at = 0; at < IMAGES; at += 1) {
      const reference = await published(`image-${at}`);
      clients.push(await ImageClient.open(engine, random, `image-${at}`, reference, "note"));
    }
    await engine.run({ Cmd: ["true"] });
    before = await calmCensus();
  });
  afterAll(async () => {
    await daemon?.close();
    await registry?.close();
  });

  test(`${CUTS} times: what was promised is kept`, { timeout: 60_000 + CUTS * 30_000, retry: 0 }, async () => {
    console.log(`the daemon killed under load: seed ${SEED}`);
    const reader = new EventReader(engine);
    let events = 0;
    for (let cut = 0; cut < CUTS; cut += 1) {
      const reading = reader.read();
      await workUntilKilled();
      await reading;
      await startAgain();
      events += await reader.check();
      await Promise.all(clients.map((client) => client.check("kill")));
      if ((cut + 1) % 100 === 0) console.log(`${cut + 1} cuts`);
    }
    console.log(`${events} events`);
    for (const [step, { answered, cutOff }] of [...tally].sort()) {
      console.log(`${step}: ${answered} answered, ${cutOff} cut off`);
    }
    expect(events).toBeGreaterThan(0);
    expect(answered()).toBeGreaterThan(CUTS);
    expect([...tally.values()].some(({ cutOff }) => cutOff > 0)).toBe(true);
    for (const client of clients) await client.clear();
    expect(await engine.read("/containers/json?all=1")).toEqual([]);
    expect((await engine.read<{ Volumes: unknown }>("/volumes")).Volumes).toEqual([]);
    await until("calm", async () => JSON.stringify(await census()) === JSON.stringify(before)).catch(() => {});
    expect(await census()).toEqual(before);
  });

  /** An image of two layers, the upper one with a file `note`. */
  async function published(name: string): Promise<string> {
    const ballast = { name: "ballast", body: Buffer.alloc(1 << 20, name) };
    const layers = [await tarOf([ballast]), await tarOf([{ name: "note", body: `pulled by ${name}` }])];
    registry.put(name, ["1"], packImage({ reference: null, config: { Cmd: ["true"] }, layers }));
    return `${registry.host}/${name}:1`;
  }

  async function workUntilKilled(): Promise<void> {
    isUp = true;
    const rest = (): Promise<void> => pause(random(REST_MS));
    const work = Promise.allSettled(clients.map((client) => client.work(() => isUp, rest, tally)));
    const enough = answered() + random(ANSWERS);
    const deadline = Date.now() + LONGEST_MS;
    await until("answers", () => answered() >= enough || Date.now() > deadline, { everyMs: 5 });
    await pause(random(LATER_MS));
    isUp = false;
    await daemon.end("SIGKILL");
    const wrong = (await work).flatMap((one) => (one.status === "rejected" ? [one.reason as unknown] : []));
    if (wrong.length > 0) throw wrong[0];
  }

  function answered(): number {
    return [...tally.values()].reduce((sum, { answered }) => sum + answered, 0);
  }

  /** A start that was cut off is completed by the next one. */
  async function startAgain(): Promise<void> {
    while (random(START_CUTS) === 0) {
      const cutOff = daemon.start().then(
        () => {},
        () => {},
      );
      await pause(random(START_MS));
      await daemon.end("SIGKILL");
      await cutOff;
    }
    await daemon.start();
  }

  /** The stable state: unchanged for longer than any cleanup after an answer takes. */
  async function calmCensus(): Promise<Held> {
    let last = await census();
    await until("what is held stays the same", async () => {
      await pause(CALM_MS);
      const before = JSON.stringify(last);
      last = await census();
      return JSON.stringify(last) === before;
    });
    return last;
  }

  async function census(): Promise<Held> {
    const { openFiles: _, ...rest } = await takeCensus(daemon, [...ids]);
    const { dataRoot } = daemon.directories;
    const stored = ["layers", "layers/tmp", "blobs/sha256", "containers", "volumes", "archives"].map((name) => {
      return `${name}: ${namesIn(join(dataRoot, name)).join(" ")}`;
    });
    return { ...rest, stored };
  }

  function namesIn(directory: string): string[] {
    try {
      // Objects under construction have a directory, which appears with the first and stays.
      return readdirSync(directory)
        .filter((name) => name !== "tmp")
        .sort();
    } catch {
      return [];
    }
  }
});

/** Processes of this machine. A supervisor may take a moment longer than its container. */
const HERE: Processes = {
  runs: (pid) => commandLineOf(pid) !== "",
  isLeft: (id) => findProcesses("conmon", id).length > 0,
};
