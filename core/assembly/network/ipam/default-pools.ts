// The subnets from which the engine chooses one for a network of which the client gave none (surface §2.24).

import { engine } from "../../state";
import { decimalOf } from "../../text/decimal";
import { quoteText } from "../../text/go-quote";
import { Address, IPV4_BITS, IPV6_BITS } from "../address/address";
import { parseSubnet, Subnet } from "../address/subnet";

/** Of a pool, no more subnets than this are tried. */
const MOST_SUBNETS: i32 = 65536;

/** A block of addresses that is cut into subnets of one size. */
class Pool {
  constructor(
    readonly block: Subnet,
    readonly prefixLength: i32,
  ) {}

  get count(): u32 {
    const bits = this.prefixLength - this.block.prefixLength;
    return bits >= 16 ? MOST_SUBNETS : 1 << bits;
  }

  subnet(index: u32): Subnet {
    const base = <u32>this.block.base.low + (index << (32 - <u32>this.prefixLength));
    return new Subnet(Address.ofIpv4(base), this.prefixLength);
  }
}

/** 172.17.0.0/16 to 172.31.0.0/16, then 192.168.0.0/16 in parts of 4096 addresses. */
function usualPools(): Pool[] {
  const pools: Pool[] = [];
  for (let second: u32 = 17; second < 32; second++) {
    pools.push(new Pool(new Subnet(Address.ofIpv4((172 << 24) | (second << 16)), 16), 16));
  }
  pools.push(new Pool(new Subnet(Address.ofIpv4(0xc0a80000), 16), 20));
  return pools;
}

/** Those of the options, which have been checked, or else Docker's. */
function pools(): Pool[] {
  const texts = engine.options.networks.addressPools;
  if (texts.length == 0) return usualPools();
  const chosen: Pool[] = [];
  for (let i = 0; i < texts.length; i++) chosen.push(parsePool(texts[i])!);
  return chosen;
}

/** `base=10.10.0.0/16,size=24`; null for any other text. */
function parsePool(text: string): Pool | null {
  const parts = text.split(",");
  let block: Subnet | null = null;
  let size = -1;
  for (let i = 0; i < parts.length; i++) {
    if (parts[i].startsWith("base=")) block = parseSubnet(parts[i].slice(5));
    else if (parts[i].startsWith("size=")) size = decimalOf(parts[i].slice(5), IPV6_BITS);
    else return null;
  }
  return block === null || size < 0 ? null : new Pool(block, size);
}

/** What is wrong with the pools; empty if nothing is. */
export function poolsProblem(texts: string[]): string {
  for (let i = 0; i < texts.length; i++) {
    const pool = parsePool(texts[i]);
    if (pool === null) return `invalid address pool ${quoteText(texts[i])}: it must be like base=10.10.0.0/16,size=24`;
    if (pool.block.isIpv6) return `address pools of IPv6 are not implemented yet: ${texts[i]}`;
    if (pool.prefixLength < pool.block.prefixLength || pool.prefixLength > IPV4_BITS) {
      return `invalid address pool ${quoteText(texts[i])}: its size must be from ${pool.block.prefixLength} to ${IPV4_BITS}`;
    }
  }
  return "";
}

/** The first subnet that is not `taken` and to which the machine has no route; null if there is none. */
export function freeSubnet(taken: Subnet[]): Subnet | null {
  const all = pools();
  for (let i = 0; i < all.length; i++) {
    for (let index: u32 = 0; index < all[i].count; index++) {
      const subnet = all[i].subnet(index);
      if (!overlapsOne(subnet, taken) && !isRouted(subnet)) return subnet;
    }
  }
  return null;
}

/** A subnet for the default bridge, which needs one even if the machine has routes to all of them. */
export function anySubnet(taken: Subnet[]): Subnet {
  const free = freeSubnet(taken);
  return free === null ? pools()[0].subnet(0) : free;
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

/** The machine has no route any more to a network that was removed. */
export function forgetRoute(subnet: Subnet): void {
  const machine = engine.options.machine;
  const index = machine.routes.indexOf(subnet.text);
  if (index >= 0) machine.routes.splice(index, 1);
}
