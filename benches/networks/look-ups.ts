// How long does a look-up of a name take in a container on a network of its own, and how many are answered per second: of
// another container's name, and of an outside name, for which the engine asks a local resolver?
import type { RunningEngine } from "../../tests/support/engines.js";
import { atLeast, atMost, median, Rounds, type Answer, type Sizes } from "../question.js";
import { insideOf, outside, TrafficClient, type Inside } from "./traffic-client.js";
import { withNetworks } from "./with-networks.js";

const SERVER = "127.0.0.11";
/** Concurrent clients of one container, for the number of answers a second. */
const CLIENTS = 16;
const NAMES = [
  ["a container's name", "target"],
  ["an outside name", "www.example.com"],
] as const;

export async function lookUps(engines: readonly RunningEngine[], sizes: Sizes): Promise<Answer[]> {
  const client = await TrafficClient.open();
  try {
    return await withNetworks(engines, 1, async ([network = ""]) => {
      const asking = new Map<RunningEngine, Inside>();
      for (const engine of engines) asking.set(engine, await askerOn(engine, network, client));
      const answers: Answer[] = [];
      for (const [what, name] of NAMES) answers.push(...(await measured(asking, client, what, name, sizes)));
      for (const engine of engines) for (const name of ["target", "asker"]) await engine.remove(name);
      return answers;
    });
  } finally {
    await client.close();
  }
}

/** A container that asks, beside one to ask for. The resolver of the outside is in the bench's own namespace. */
async function askerOn(engine: RunningEngine, network: string, client: TrafficClient): Promise<Inside> {
  const { hostAddress } = engine.daemon.netns;
  await client.serve(outside, "resolver", hostAddress);
  await engine.running({ HostConfig: { NetworkMode: network } }, "?name=target");
  const HostConfig = { NetworkMode: network, Dns: [hostAddress] };
  return insideOf(engine, await engine.running({ HostConfig }, "?name=asker"));
}

async function measured(
  asking: ReadonlyMap<RunningEngine, Inside>,
  client: TrafficClient,
  what: string,
  name: string,
  { longRounds, lookUps: count }: Sizes,
): Promise<Answer[]> {
  const [usual, slow, rate] = [new Rounds(), new Rounds(), new Rounds()];
  for (let i = 0; i < longRounds; i += 1) {
    for (const [{ kind }, inside] of asking) {
      const alone = (await client.ask(inside, "lookups", SERVER, name, count, 1)).slice(0, -1).sort((a, b) => a - b);
      usual.add(kind, median(alone));
      slow.add(kind, alone[Math.floor(alone.length * 0.99)] ?? Number.NaN);
      const ms = (await client.ask(inside, "lookups", SERVER, name, count, Math.min(CLIENTS, count))).at(-1) ?? 0;
      rate.add(kind, (1000 * count) / ms);
    }
  }
  const many = `look-ups of ${what} by ${CLIENTS} clients`;
  return [
    { question: `look-up of ${what}, median`, unit: "µs", figures: usual.medians(), goal: atMost(1) },
    { question: `look-up of ${what}, 99 of 100`, unit: "µs", figures: slow.medians(), goal: atMost(1) },
    { question: many, unit: "/s", figures: rate.medians(), goal: atLeast(2) },
  ];
}
