// How long does a ping take, and how many are answered per second? The client is the same for all engines. Its own cost
// is measured with a server that answers fixed bytes without reading.
import type { RunningEngine } from "../tests/support/engines.js";
import { openFloor, openLoadClient } from "./load.js";
import { atMost, round, Rounds, type Answer, type Sizes } from "./question.js";

const CONNECTIONS = 8;

export async function ping(engines: readonly RunningEngine[], sizes: Sizes): Promise<Answer[]> {
  const client = await openLoadClient();
  const floor = await openFloor();
  const asked = [...engines.map((engine) => [engine.kind, engine.socketPath] as const), ["floor", floor.socketPath]];
  const [sequential, together] = [new Rounds(), new Rounds()];
  try {
    for (let i = 0; i < sizes.rounds; i += 1) {
      for (const [kind = "", path = ""] of asked) {
        const [few, many] = [sizes.requests, sizes.requests * 4];
        sequential.add(kind, (1000 * (await client.ask(path, "/_ping", few, 1))) / few);
        together.add(kind, (1000 * many) / (await client.ask(path, "/_ping", many, CONNECTIONS)));
      }
    }
  } finally {
    await client.close();
    await floor.close();
  }
  const [one, many] = [sequential.medians(), together.medians()];
  return [
    {
      question: "ping, one after the other",
      unit: "µs",
      figures: without(one, "floor"),
      goal: atMost(1.1),
      note: `client in ${client.language}, its floor is ${round(one["floor"] ?? 0)} µs`,
    },
    {
      question: `pings a second over ${CONNECTIONS} connections`,
      unit: "/s",
      figures: without(many, "floor"),
      note: `client in ${client.language}, its floor is ${round(many["floor"] ?? 0)}/s`,
    },
  ];
}

function without(figures: Readonly<Record<string, number>>, kind: string): Record<string, number> {
  return Object.fromEntries(Object.entries(figures).filter(([name]) => name !== kind));
}
