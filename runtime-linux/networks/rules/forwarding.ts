// Makes the machine forward packets between a bridge and its other interfaces.

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { failedTool } from "../../../hosts/shared/index.js";
import type { networks } from "../../../hosts/shared/index.js";
import { policyOf } from "../filter/chains.js";
import type { Table } from "../filter/message.js";
import { familiesOf } from "./bridge-rules.js";
import type { Rules } from "./rules.js";
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
 * Accepts the bridge's packets in iptables' FORWARD chain if that chain drops by default (a dockerd on the same machine
 * sets it so). No rule in our own table can help there, since a packet that one table drops is gone. The rules come
 * after all others. If the chain does not drop, nothing is done. This is checked again at each start of the engine, so
 * a policy that changes later is noticed only then.
 */
export async function acceptForwarding(rules: Rules, bridge: Bridge): Promise<void> {
  for (const family of familiesOf(bridge)) {
    const policy = await policyOfForward(rules, family);
    if (policy === "accept" || policy === "none") continue;
    const { program } = IPTABLES[family];
    const chain = await forwardChain(program);
    if (!chain.includes("-P FORWARD DROP")) continue;
    for (const rule of rulesOf(bridge.interfaceName)) if (!chain.includes(rule)) await change(program, rule);
  }
}

/** Removes these rules if there are any. */
export async function forgetForwarding(rules: Rules, bridge: Bridge): Promise<void> {
  for (const family of familiesOf(bridge)) {
    if ((await policyOfForward(rules, family)) === "none") continue;
    const { program } = IPTABLES[family];
    const chain = await forwardChain(program);
    for (const rule of rulesOf(bridge.interfaceName))
      if (chain.includes(rule)) await change(program, rule.replace("-A", "-D"));
  }
}

/**
 * For all of the bridge's families, also those in which the machine has no address on it: with br_netfilter, packets
 * between its containers pass the chain as well. `tables`: where the kernel names the tables of the older
 * iptables, which are not nf_tables'.
 */
const IPTABLES = {
  ip: { program: "iptables", tables: "/proc/net/ip_tables_names" },
  ip6: { program: "ip6tables", tables: "/proc/net/ip6_tables_names" },
};

/**
 * What iptables' FORWARD chain does by default; "none" if there is no such chain, which accepts, too. The kernel tells it
 * in less time than it takes to start the program.
 */
async function policyOfForward(rules: Rules, family: Table["family"]): Promise<"accept" | "drop" | "none" | "unknown"> {
  try {
    if (readFileSync(IPTABLES[family].tables, "utf8").split("\n").includes("filter")) return "unknown";
  } catch {
    // The older iptables is not in use.
  }
  try {
    return (await rules.ask((filter) => policyOf(filter, { family, name: "filter" }, "FORWARD"))) ?? "none";
  } catch {
    return "unknown";
  }
}

/**
 * Chains of other firewalls, `FAMILY TABLE CHAIN`, that drop forwarded packets by default and in which
 * `acceptForwarding` does nothing.
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

/** The chain as commands that would make it. Empty without the program. */
async function forwardChain(program: string): Promise<string[]> {
  const listed = await runProgram(program, ["-w", "-S", "FORWARD"]).catch(() => undefined);
  return listed?.stdout.split("\n") ?? [];
}

/** In the form that `iptables -S` prints. The engine's table has checked packets to the bridge already. */
function rulesOf(bridge: string): string[] {
  return ["-i", "-o"].map((way) => `-A FORWARD ${way} ${bridge} -m comment --comment coracle -j ACCEPT`);
}

async function change(program: string, rule: string): Promise<void> {
  const { code, stderr } = await runProgram(program, ["-w", ...rule.split(" ")]);
  if (code !== 0) throw failedTool(program, code, stderr);
}

function sysctl(name: string): string {
  return readFileSync(`/proc/sys/${name}`, "utf8").trim();
}

function setSysctl(name: string, value: string): void {
  if (sysctl(name) !== value) writeFileSync(`/proc/sys/${name}`, value);
}
