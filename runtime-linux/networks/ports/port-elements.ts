// Which elements of the maps and of the set in the engine's table (`rules/engine-table.ts`) stand for published ports.

import type { networks } from "../../../hosts/shared/index.js";
import { addressBytes, isIpv6 } from "../addresses.js";
import { big } from "../filter/message.js";
import { inARow } from "../filter/set-elements.js";
import type { PlacedElement } from "../rules/elements.js";

type Bridge = networks.Bridge;
type Join = networks.Join;
type PortMapping = networks.PortMapping;

/** For ports that lead to an address of their own family: the kernel does not translate from one to the other. */
export function elementsOf({ bridge, address, ipv6Address, ports }: Join): PlacedElement[] {
  return ports.flatMap((port) => {
    const to = isIpv6(port.hostAddress) ? ipv6Address : address;
    return to === "" ? [] : elementsFor(bridge, to, port);
  });
}

function elementsFor({ trustedInterfaces }: Bridge, address: string, port: PortMapping): PlacedElement[] {
  const family = isIpv6(address) ? "ip6" : "ip";
  const [to, protocol] = [addressBytes(address), big(PROTOCOLS[port.protocol] ?? 0, 1)];
  const own = [to, big(port.containerPort, 2)];
  const opened: PlacedElement = { family, set: "opened", key: inARow(to, protocol, big(port.containerPort, 2)) };
  if (port.hostPort === 0) return [opened];
  const at = addressBytes(port.hostAddress);
  const [set, place] = at.every((byte) => byte === 0) ? (["everywhere", []] as const) : (["published", [at]] as const);
  const key = inARow(...place, protocol, big(port.hostPort, 2));
  const mapped: PlacedElement = { family, set, key, value: inARow(...own) };
  return trustedInterfaces.length > 0 ? [mapped, opened] : [mapped];
}

/** IP protocols by their numbers. */
const PROTOCOLS: Readonly<Record<string, number>> = { tcp: 6, udp: 17, sctp: 132 };
