// Power losses and kills at random moments while clients work: the production driver on the simulated host, with a
// store that loses unflushed data. Everything that clients were told is true after the next start.
// `CORACLE_TEST_POWER_CUTS` sets how many times, `CORACLE_TEST_POWER_CUTS_SEED` the seed, which a run prints.
import { hostWith, openEngine, simulatedHost, type Engine } from "coracle-engine";
import { expect, test } from "vitest";
import { pause, until } from "../support/commands.js";
import { randomFrom } from "../support/random.js";
import type { Answer, Client, CutBy, Door, Tally } from "../support/told/client.js";
import { ContainerClient, type Processes } from "../support/told/container-client.js";
import { ImageClient } from "../support/told/image-client.js";
import { NetworkClient, type Wires } from "../support/told/network-client.js";
import { UnflushedRecords, type Promising } from "../support/records/unflushed-records.js";

const CUTS = Number(process.env["CORACLE_TEST_POWER_CUTS"] ?? 60);
const SEED = Number(process.env["CORACLE_TEST_POWER_CUTS_SEED"] ?? Date.now() % 1_000_000);
/** A hundred are nearly always enough. */
const CUTS_UNTIL_FOUND = 1000;
const CONTAINERS = 5;
/** Clients that make networks. */
const WIRED = 3;
/** Largest number of outputs before the engine ends, if nothing else has ended it within the time. */
const OUTPUTS = 400;
const LONGEST_MS = 300;
/** Longest duration of a flush, in the world's time. */
const LONGEST_FLUSH_NS = 30_000_000;
const TIMES = 30;

test(`${CUTS} cuts: what was promised is kept`, { timeout: 60_000 + CUTS * 10_000, retry: 0 }, async () => {
  console.log(`power losses on the simulated host: seed ${SEED}`);
  const story = await Story.begin(SEED, "flushed");
  try {
    for (let cut = 0; cut < CUTS; cut += 1) await story.cut();
    expect(story.lost).toBeGreaterThan(0);
    await story.clear();
    for (const [step, { answered, cutOff }] of [...story.tally].sort()) {
      console.log(`${step}: ${answered} answered, ${cutOff} cut off`);
    }
  } finally {
    await story.end();
  }
});

test.each([
  ["promises before it has flushed", "written"],
  ["flushes out of order", "out of order"],
] as const)("a store that %s fails the test", { timeout: 600_000 }, async (_, promising) => {
  const story = await Story.begin(SEED, promising);
  const run = async (): Promise<void> => {
    for (let cut = 0; cut < CUTS_UNTIL_FOUND; cut += 1) await story.cut();
  };
  try {
    // A client finds it, and reports what it was told.
    await expect(run()).rejects.toThrow(/\{"(name|networks|pulled)":/);
  } finally {
    await story.end();
  }
});

class Story {
  readonly tally: Tally = new Map();
  /** Lost transactions. */
  lost = 0;
  readonly #clients: Client[] = [];
  #engine!: Engine;
  #isUp = false;
  #by: CutBy = "kill";

  static async begin(seed: number, promising: Promising): Promise<Story> {
    const random = randomFrom(seed);
    const host = simulatedHost({ seed, pace: { times: TIMES } });
    const records = new UnflushedRecords(host.timers, () => BigInt(random(LONGEST_FLUSH_NS)), promising);
    const story = new Story(random, host, records);
    await story.#open();
    return story;
  }

  private constructor(
    private readonly random: (limit: number) => number,
    private readonly host: ReturnType<typeof simulatedHost>,
    private readonly records: UnflushedRecords,
  ) {}

  async #open(): Promise<void> {
    const inventory = (): ReturnType<typeof this.host.inventory> => {
      if (this.#by === "power loss") this.#endProcesses();
      return this.host.inventory();
    };
    this.#engine = await openEngine({ host: hostWith(this.host, { inventory }), records: this.records });
    const door = doorOf(this.#engine);
    const processes: Processes = {
      runs: (pid) => pid > 0,
      isLeft: (id) => this.host.world.processes().some(({ container }) => container === id),
    };
    for (let at = 0; at < CONTAINERS; at += 1) {
      this.#clients.push(new ContainerClient(door, this.random, `of-${at}`, processes));
    }
    const wires: Wires = {
      networks: () => this.host.world.found().networks,
      joinedBy: (id) => {
        const joins = this.host.world.found().joins.filter(({ container }) => container === id);
        return joins.map(({ network }) => network);
      },
    };
    for (let at = 0; at < WIRED; at += 1) {
      this.#clients.push(await NetworkClient.open(door, this.random, `net-${at}`, wires));
    }
    this.#clients.push(await ImageClient.open(door, this.random, "image", "hello-world:latest", "hello"));
  }

  /** Works, ends the engine in one way or the other, starts it again, and checks the state. */
  async cut(): Promise<void> {
    this.#isUp = true;
    const rest = (): Promise<void> => pause(this.random(10));
    const work = Promise.allSettled(this.#clients.map((client) => client.work(() => this.#isUp, rest, this.tally)));
    const { faults } = this.host;
    const lift = faults.inject({ kind: "engine-crash", afterOutputs: 1 + this.random(OUTPUTS) }, 1);
    const deadline = Date.now() + this.random(LONGEST_MS);
    await until("the crash", () => this.#engine.state === "down" || Date.now() > deadline);
    lift();
    this.#engine.crash();
    this.#isUp = false;
    this.#by = this.random(2) === 0 ? "kill" : "power loss";
    if (this.#by === "kill") this.records.keepAll();
    else this.lost += this.records.lose();
    const wrong = (await work).flatMap((one) => (one.status === "rejected" ? [one.reason as unknown] : []));
    if (wrong.length > 0) throw wrong[0];
    await this.#engine.reopen();
    await Promise.all(this.#clients.map((client) => client.check(this.#by)));
  }

  /** Removes everything: nothing of it is left on the machine. */
  async clear(): Promise<void> {
    for (const client of this.#clients) await client.clear();
    const { networks, joins, sandboxes } = this.host.world.found();
    expect([networks.length, joins, sandboxes]).toEqual([1, [], []]);
  }

  async end(): Promise<void> {
    await this.#engine.close();
  }

  /** A power loss also ends all processes. */
  #endProcesses(): void {
    this.host.faults.inject({ kind: "supervisor-lost" });
    this.host.faults.lift("supervisor-lost");
  }
}

function doorOf(engine: Engine): Door {
  return {
    call: async (method, path, body) => answerOf(await engine.fetch(`/v1.41${path}`, { method, ...sent(body) })),
  };
}

function sent(body: unknown): RequestInit {
  if (body === undefined) return {};
  if (body instanceof Uint8Array)
    return { body: new Uint8Array(body), headers: { "Content-Type": "application/x-tar" } };
  return { body: JSON.stringify(body), headers: { "Content-Type": "application/json" } };
}

async function answerOf(response: Response): Promise<Answer> {
  const body = Buffer.from(await response.arrayBuffer());
  const text = body.toString();
  return { status: response.status, body, text, json: <T>() => JSON.parse(text) as T };
}
