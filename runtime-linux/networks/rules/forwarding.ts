// Makes the machine forward packets between a bridge and its other interfaces.

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import type { networks } from "../../../hosts/shared/index.js";
import { runProgram } from "./run-program.js";

type Bridge = networks.Bridge;

/**
 * Turns on forwarding, if the bridge `forwards`. /proc/sys/net shows the calling thread's network namespace, so this
 * must run on the same thread.
 */
export function routeThrough({ forwards, gateway, ipv6Gateway }: Bridge): void {
  if (gateway !== "" && forwards) setSysctl("net/ipv4/ip_forward", "1");
  if (ipv6Gateway !== "" && forwards) setSysctl("net/ipv6/conf/all/forwarding", "1");
}

/**
 * Sets how the machine uses IPv6 on a bridge of ours, before it is up. No container may tell the machine, by router
 * advertisements, which addresses and routes it has. If the bridge shall have IPv6, it gets it also where new interfaces
 * have none. On a kernel without IPv6 nothing is done. As in `routeThrough`, the thread decides about the namespace.
 */
export function useIpv6({ interfaceName, ipv6Gateway }: Bridge): void {
  const settings = `net/ipv6/conf/${interfaceName}`;
  if (!existsSync(`/proc/sys/${settings}`)) return;
  setSysctl(`${settings}/accept_ra`, "0");
  if (ipv6Gateway !== "") setSysctl(`${settings}/disable_ipv6`, "0");
}

/**
 * Routes 127.0.0.0/8 to the bridge, so that published ports are reached at 127.0.0.1 too. Only firewall rules keep
 * others from the machine's loopback: they must be there before.
 */
export function routeLocally({ interfaceName, gateway }: Bridge): void {
  if (gateway !== "") setSysctl(localRouting(interfaceName), "1");
}

/** Whether 127.0.0.0/8 is routed to the bridge. */
export function routesLocally(bridge: string): boolean {
  return sysctl(localRouting(bridge)) === "1";
}

/** Ends the routing of 127.0.0.0/8 to the bridge. */
export function endLocalRouting(bridge: string): void {
  setSysctl(localRouting(bridge), "0");
}

function localRouting(bridge: string): string {
  return `net/ipv4/conf/${bridge}/route_localnet`;
}

/**
 * Chains of other firewalls, `FAMILY TABLE CHAIN`, that drop forwarded packets by default and in which nothing is accepted
 * for us, as it is in iptables' FORWARD chain (`forward-chain.ts`).
 */
export async function strangeDrops(): Promise<string[]> {
  const listed = await runProgram("nft", ["-j", "list", "chains"]).catch(() => undefined);
  if (listed?.code !== 0) return [];
  const chains = (JSON.parse(listed.stdout) as { nftables: { chain?: NftChain }[] }).nftables;
  return chains.flatMap(({ chain }) => {
    if (chain?.hook !== "forward" || chain.policy !== "drop" || chain.name === "FORWARD") return [];
    return FORWARDED.includes(chain.family) ? [`${chain.family} ${chain.table} ${chain.name}`] : [];
  });
}

/** The families of tables that see IPv4 or IPv6 packets on their way through the machine. */
const FORWARDED: readonly string[] = ["ip", "ip6", "inet"];

interface NftChain {
  family: string;
  table: string;
  name: string;
  hook?: string;
  policy?: string;
}

function sysctl(name: string): string {
  return readFileSync(`/proc/sys/${name}`, "utf8").trim();
}

function setSysctl(name: string, value: string): void {
  if (sysctl(name) !== value) writeFileSync(`/proc/sys/${name}`, value);
}
