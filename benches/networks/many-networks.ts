// What do many networks with many endpoints cost: memory, a list, an inspect, and the start of the next container and a
// packet's round trip, compared with those while there are few networks?
import { pause } from "../../tests/support/commands.js";
import { pssKibibytes } from "../../tests/support/processes.js";
import type { RunningEngine } from "../../tests/support/engines.js";
import { byHands } from "../hands.js";
import { processesOf } from "../processes-of.js";
import { atMost, Rounds, timed, under, type Answer, type Figures, type Goal, type Sizes } from "../question.js";
import { expectStatus, idOf, onWire, requestBytes } from "../wire.js";
import { answerTrips, roundTrips } from "./round-trips.js";
import { TrafficClient } from "./traffic-client.js";

/** Endpoints of one container. */
const EACH = 50;
/** Engines give back what a burst of work has taken some ten seconds after it. */
const REST_MS = 20_000;

type Kind = "few" | "many";

export async function manyNetworks(engines: readonly RunningEngine[], sizes: Sizes): Promise<Answer[]> {
  const client = await TrafficClient.open();
  try {
    return await measured(engines, sizes, client);
  } finally {
    await client.close();
  }
}

async function measured(engines: readonly RunningEngine[], sizes: Sizes, client: TrafficClient): Promise<Answer[]> {
  const [few, many] = sizes.networks;
  const memory: Record<string, number> = {};
  const made = new Map(MEASURED.map((what) => [what, new Rounds()]));
  const starts = async (engine: RunningEngine, kind: Kind): Promise<void> => {
    await startNext(engine, sizes, made.get(`start ${kind}`)!);
    await roundTrips(engine, nameOf(0), client, sizes, made.get(`trip ${kind}`)!);
  };
  await answerTrips(engines, client);
  for (const engine of engines) {
    const before = mebibytesOf(engine);
    const containers: string[] = [];
    try {
      await makeNetworks(engine, 0, few);
      await starts(engine, "few");
      await makeNetworks(engine, few, many);
      console.log(`  ${engine.kind}: ${many} networks are there`);
      containers.push(...(await joinAll(engine, many, sizes.endpoints)));
      await pause(Math.min(sizes.idleMs, REST_MS));
      memory[engine.kind] = mebibytesOf(engine) - before;
      console.log(
        `  ${engine.kind}: ${sizes.endpoints} endpoints are there, with ${Math.round(memory[engine.kind]!)} MiB`,
      );
      await looks(engine, sizes, "/networks", made.get("list")!);
      await looks(engine, sizes, `/networks/${nameOf(0)}`, made.get("inspect")!);
      await starts(engine, "many");
    } finally {
      for (const id of containers) await engine.remove(id);
      for (let at = 0; at < many; at += 1) await engine.call("DELETE", `/networks/${nameOf(at)}`);
    }
  }
  const figuresOf = (what: string): Figures => made.get(what)!.medians();
  const about = `${many} networks and ${sizes.endpoints} endpoints`;
  const answer = (question: string, unit: string, figures: Figures, goal: Goal): Answer => ({
    question,
    unit,
    figures,
    goal,
  });
  return [
    answer(`memory of ${about}, with the containers on them`, "MiB", memory, atMost(1)),
    answer(`list of networks, with ${about}`, "ms", figuresOf("list"), atMost(1)),
    answer(`inspect of a network, with ${about}`, "ms", figuresOf("inspect"), atMost(1)),
    answer(`start of the next container at ${few} networks`, "ms", figuresOf("start few"), atMost(1)),
    answer(`start of the next container at ${many} networks`, "ms", figuresOf("start many"), atMost(1)),
    answer("the same: at many over at few", "times", overFew(figuresOf, "start"), under(1.2, "times")),
    answer(`round trip in a container's network among ${few} networks`, "µs", figuresOf("trip few"), atMost(1.1)),
    answer(`round trip in a container's network among ${many} networks`, "µs", figuresOf("trip many"), atMost(1)),
    answer("the same: among many over among few", "times", overFew(figuresOf, "trip"), under(1.2, "times")),
  ];
}

const MEASURED = ["list", "inspect", "start few", "start many", "trip few", "trip many"];

function overFew(figuresOf: (what: string) => Figures, what: "start" | "trip"): Figures {
  const few = figuresOf(`${what} few`) as Record<string, number>;
  const many = figuresOf(`${what} many`) as Record<string, number>;
  return Object.fromEntries(Object.entries(many).map(([kind, ms]) => [kind, ms / (few[kind] ?? Number.NaN)]));
}

function nameOf(at: number): string {
  return `many-${at}`;
}

/** With subnets of their own: the default pools have only 31. */
async function makeNetworks(engine: RunningEngine, from: number, to: number): Promise<void> {
  await byHands(engine, to - from, async (wire, turn) => {
    const at = from + turn;
    const IPAM = { Config: [{ Subnet: `10.${100 + (at >> 8)}.${at & 255}.0/24` }] };
    await expectStatus(wire, requestBytes("POST", "/networks/create", { Name: nameOf(at), IPAM }), 201);
  });
}

/** Running containers, each on the next of the networks. Returns their ids. */
async function joinAll(engine: RunningEngine, networks: number, endpoints: number): Promise<string[]> {
  const ids: string[] = [];
  for (let joined = 0; joined < endpoints; joined += EACH) {
    const next = Array.from({ length: Math.min(EACH, endpoints - joined) }, (_, at) =>
      nameOf((joined + at) % networks),
    );
    const [first = "", ...others] = next;
    await onWire(engine, async (wire) => {
      const body = { Image: "busybox", Cmd: ["sleep", "100000"], HostConfig: { NetworkMode: first } };
      await expectStatus(wire, requestBytes("POST", "/containers/create", body), 201);
      const Container = idOf(wire);
      ids.push(Container);
      for (const other of others) {
        await expectStatus(wire, requestBytes("POST", `/networks/${other}/connect`, { Container }), 200);
      }
      await expectStatus(wire, requestBytes("POST", `/containers/${Container}/start`), 204);
    });
  }
  return ids;
}

async function looks(engine: RunningEngine, { rounds }: Sizes, path: string, into: Rounds): Promise<void> {
  await onWire(engine, async (wire) => {
    for (let i = 0; i < rounds; i += 1) {
      into.add(engine.kind, await timed(() => expectStatus(wire, requestBytes("GET", path), 200)));
    }
  });
}

/** On the first network. */
async function startNext(engine: RunningEngine, { rounds }: Sizes, into: Rounds): Promise<void> {
  for (let i = 0; i < rounds; i += 1) {
    const id = await engine.create({ Cmd: ["sleep", "1000"], HostConfig: { NetworkMode: nameOf(0) } });
    into.add(engine.kind, await timed(() => engine.start(id)));
    await engine.remove(id);
  }
}

function mebibytesOf(engine: RunningEngine): number {
  return processesOf(engine).reduce((sum, pid) => sum + pssKibibytes(pid), 0) / 1024;
}
