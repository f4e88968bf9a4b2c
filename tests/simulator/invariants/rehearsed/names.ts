// Rehearses names and ways on several networks: all names of a container, where they are looked up, and which network
// leads outside.

import type { networks } from "../../../../hosts/shared/host.js";
import { type Rehearsal, broken, expectStatus, makeNetwork, run } from "./acts.js";

const NAMES = ["ally", "hosty"];
const ALPHA = "alpha-rehearsed";
const BETA = "beta-rehearsed";
/** By name it would come first. */
const INNER = "aaa-rehearsed";

/** Throws a `Breach`. */
export function rehearseNames(rehearsal: Rehearsal): void {
  const { scene } = rehearsal;
  for (const [name, config] of [[ALPHA, {}] as const, [BETA, {}] as const, [INNER, { Internal: true }] as const])
    expectStatus(makeNetwork(rehearsal, name, config), 201, `a network ${name}`);
  scene.asked();
  const one = run(rehearsal, {
    ...{ Hostname: "hosty", HostConfig: { NetworkMode: ALPHA } },
    NetworkingConfig: { EndpointsConfig: { [ALPHA]: { Aliases: ["ally"] } } },
  });
  const { names = [] } = scene.asked().flatMap(({ command }) => (command.tag === "name" ? [command.val] : []))[0] ?? {};
  const lacking = [one.name, one.id.slice(0, 12), ...NAMES].find((name) => !names.includes(name));
  if (lacking !== undefined) broken(`a container is not known as ${lacking}, but as ${names.join()}`);
  expectWays(rehearsal, one.name);
}

function expectWays(rehearsal: Rehearsal, other: string): void {
  const { scene } = rehearsal;
  const EndpointsConfig = { [ALPHA]: {}, [BETA]: { GwPriority: 7 }, [INNER]: { GwPriority: 9 } };
  const host = { NetworkMode: ALPHA, Links: [`${other}:other`], Dns: ["192.0.2.1"] };
  run(rehearsal, { HostConfig: host, NetworkingConfig: { EndpointsConfig } });
  const asked = scene.asked();
  const joins = asked.flatMap(({ command }) => (command.tag === "join" ? [command.val] : []));
  const leading = joins.filter(({ gateway }) => gateway !== "").map(({ bridge }) => bridge.name);
  if (leading.join() !== BETA) broken(`packets leave through ${leading.join() || "no network"}, not through ${BETA}`);
  expectResolver(asked.flatMap(({ command }) => (command.tag === "serve-names" ? [command.val] : [])).at(-1));
}

function expectResolver(resolver: networks.Resolver | undefined): void {
  if (resolver === undefined) broken("nothing answers look-ups");
  if (resolver.networks.length !== 3) broken(`names of ${resolver.networks.length} networks are looked up, not of 3`);
  if (!resolver.networks.every(({ links }) => links.some(({ alias }) => alias === "other")))
    broken("the name that a link gives is not looked up");
  if (resolver.machineServers) broken("the machine's name servers are asked, although the client chose others");
}
