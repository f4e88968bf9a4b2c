// Rehearses addresses: which of a network's are given to containers, which subnets networks get, and ports on some of
// the machine's addresses.

import type { networks } from "../../../../hosts/shared/host.js";
import { type Begun, type Rehearsal, begin, broken, expectStatus, makeNetwork, remove, run } from "./acts.js";

/** Its end is the subnet's; its first address is the gateway. */
const SMALL = { Subnet: "10.231.7.0/29", IPRange: "10.231.7.4/30", AuxiliaryAddresses: { printer: "10.231.7.5" } };
const ONLY_FREE = "10.231.7.6";
const OTHER = "10.231.8.0/24";
const FIXED = "10.231.8.9";
const ROUTE = "10.231.9.0/24";

/** Throws a `Breach`. */
export function rehearseAddresses(rehearsal: Rehearsal): void {
  expectOnlyFree(rehearsal);
  expectOwnSubnets(rehearsal);
  expectFixedOnce(rehearsal);
  expectPorts(rehearsal);
}

/** No container gets the gateway's address, one set aside, one outside the range, or the broadcast address. */
function expectOnlyFree(rehearsal: Rehearsal): void {
  expectStatus(makeNetwork(rehearsal, "small-rehearsed", ipam(SMALL)), 201, "a small network");
  for (let times = 0; times < 2; times++) {
    const one = run(rehearsal, on("small-rehearsed"));
    const address = joinOf(rehearsal, one)?.address;
    if (address !== ONLY_FREE) broken(`a container gets ${address}, although only ${ONLY_FREE} is free`);
    const { status } = begin(rehearsal, on("small-rehearsed"));
    if (status === 204) broken("a container starts without a free address");
    remove(rehearsal, one);
  }
}

function expectOwnSubnets(rehearsal: Rehearsal): void {
  expectStatus(makeNetwork(rehearsal, "same-rehearsed", ipam(SMALL)), 403, "a network with another one's subnet");
  rehearsal.scene.routes = [ROUTE];
  expectStatus(
    makeNetwork(rehearsal, "routed-rehearsed", ipam({ Subnet: ROUTE })),
    403,
    "a network whose subnet has a route",
  );
  rehearsal.scene.routes = [];
}

function expectFixedOnce(rehearsal: Rehearsal): void {
  expectStatus(makeNetwork(rehearsal, "other-rehearsed", ipam({ Subnet: OTHER })), 201, "a network");
  const fixed = {
    ...on("other-rehearsed"),
    NetworkingConfig: endpoint("other-rehearsed", { IPAMConfig: { IPv4Address: FIXED } }),
  };
  const one = run(rehearsal, fixed);
  if (joinOf(rehearsal, one)?.address !== FIXED) broken(`a container does not get ${FIXED}`);
  if (begin(rehearsal, fixed).status === 204) broken(`two containers get ${FIXED}`);
  expectLowest(rehearsal);
}

/** The lowest free address is given out, even if it was not free for a while. */
function expectLowest(rehearsal: Rehearsal): void {
  const first = run(rehearsal, on("other-rehearsed"));
  const address = joinOf(rehearsal, first)?.address;
  run(rehearsal, on("other-rehearsed"));
  remove(rehearsal, first);
  const again = joinOf(rehearsal, run(rehearsal, on("other-rehearsed")))?.address;
  if (again !== address) broken(`a container gets ${again}, although ${address} is free`);
}

/** A port that is published at one address is not free at all of them, until its container is gone. */
function expectPorts(rehearsal: Rehearsal): void {
  const at = (HostIp: string): object => {
    const PortBindings = { "80/tcp": [{ HostIp, HostPort: "41000" }] };
    return { HostConfig: { NetworkMode: "other-rehearsed", PortBindings } };
  };
  const one = run(rehearsal, at("127.0.0.1"));
  if (begin(rehearsal, at("0.0.0.0")).status === 204) broken("a port is published twice");
  remove(rehearsal, one);
  run(rehearsal, at("0.0.0.0"));
}

export function ipam(config: object): object {
  return { IPAM: { Config: [config] } };
}

export function on(network: string): { HostConfig: object } {
  return { HostConfig: { NetworkMode: network } };
}

export function endpoint(network: string, settings: object): object {
  return { EndpointsConfig: { [network]: settings } };
}

/** How it was connected last. */
function joinOf({ scene }: Rehearsal, { id }: Begun): networks.Join | undefined {
  const joins = scene.asked().flatMap(({ command }) => (command.tag === "join" ? [command.val] : []));
  return joins.findLast(({ container }) => container === id);
}
