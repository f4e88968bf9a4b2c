// The subnets from which the engine chooses one for a network of which the client gave none (surface §2.24).

import { engine } from "../../state";
import { decimalOf } from "../../text/decimal";
import { quoteText } from "../../text/go-quote";
import { sha256 } from "../../text/sha256";
import { encodeUtf8 } from "../../text/utf8";
import { Address, IPV6_BITS } from "../address/address";
import { ipv6SubnetProblem, parseSubnet, Prefix, Subnet } from "../address/subnet";
import { SubnetSet } from "../address/subnet-set";

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
    const base = this.block.base;
    return new Subnet(base.plusBlocks(index, base.bits - this.prefixLength), this.prefixLength);
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

/**
 * Unique local addresses (RFC 4193) in parts of 2^64. The global id is not drawn but follows from the engine's id, as in
 * Docker, so that an engine keeps its block.
 */
function localPool(): Pool {
  const hash = sha256(encodeUtf8(engine.id));
  let globalId: u64 = 0;
  for (let i = 3; i < 8; i++) globalId = (globalId << 8) | hash[i];
  return new Pool(new Subnet(new Address(IPV6_BITS, ((<u64>0xfd) << 56) | (globalId << 16), 0), 48), 64);
}

/** Those of the options, which have been checked, or else Docker's. */
function pools(ipv6: bool): Pool[] {
  const texts = engine.options.networks.addressPools;
  const chosen: Pool[] = [];
  for (let i = 0; i < texts.length; i++) {
    const pool = parsePool(texts[i])!;
    if (pool.block.isIpv6 == ipv6) chosen.push(pool);
  }
  if (ipv6) return chosen.length > 0 ? chosen : [localPool()];
  return texts.length > 0 ? chosen : usualPools();
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
    const clash = ipv6SubnetProblem(new Prefix(pool.block.base, pool.block));
    if (clash.length > 0) return `invalid address pool ${quoteText(texts[i])}: ${clash}`;
    const bits = pool.block.base.bits;
    if (pool.prefixLength < pool.block.prefixLength || pool.prefixLength > bits) {
      return `invalid address pool ${quoteText(texts[i])}: its size must be from ${pool.block.prefixLength} to ${bits}`;
    }
  }
  return "";
}

/** The first subnet that is not `taken` and to which the machine has no route; null if there is none. */
export function freeSubnet(taken: SubnetSet, ipv6: bool): Subnet | null {
  const all = pools(ipv6);
  const routed = routedSubnets();
  for (let i = 0; i < all.length; i++) {
    for (let index: u32 = 0; index < all[i].count; index++) {
      const subnet = all[i].subnet(index);
      if (!taken.overlaps(subnet) && !routed.overlaps(subnet)) return subnet;
    }
  }
  return null;
}

/** A subnet for the default bridge, which needs one even if the machine has routes to all of them. */
export function anySubnet(taken: Subnet[], ipv6: bool): Subnet {
  const free = freeSubnet(new SubnetSet(taken), ipv6);
  if (free !== null) return free;
  const all = pools(ipv6);
  return all.length > 0 ? all[0].subnet(0) : usualPools()[0].subnet(0);
}

/**
 * Those to which the machine has routes, other than default routes. Those to the engine's own networks are among them, but
 * their subnets are taken anyway.
 */
function routedSubnets(): SubnetSet {
  const routed: Subnet[] = [];
  const routes = engine.options.machine.routes;
  for (let i = 0; i < routes.length; i++) {
    const route = parseSubnet(routes[i]);
    if (route !== null && route.prefixLength > 0) routed.push(route);
  }
  return new SubnetSet(routed);
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
  for (let i = machine.routes.length - 1; i >= 0; i--) {
    const route = parseSubnet(machine.routes[i]);
    if (route !== null && route.equals(subnet)) machine.routes.splice(i, 1);
  }
}
