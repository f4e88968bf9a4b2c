// A bridge network's part of the engine's table (`engine-table.ts`): chains with its rules, and the elements by which
// packets find these.

import type { networks } from "../../../hosts/shared/index.js";
import { addressBytes, prefixOf, rangeOf } from "../addresses.js";
import * as nf from "../filter/expressions.js";
import type { Table } from "../filter/message.js";
import { PLACES, type Chain, type Family, type Place, type Subnet } from "./engine-table.js";
import type { PlacedElement } from "./elements.js";

type Bridge = networks.Bridge;
type Expressions = nf.Expression[];

/** The families of the network, by nft's names. */
export function familiesOf({ subnet, ipv6Subnet }: Bridge): Family[] {
  return [...(subnet === "" ? [] : (["ip"] as const)), ...(ipv6Subnet === "" ? [] : (["ip6"] as const))];
}

/** In earlier versions each network had a table of its own. */
export function earlierTableOf({ network }: Bridge, family: Family): Table {
  return { family, name: `coracle-${shortened(network)}` };
}

/** Long enough to be nobody else's, and short enough to be read. */
function shortened(network: string): string {
  return network.slice(0, 12);
}

/** Names of the network's chains. */
export function chainNamesOf({ network }: Bridge): { inward: string; outward: string; leaving: string } {
  const id = shortened(network);
  return { inward: `inward-${id}`, outward: `outward-${id}`, leaving: `leaving-${id}` };
}

/** Whether it is a chain of some network. */
export function isChainOfBridge(name: string): boolean {
  return /^(inward|outward|leaving)-/.test(name);
}

/** They follow from the network's id, its interface and its subnets alone, so that they can be removed again. */
export function elementsOfBridge(made: Bridge, family: Family): PlacedElement[] {
  const { inward, outward, leaving } = chainNamesOf(made);
  const key = nf.interfaceName(made.interfaceName);
  const [address, bits] = subnetOf(made, family);
  const { first, next } = rangeOf(address, bits);
  return [
    { family, set: "bridges", key },
    { family, set: "outward", key, chain: outward },
    { family, set: "inward", key, chain: inward },
    { family, set: "senders", key: first, next, chain: leaving },
  ];
}

export function subnetOf({ subnet, ipv6Subnet }: Bridge, family: Family): Subnet {
  const text = family === "ip" ? subnet : ipv6Subnet;
  return [addressBytes(text.split("/")[0]!), prefixOf(text)];
}

/**
 * - `outward`: nothing leaves an internal network.
 * - `inward`: only answers and published ports get in from outside the bridge, or what else the gateway mode lets in;
 *   for an internal network nothing gets in. It sees packets from the bridge back to the bridge, too, if a container
 *   sends them to the gateway.
 * - `leaving`: containers' packets go out under the machine's address, unless the network does not masquerade. So do
 *   packets to a published port from the same bridge, since their answers must come back this way.
 */
export function chainsOfBridge(made: Bridge, family: Family): Chain[] {
  const { interfaceName: bridge, internal } = made;
  const names = chainNamesOf(made);
  const side = sideOf(made, family);
  const jumpsHere = 1;
  return [
    { name: names.outward, rules: internal ? [[...nf.leavesElsewhere(bridge), ...nf.drop()]] : [], jumpsHere },
    { name: names.inward, rules: internal ? closed(made) : open(made, ways(made, side)), jumpsHere },
    { name: names.leaving, rules: leaving(made, side), jumpsHere },
  ];
}

/** What differs between the rules of the two families. */
interface Side extends Place {
  mode: string;
  /** The address under which packets leave; undefined for that of the interface through which they leave. */
  source: Uint8Array | undefined;
  icmp: number;
}

function sideOf(made: Bridge, family: Family): Side {
  const isIpv4 = family === "ip";
  const source = isIpv4 ? made.sourceAddress : made.ipv6SourceAddress;
  return {
    ...PLACES[family],
    mode: isIpv4 ? made.gatewayMode : made.ipv6GatewayMode,
    source: source === "" ? undefined : addressBytes(source),
    icmp: isIpv4 ? ICMP : ICMPV6,
  };
}

/** IP protocols. */
const ICMP = 1;
const ICMPV6 = 58;

/** For what the network's subnet sends. */
function leaving({ interfaceName, masquerades }: Bridge, { mode, source }: Side): Expressions[] {
  const back = [...nf.leavesBy(interfaceName), ...nf.isLed(), ...nf.masquerade()];
  if (!masquerades || mode === "routed") return [back];
  const toOthers = [...nf.leavesElsewhere(interfaceName), ...nf.leavesElsewhere("lo")];
  const leave = source === undefined ? nf.masquerade() : nf.senderBecomes(source);
  return [[...toOthers, ...leave], back];
}

/** What the gateway mode and the network's options let in from outside the bridge, besides what every mode does. */
function ways({ interfaceName, trustedInterfaces }: Bridge, { mode, icmp, receiver }: Side): Expressions[] {
  const outside = nf.comesFromElsewhere(interfaceName);
  if (mode === "nat-unprotected") return [[...outside, ...nf.accept()]];
  const opened = [...nf.isIn("opened", receiver), ...nf.accept()];
  if (mode === "nat") return trustedInterfaces.map((trusted) => [...nf.comesFrom(trusted), ...opened]);
  if (mode !== "routed") return [];
  return [[...outside, ...nf.protocolIs(icmp), ...nf.accept()], opened];
}

/**
 * If the network does not connect its containers, ports of the bridge are isolated from each other. But a container may
 * send packets for another one to the gateway, which would route them back to the bridge. So these count as packets
 * from outside.
 */
function open({ interfaceName, connectsContainers }: Bridge, more: Expressions[]): Expressions[] {
  return [
    ...(connectsContainers ? [[...nf.comesFrom(interfaceName), ...nf.accept()]] : []),
    [...nf.isAnswer(), ...nf.accept()],
    [...nf.isLed(), ...nf.accept()],
    ...more,
    nf.drop(),
  ];
}

/**
 * For an internal network: what comes from the bridge gets back to it, and nothing else gets in. If the network does not
 * connect its containers, only published ports and answers are routed back to the bridge, as in `open`.
 */
function closed({ interfaceName, connectsContainers }: Bridge): Expressions[] {
  const kinds = connectsContainers ? [[]] : [nf.isAnswer(), nf.isLed()];
  return [...kinds.map((kind) => [...nf.comesFrom(interfaceName), ...kind, ...nf.accept()]), nf.drop()];
}
