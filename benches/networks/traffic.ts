// How quickly do bytes flow over TCP, and how many connections can be opened per second: between two containers on a
// network, and from outside through a published port?
import { pastTheRules } from "../../tests/linux/networks/bridged-packets.js";
import { RunningEngine, startWithBusybox } from "../../tests/support/engines.js";
import { atLeast, Rounds, type Answer, type Sizes } from "../question.js";
import { familiesOf, IPV4, IPV6, type Family } from "./families.js";
import { insideOf, outside, TrafficClient, type Inside } from "./traffic-client.js";
import { withNetworks } from "./with-networks.js";

const PORT = 7000;
/** Less than as much is within what two runs of the same engine differ by. */
const NO_LESS = atLeast(0.9);

/** Where to connect to, and from where. */
type Way = readonly [inside: Inside, address: string, port: number];

export async function traffic(engines: readonly RunningEngine[], sizes: Sizes): Promise<Answer[]> {
  const answers: Answer[] = [];
  const families = await familiesOf(engines);
  for (const family of families) answers.push(...(await ofFamily(engines, family, family.name, sizes)));
  if (!families.includes(IPV6)) return answers;
  answers.push(...(await withEqualRules(engines, sizes)));
  return [...answers, ...(await withoutRules(engines, sizes))];
}

/** As on a machine on which nobody has loaded br_netfilter: what a container sends to another one passes no rules. */
function withoutRules(engines: readonly RunningEngine[], sizes: Sizes): Promise<Answer[]> {
  const all = engines.map(({ daemon }) => daemon.netns);
  return pastTheRules(all, () => ofFamily(engines, IPV6, "IPv6, bridged past the rules", sizes));
}

/** The reference has no rules for IPv6, and publishes no port to it, unless it is told to. */
async function withEqualRules(engines: readonly RunningEngine[], sizes: Sizes): Promise<Answer[]> {
  const reference = engines.find(({ kind }) => kind === "reference");
  if (reference === undefined) return [];
  const flags = ["--experimental", "--ip6tables"];
  const daemon = await startWithBusybox(reference.engine, flags, [], { runsInMemory: true });
  const others = engines.filter((engine) => engine !== reference);
  try {
    const all = [...others, new RunningEngine(reference.engine, daemon)];
    return await ofFamily(all, IPV6, "IPv6, both with rules", sizes);
  } finally {
    await daemon.close();
  }
}

function ofFamily(engines: readonly RunningEngine[], family: Family, told: string, sizes: Sizes): Promise<Answer[]> {
  const act = ([network = ""]: readonly string[]): Promise<Answer[]> =>
    onNetwork(engines, network, family, told, sizes);
  return withNetworks(engines, 1, act, family.network);
}

async function onNetwork(
  engines: readonly RunningEngine[],
  network: string,
  family: Family,
  told: string,
  sizes: Sizes,
): Promise<Answer[]> {
  const client = await TrafficClient.open();
  const [between, published] = [new Map<RunningEngine, Way>(), new Map<RunningEngine, Way>()];
  try {
    for (const engine of engines) {
      const { from, address } = await pairOn(engine, network, family, client);
      between.set(engine, [from, address, PORT]);
      published.set(engine, [outside, await family.machineOf(engine), PORT]);
    }
    const answers = await measured(between, client, `between containers, ${told}`, sizes);
    return [...answers, ...(await measured(published, client, `to a published port, ${told}`, sizes))];
  } finally {
    await client.close();
    for (const engine of engines) for (const name of ["server", "sender"]) await engine.remove(name);
  }
}

async function pairOn(
  engine: RunningEngine,
  network: string,
  family: Family,
  client: TrafficClient,
): Promise<{ from: Inside; address: string }> {
  const key = `${PORT}/tcp`;
  const PortBindings = { [key]: [{ HostPort: String(PORT) }] };
  const serving = { HostConfig: { NetworkMode: network, PortBindings }, ExposedPorts: { [key]: {} } };
  const server = await engine.running(serving, "?name=server");
  const sender = await engine.running({ HostConfig: { NetworkMode: network } }, "?name=sender");
  const address = await family.addressOf(engine, server, network);
  await client.serve(await insideOf(engine, server), "sink", family === IPV4 ? "0.0.0.0" : "::", PORT);
  return { from: await insideOf(engine, sender), address };
}

async function measured(
  ways: ReadonlyMap<RunningEngine, Way>,
  client: TrafficClient,
  what: string,
  { longRounds, sendMs, connections }: Sizes,
): Promise<Answer[]> {
  const [flow, opened] = [new Rounds(), new Rounds()];
  for (let i = 0; i < longRounds; i += 1) {
    for (const [{ kind }, [inside, address, port]] of ways) {
      const [bytesPerMs = 0] = await client.ask(inside, "send", address, port, sendMs);
      flow.add(kind, (bytesPerMs * 8) / 1e6);
      const [ms = 0] = await client.ask(inside, "connect", address, port, connections);
      opened.add(kind, (1000 * connections) / ms);
    }
  }
  return [
    { question: `TCP ${what}`, unit: "Gbit/s", figures: flow.medians(), goal: NO_LESS },
    { question: `connections ${what}`, unit: "/s", figures: opened.medians(), goal: NO_LESS },
  ];
}
