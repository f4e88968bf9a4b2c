// Which elements of the maps and of the set in a network's tables (`bridge-tables.ts`) stand for published ports.

import type { networks } from "../../../hosts/shared/index.js";
import { addressBytes, isIpv6 } from "../addresses.js";
import { inARow, type SetElement } from "../rules/nf-elements.js";
import { big } from "../rules/nf-expressions.js";
import type { Table } from "../rules/nf-tables.js";

type Bridge = networks.Bridge;
type Join = networks.Join;
type PortMapping = networks.PortMapping;

/** By the names in `bridge-tables.ts`. */
export const SETS = ["published", "everywhere", "opened"] as const;

/** An element, and where it belongs. */
export interface PortElement extends SetElement {
  family: Table["family"];
  set: (typeof SETS)[number];
}

/**
 * The elements for each key once: of several, the last. Several ports of the machine may lead to one of a container, which
 * is opened once; and while a container's ports are changed, a port may have its earlier target and the next one.
 */
export function lastForEachKey(elements: readonly PortElement[]): PortElement[] {
  return [...new Map(elements.map((element) => [keyOf(element), element])).values()];
}

/** Equal elements once. */
export function withoutTwins(elements: readonly PortElement[]): PortElement[] {
  const text = (element: PortElement): string => `${keyOf(element)} ${hex(element.value)}`;
  return [...new Map(elements.map((element) => [text(element), element])).values()];
}

function keyOf({ family, set, key }: PortElement): string {
  return `${family} ${set} ${hex(key)}`;
}

function hex(bytes: Uint8Array = new Uint8Array(0)): string {
  return Buffer.from(bytes).toString("hex");
}

/** For ports that lead to an address of their own family: the kernel does not translate from one to the other. */
export function elementsOf({ bridge, address, ipv6Address, ports }: Join): PortElement[] {
  return ports.flatMap((port) => {
    const to = isIpv6(port.hostAddress) ? ipv6Address : address;
    return to === "" ? [] : elementsFor(bridge, to, port);
  });
}

function elementsFor({ trustedInterfaces }: Bridge, address: string, port: PortMapping): PortElement[] {
  const family = isIpv6(address) ? "ip6" : "ip";
  const [to, protocol] = [addressBytes(address), big(PROTOCOLS[port.protocol] ?? 0, 1)];
  const own = [to, big(port.containerPort, 2)];
  const opened: PortElement = { family, set: "opened", key: inARow(to, protocol, big(port.containerPort, 2)) };
  if (port.hostPort === 0) return [opened];
  const at = addressBytes(port.hostAddress);
  const [set, place] = at.every((byte) => byte === 0) ? (["everywhere", []] as const) : (["published", [at]] as const);
  const key = inARow(...place, protocol, big(port.hostPort, 2));
  const mapped: PortElement = { family, set, key, value: inARow(...own) };
  return trustedInterfaces.length > 0 ? [mapped, opened] : [mapped];
}

/** IP protocols by their numbers. */
const PROTOCOLS: Readonly<Record<string, number>> = { tcp: 6, udp: 17, sctp: 132 };
