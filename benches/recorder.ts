// What does the flight recorder cost? Two daemons of ours, one with it and one without, are asked the same in turns.
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { engines, RunningEngine, startWithBusybox, type Engine } from "../tests/support/engines.js";
import { openLoadClient, type LoadClient } from "./load.js";
import { Rounds, round, timed, under, type Answer, type Sizes } from "./question.js";
import { expectStatus, idOf, onWire, requestBytes, type Wire } from "./wire.js";

/** What it may cost. */
const MOST_PERCENT = 5;
const CREATE = requestBytes("POST", "/containers/create", { Image: "busybox", Cmd: ["sleep", "100000"] });
const PING = requestBytes("GET", "/_ping");
/** Lines wait a tenth of a second for others before they are written. */
const WRITTEN_MS = 500;

interface Pair {
  on: RunningEngine;
  off: RunningEngine;
}

/** With containers that run for real, where that can be. */
export async function recorder(sizes: Sizes): Promise<Answer[]> {
  const engine = engines().find(({ kind, missing }) => kind !== "reference" && missing === null)!;
  const pair = { on: await started(engine, []), off: await started(engine, ["--trace=false"]) };
  const client = await openLoadClient();
  try {
    return [...(await looking(pair, sizes, client)), ...(await acting(pair, sizes)), await bytes(pair, sizes)];
  } finally {
    await client.close();
    for (const { daemon } of Object.values(pair)) await daemon.close();
  }
}

async function started(engine: Engine, flags: string[]): Promise<RunningEngine> {
  const running = new RunningEngine(engine, await startWithBusybox(engine, flags));
  await onWire(running, async (wire) => {
    await expectStatus(wire, requestBytes("POST", "/containers/create?name=watched", { Image: "busybox" }), 201);
    for (let i = 0; i < 20; i += 1) await expectStatus(wire, CREATE, 201);
  });
  return running;
}

/** Questions: the mean of a round, then the median of the rounds. */
async function looking(pair: Pair, { rounds, requests }: Sizes, client: LoadClient): Promise<Answer[]> {
  const ask =
    (what: string, count: number) =>
    async ({ socketPath }: RunningEngine): Promise<number> =>
      (1000 * (await client.ask(socketPath, `/v1.41/containers/${what}`, count, 1))) / count;
  return [
    await compared(pair, rounds, "inspect", ask("watched/json", requests)),
    await compared(pair, rounds, "list of 21", ask("json?all=1", requests)),
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

/** Microseconds, as what the recorder adds to them. */
async function compared(
  { on, off }: Pair,
  rounds: number,
  what: string,
  act: (engine: RunningEngine) => Promise<number>,
): Promise<Answer> {
  const measured = new Rounds();
  // Whoever comes first in a round comes second in the next.
  for (let i = 0; i < rounds; i += 1) {
    for (const engine of i % 2 === 0 ? [on, off] : [off, on]) {
      measured.add(engine === on ? "on" : "off", await act(engine));
    }
  }
  const { on: recorded = NaN, off: plain = NaN } = measured.medians();
  return {
    question: `the flight recorder's part of ${what}`,
    unit: "%",
    figures: { [on.kind]: 100 * (recorded / plain - 1) },
    goal: under(MOST_PERCENT, "%"),
    note: `${round(recorded)} µs instead of ${round(plain)} µs`,
  };
}

async function bytes({ on }: Pair, { requests }: Sizes): Promise<Answer> {
  const directory = directoryOf(on);
  await sleep(WRITTEN_MS);
  const before = bytesIn(directory);
  await onWire(on, async (wire) => {
    for (let i = 0; i < requests; i += 1) await expectStatus(wire, PING, 200);
  });
  await sleep(WRITTEN_MS);
  const figures = { [on.kind]: (bytesIn(directory) - before) / requests };
  return { question: "the flight recorder's bytes for a ping", unit: "bytes", figures };
}

function directoryOf({ kind, daemon: { directories } }: RunningEngine): string {
  return kind === "simulated" ? `${directories.socketPath}.trace` : join(directories.dataRoot, "trace");
}

function bytesIn(directory: string): number {
  return readdirSync(directory).reduce((sum, name) => sum + statSync(join(directory, name)).size, 0);
}
