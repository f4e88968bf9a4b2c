// How a container is reached that publishes a port at an address of the machine: by a port of the machine, or at its own
// address.

import { engine } from "../../state";
import { EVERY_IPV4, EVERY_IPV6, isIpv6 } from "../address/wildcard";
import { ROUTED } from "../bridge-settings";
import { Network } from "../network";
import { SCTP } from "../ports/port-wishes";
import { Endpoint } from "./endpoint";
import { networkOf } from "./endpoints-of-container";
import { Gateways } from "./gateway-endpoints";
import { PublishedPort } from "./published-port";

export enum Way {
  None,
  /** By a port of the machine. */
  Mapped,
  /** At its own address. */
  Routed,
}

/**
 * The ways to a container with these gateways. Of an address only its family counts, so they are found once, for ports by
 * the ten thousand.
 */
export class Ways {
  private readonly ipv4: Way;
  private readonly ipv6: Way;
  private readonly sctpOverIpv6: Way;
  private readonly reachedByIpv4: Endpoint | null;
  private readonly reachedByIpv6: Endpoint | null;

  constructor(gateways: Gateways) {
    this.ipv4 = wayTo(gateways, EVERY_IPV4, "tcp");
    this.ipv6 = wayTo(gateways, EVERY_IPV6, "tcp");
    this.sctpOverIpv6 = wayTo(gateways, EVERY_IPV6, SCTP);
    this.reachedByIpv4 = gateways.reachedAt(EVERY_IPV4);
    this.reachedByIpv6 = gateways.reachedAt(EVERY_IPV6);
  }

  to(address: string, protocol: string): Way {
    if (!isIpv6(address)) return this.ipv4;
    return protocol == SCTP ? this.sctpOverIpv6 : this.ipv6;
  }

  /** The endpoint that this port is for; null if it is of no use to any. */
  endpointOf(port: PublishedPort): Endpoint | null {
    if (this.to(port.address, port.protocol) != (port.isMapped ? Way.Mapped : Way.Routed)) return null;
    return isIpv6(port.address) ? this.reachedByIpv6 : this.reachedByIpv4;
  }
}

function wayTo(gateways: Gateways, address: string, protocol: string): Way {
  if (leadsTo(gateways, address, protocol) === null) return Way.None;
  return isRoutedAt(gateways, address) ? Way.Routed : Way.Mapped;
}

/** The endpoint at which a container with these gateways is reached that publishes a port at this address. */
function leadsTo(gateways: Gateways, address: string, protocol: string): Endpoint | null {
  const options = engine.options.networks;
  let isLed = true;
  if (isIpv6(address) && gateways.ipv6 !== null) isLed = options.proxies || options.firewall;
  // Only a program leads from IPv6 to a container's IPv4, and not SCTP.
  else if (isIpv6(address)) isLed = options.proxies && protocol != SCTP && !isRoutedAt(gateways, address);
  return isLed ? gateways.reachedAt(address) : null;
}

/**
 * No port of the machine at this address leads to the container: its own ports are reached at its own address. What
 * arrives by IPv6 at a container without it counts by the mode of the IPv4 that it is forwarded to.
 */
function isRoutedAt(gateways: Gateways, address: string): bool {
  const endpoint = gateways.reachedAt(address);
  const network: Network | null = endpoint === null ? null : networkOf(endpoint);
  if (network === null) return false;
  const settings = network.settings;
  const byIpv6 = isIpv6(address) && gateways.ipv6 !== null;
  return (byIpv6 ? settings.ipv6GatewayMode : settings.gatewayMode) == ROUTED;
}
