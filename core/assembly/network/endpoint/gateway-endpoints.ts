// Which of a container's networks lead outside, for each family of addresses. Their gateways are the container's default
// gateways, and if they are bridges, ports are published to the container's addresses there.

import { Container } from "../../container/container";
import { settingsOf } from "../../container/endpoint/endpoint-settings";
import { engine } from "../../state";
import { EVERY_IPV6, isIpv6 } from "../address/wildcard";
import { Network } from "../network";
import { Endpoint } from "./endpoint";
import { networkOf } from "./endpoints-of-container";

/** Both are the same endpoint on a network with IPv4 and IPv6; null for a family in which no network leads outside. */
export class Gateways {
  constructor(
    readonly ipv4: Endpoint | null,
    readonly ipv6: Endpoint | null,
  ) {}

  /** The endpoint to which ports lead that are published at this address; null if there is none: only bridges have any. */
  reachedAt(address: string): Endpoint | null {
    // What arrives by IPv6 is forwarded by a program to the container's IPv4 address if it has no other.
    const isForwarded = this.ipv6 === null && engine.options.networks.proxies;
    const endpoint = isIpv6(address) && !isForwarded ? this.ipv6 : this.ipv4;
    const network: Network | null = endpoint === null ? null : networkOf(endpoint);
    return network !== null && network.driver == "bridge" ? endpoint : null;
  }

  /** The endpoints that have another part in this than in `other`. */
  changedFrom(other: Gateways): Endpoint[] {
    const changed: Endpoint[] = [];
    this.addChanged(changed, this.ipv4, other);
    this.addChanged(changed, this.ipv6, other);
    return changed;
  }

  private addChanged(changed: Endpoint[], endpoint: Endpoint | null, other: Gateways): void {
    if (endpoint === null || changed.includes(endpoint)) return;
    if (this.partOf(endpoint) != other.partOf(endpoint)) changed.push(endpoint);
  }

  private partOf(endpoint: Endpoint): string {
    const parts = [this.ipv4 === endpoint, this.ipv6 === endpoint, this.reachedAt(EVERY_IPV6) === endpoint];
    return parts.toString();
  }
}

/** Those of a container that is on no network. */
export const NO_GATEWAYS: Gateways = new Gateways(null, null);

/**
 * The endpoints of the highest `GwPriority`, and among equals those on the first networks by name. A network with both
 * families comes before those with one, whatever their priority, as in Docker. For a container that is not running:
 * those that will be it.
 */
export function gatewaysOf(container: Container): Gateways {
  const ipv4 = bestOf(container, true, false);
  const ipv6 = bestOf(container, false, true);
  if (ipv4 === ipv6 || ipv4 === null || ipv6 === null) return new Gateways(ipv4, ipv6);
  const both = bestOf(container, true, true);
  return both === null ? new Gateways(ipv4, ipv6) : new Gateways(both, both);
}

/** The endpoint that gives the default gateway: that of IPv4 if there is one. Null if no network leads outside. */
export function gatewayEndpoint(container: Container): Endpoint | null {
  const gateways = gatewaysOf(container);
  return gateways.ipv4 !== null ? gateways.ipv4 : gateways.ipv6;
}

/** The first of the endpoints whose networks lead outside in the given families. */
function bestOf(container: Container, ipv4: bool, ipv6: bool): Endpoint | null {
  let best: Endpoint | null = null;
  let bestNetwork: Network | null = null;
  const all = container.endpoints;
  for (let i = 0; i < all.length; i++) {
    const network = networkOf(all[i]);
    if (network === null || (ipv4 && !leads(all[i], network, false)) || (ipv6 && !leads(all[i], network, true)))
      continue;
    if (best !== null && !isBefore(all[i], network, best, bestNetwork!)) continue;
    best = all[i];
    bestNetwork = network;
  }
  return best;
}

/** Whether the container's default route of a family may lead to the network, from the address that it has there. */
function leads(endpoint: Endpoint, network: Network, ipv6: bool): bool {
  if (!network.leadsOutside(ipv6)) return false;
  const place = endpoint.place;
  if (place === null || !network.isOnParent || network.parentSettings.isRouter) return true;
  return (ipv6 ? place.ipv6Gateway : place.gateway).length > 0;
}

function isBefore(one: Endpoint, network: Network, other: Endpoint, otherNetwork: Network): bool {
  const priority = priorityOf(one);
  const than = priorityOf(other);
  return priority != than ? priority > than : network.name < otherNetwork.name;
}

function priorityOf(endpoint: Endpoint): i64 {
  return settingsOf(endpoint).i64Of("GwPriority");
}
