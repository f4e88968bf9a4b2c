// With a thousand created containers: how long does it take to list them all, and to inspect one of them?
import type { RunningEngine } from "../tests/support/engines.js";
import { openLoadClient, type LoadClient } from "./load.js";
import { atMost, medians, type Answer, type Sizes } from "./question.js";
import { byHands } from "./hands.js";
import { expectStatus, idOf, requestBytes, type Wire } from "./wire.js";

export async function list(engines: readonly RunningEngine[], sizes: Sizes): Promise<Answer[]> {
  const ids = new Map<RunningEngine, string[]>();
  const client = await openLoadClient();
  try {
    for (const engine of engines) ids.set(engine, await create(engine, sizes.listed));
    return await ask(engines, sizes, client, (engine) => ids.get(engine)?.[sizes.listed >> 1] ?? "");
  } finally {
    await client.close();
    for (const [engine, all] of ids) await byHands(engine, all.length, (wire, at) => remove(wire, all[at] ?? ""));
  }
}

async function ask(
  engines: readonly RunningEngine[],
  { rounds, requests, listed }: Sizes,
  client: LoadClient,
  oneOf: (engine: RunningEngine) => string,
): Promise<Answer[]> {
  const [many, few] = [requests, Math.ceil(requests / 100)];
  const lists = await medians(engines, rounds, async ({ socketPath }) => {
    return (await client.ask(socketPath, "/v1.41/containers/json?all=1", few, 1)) / few;
  });
  const inspects = await medians(engines, rounds, async (engine) => {
    const target = `/v1.41/containers/${oneOf(engine)}/json`;
    return (1000 * (await client.ask(engine.socketPath, target, many, 1))) / many;
  });
  const note = `client in ${client.language}`;
  return [
    { question: `list of ${listed} created containers`, unit: "ms", figures: lists, goal: atMost(1 / 10), note },
    { question: `inspect of one of ${listed}`, unit: "µs", figures: inspects, goal: atMost(1), note },
  ];
}

async function create(engine: RunningEngine, count: number): Promise<string[]> {
  const ids: string[] = [];
  const wish = requestBytes("POST", "/containers/create", { Image: "busybox", Cmd: ["true"] });
  await byHands(engine, count, async (wire) => {
    await expectStatus(wire, wish, 201);
    ids.push(idOf(wire));
  });
  return ids;
}

function remove(wire: Wire, id: string): Promise<void> {
  return expectStatus(wire, requestBytes("DELETE", `/containers/${id}`), 204);
}
