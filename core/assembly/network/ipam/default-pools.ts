// The subnets from which the engine chooses one for a network of which the client gave none (surface §2.24).

import { engine } from "../../state";
import { Address } from "../address/address";
import { parseSubnet, Subnet } from "../address/subnet";

/** A block of addresses that is cut into subnets of one size. */
class Pool {
  constructor(
    readonly first: u32,
    readonly prefixLength: i32,
    readonly count: u32,
  ) {}

  subnet(index: u32): Subnet {
    const base = this.first + (index << (32 - <u32>this.prefixLength));
    return new Subnet(Address.ofIpv4(base), this.prefixLength);
  }
}

/** 172.17.0.0/16 to 172.31.0.0/16, then 192.168.0.0/16 in parts of 4096 addresses. */
const POOLS: Pool[] = [new Pool(0xac110000, 16, 15), new Pool(0xc0a80000, 20, 16)];

/** The first subnet that is not `taken` and to which the machine has no route; null if there is none. */
export function freeSubnet(taken: Subnet[]): Subnet | null {
  for (let i = 0; i < POOLS.length; i++) {
    for (let index: u32 = 0; index < POOLS[i].count; index++) {
      const subnet = POOLS[i].subnet(index);
      if (!overlapsOne(subnet, taken) && !isRouted(subnet)) return subnet;
    }
  }
  return null;
}

/** A subnet for the default bridge, which needs one even if the machine has routes to all of them. */
export function anySubnet(taken: Subnet[]): Subnet {
  const free = freeSubnet(taken);
  return free === null ? POOLS[0].subnet(0) : free;
}

function overlapsOne(subnet: Subnet, others: Subnet[]): bool {
  for (let i = 0; i < others.length; i++) if (others[i].overlaps(subnet)) return true;
  return false;
}

/** Those to the engine's own networks are among the routes, but their subnets are taken anyway. */
function isRouted(subnet: Subnet): bool {
  const routes = engine.options.machine.routes;
  for (let i = 0; i < routes.length; i++) {
    const route = parseSubnet(routes[i]);
    if (route !== null && route.prefixLength > 0 && route.overlaps(subnet)) return true;
  }
  return false;
}

/** Whether the machine has a route to just this subnet. A network with the same one would be cut off. */
export function hasSameRoute(subnet: Subnet): bool {
  const routes = engine.options.machine.routes;
  for (let i = 0; i < routes.length; i++) {
    const route = parseSubnet(routes[i]);
    if (route !== null && route.equals(subnet)) return true;
  }
  return false;
}
