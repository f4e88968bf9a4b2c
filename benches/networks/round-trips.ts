// How long is a datagram on its way from a container to another machine and back? The machine forwards it both times.
import type { RunningEngine } from "../../tests/support/engines.js";
import type { Rounds, Sizes } from "../question.js";
import { insideOf, outside, type TrafficClient } from "./traffic-client.js";

/** Where the other machine sends datagrams back. */
const PORT = 7001;

/** The bench itself stands for the other machine, of each engine that has a machine of its own. */
export async function answerTrips(engines: readonly RunningEngine[], client: TrafficClient): Promise<void> {
  for (const { daemon } of engines) {
    if (daemon.netns.isOwn) await client.serve(outside, "echo", daemon.netns.hostAddress, PORT);
  }
}

/** From a container on the network, in µs. */
export async function roundTrips(
  engine: RunningEngine,
  network: string,
  client: TrafficClient,
  { rounds, roundTrips: count }: Sizes,
  into: Rounds,
): Promise<void> {
  const { isOwn, hostAddress } = engine.daemon.netns;
  if (!isOwn) return;
  const id = await engine.running({ HostConfig: { NetworkMode: network } });
  const inside = await insideOf(engine, id);
  for (let i = 0; i < rounds; i += 1) {
    const [us = 0] = await client.ask(inside, "trips", hostAddress, PORT, count);
    into.add(engine.kind, us);
  }
  await engine.remove(id);
}
