// What does the flight recorder cost? Sends the same requests alternately to two of our daemons, one with it and one
// without.
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { engines, RunningEngine, startWithBusybox, type Engine } from "../tests/support/engines.js";
import { openLoadClient, type LoadClient } from "./load.js";
import { Processor } from "./processor.js";
import { Rounds, round, timed, under, type Answer, type Sizes } from "./question.js";
import { expectStatus, idOf, onWire, requestBytes, type Wire } from "./wire.js";

/** The largest allowed cost. A short answer takes about 50 µs, so a few µs are already a lot. */
const MOST_PERCENT = 10;
const CREATE = requestBytes("POST", "/containers/create", { Image: "busybox", Cmd: ["sleep", "100000"] });
/** Lines wait up to a tenth of a second for others before they are written. */
const WRITTEN_MS = 500;

interface Pair {
  on: Side;
  off: Side;
}

interface Side {
  engine: RunningEngine;
  processor: Processor | null;
}

/** With containers that really run, where possible. */
export async function recorder(sizes: Sizes): Promise<Answer[]> {
  const engine = engines().find(({ kind, missing }) => kind !== "reference" && missing === null)!;
  const pair = { on: await started(engine, "on", []), off: await started(engine, "off", ["--trace=false"]) };
  const client = await openLoadClient();
  try {
    return [...(await looking(pair, sizes, client)), ...(await acting(pair, sizes)), await bytes(pair.on, sizes)];
  } finally {
    await client.close();
    for (const { engine, processor } of Object.values(pair)) {
      await engine.daemon.close();
      await processor?.close();
    }
  }
}

async function started(kind: Engine, name: string, flags: string[]): Promise<Side> {
  const engine = new RunningEngine(kind, await startWithBusybox(kind, flags));
  const processor = Processor.of(engine, name);
  await onWire(engine, async (wire) => {
    await expectStatus(wire, requestBytes("POST", "/containers/create?name=watched", { Image: "busybox" }), 201);
    for (let i = 0; i < 20; i += 1) await expectStatus(wire, CREATE, 201);
  });
  return { engine, processor };
}

/**
 * Read requests: the mean of each of many short rounds, so that other work on the machine affects both sides equally.
 */
async function looking(pair: Pair, { rounds, requests }: Sizes, client: LoadClient): Promise<Answer[]> {
  const few = Math.ceil(requests / 4);
  const ask =
    (target: string) =>
    async ({ socketPath }: RunningEngine): Promise<number> =>
      (1000 * (await client.ask(socketPath, target, few, 1))) / few;
  return [
    await compared(pair, rounds * 4, "list of no volumes", ask("/v1.41/volumes"), few),
    await compared(pair, rounds * 4, "inspect", ask("/v1.41/containers/watched/json"), few),
    await compared(pair, rounds * 4, "list of 21", ask("/v1.41/containers/json?all=1"), few),
  ];
}

async function acting(pair: Pair, { rounds }: Sizes): Promise<Answer[]> {
  const create = (engine: RunningEngine): Promise<number> =>
    onWire(engine, async (wire) => {
      const ms = await timed(() => expectStatus(wire, CREATE, 201));
      await remove(wire, idOf(wire));
      return ms * 1000;
    });
  const start = (engine: RunningEngine): Promise<number> =>
    onWire(engine, async (wire) => {
      await expectStatus(wire, CREATE, 201);
      const id = idOf(wire);
      const ms = await timed(() => expectStatus(wire, requestBytes("POST", `/containers/${id}/start`), 204));
      await remove(wire, id);
      return ms * 1000;
    });
  const created = await compared(pair, rounds * 5, "create", create);
  return [created, await compared(pair, rounds * 2, "start", start)];
}

function remove(wire: Wire, id: string): Promise<void> {
  return expectStatus(wire, requestBytes("DELETE", `/containers/${id}?force=1`), 204);
}

/**
 * Microseconds, and what the recorder adds to them: the median of the differences between two consecutive rounds.
 * `requests`: requests per round, if the processor time of each must be reported too.
 */
async function compared(
  { on, off }: Pair,
  rounds: number,
  what: string,
  act: (engine: RunningEngine) => Promise<number>,
  requests?: number,
): Promise<Answer> {
  const measured = new Rounds();
  const busy = { on: 0, off: 0 };
  const take = async (name: "on" | "off", { engine, processor }: Side): Promise<number> => {
    const before = processor?.seconds() ?? 0;
    const micros = await act(engine);
    busy[name] += (processor?.seconds() ?? 0) - before;
    measured.add(name, micros);
    return micros;
  };
  // The two sides alternate in going first.
  for (let i = 0; i < rounds; i += 1) {
    const first = i % 2 === 0 ? await take("on", on) : 0;
    const plain = await take("off", off);
    const recorded = i % 2 === 0 ? first : await take("on", on);
    measured.add("percent", 100 * (recorded / plain - 1));
  }
  const { on: recorded = NaN, off: plain = NaN, percent = NaN } = measured.medians();
  const each = (seconds: number): string => round((seconds * 1e6) / (rounds * (requests ?? 1)));
  const spent =
    requests === undefined || busy.off === 0
      ? ""
      : `; of the processor ${each(busy.on)} instead of ${each(busy.off)} µs`;
  return {
    question: `the flight recorder's part of ${what}`,
    unit: "%",
    figures: { [on.engine.kind]: percent },
    goal: under(MOST_PERCENT, "%"),
    note: `${round(recorded)} µs instead of ${round(plain)} µs${spent}`,
  };
}

async function bytes({ engine }: Side, { requests }: Sizes): Promise<Answer> {
  const directory = directoryOf(engine);
  await sleep(WRITTEN_MS);
  const before = bytesIn(directory);
  await onWire(engine, async (wire) => {
    // A ping like one just before does not reach the core.
    for (let i = 0; i < requests; i += 1) await expectStatus(wire, requestBytes("GET", `/_ping?${i}`), 200);
  });
  await sleep(WRITTEN_MS);
  const figures = { [engine.kind]: (bytesIn(directory) - before) / requests };
  return { question: "the flight recorder's bytes for a ping", unit: "bytes", figures };
}

function directoryOf({ kind, daemon: { directories } }: RunningEngine): string {
  return kind === "simulated" ? `${directories.socketPath}.trace` : join(directories.dataRoot, "trace");
}

function bytesIn(directory: string): number {
  return readdirSync(directory).reduce((sum, name) => sum + statSync(join(directory, name)).size, 0);
}
