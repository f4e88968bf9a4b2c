// Letting the machine forward packets between a bridge and its other interfaces.

import { readFileSync, writeFileSync } from "node:fs";
import { failedTool } from "../../hosts/shared/failure.js";
import { runProgram } from "./rules.js";

/**
 * Switches forwarding on, and routes for 127.0.0.0/8 to the bridge: published ports are reached at 127.0.0.1 too.
 * /proc/sys/net shows the calling thread's network namespace, so this is done without leaving the thread.
 */
export function routeThrough(bridge: string): void {
  setSysctl("net/ipv4/ip_forward", "1");
  setSysctl(`net/ipv4/conf/${bridge}/route_localnet`, "1");
}

/**
 * Where iptables' FORWARD chain drops what no rule accepts (a dockerd on the same machine sets it so), no rule in a table
 * of ours can help: what one table drops is gone. So the bridge is accepted there, after all rules of others. Nothing
 * is done elsewhere. Asked again when the engine is started again: who drops only from then on is not noticed before.
 */
export async function acceptForwarding(bridge: string): Promise<void> {
  const chain = await forwardChain();
  if (!chain.includes("-P FORWARD DROP")) return;
  for (const rule of rulesOf(bridge)) if (!chain.includes(rule)) await iptables(rule);
}

/** Takes the rules back, if there are any. */
export async function forgetForwarding(bridge: string): Promise<void> {
  const chain = await forwardChain();
  for (const rule of rulesOf(bridge)) if (chain.includes(rule)) await iptables(rule.replace("-A", "-D"));
}

/**
 * Chains of other firewalls, `FAMILY TABLE CHAIN`, that drop what they do not accept among forwarded packets, and in which
 * `acceptForwarding` does nothing.
 */
export async function strangeDrops(): Promise<string[]> {
  const listed = await runProgram("nft", ["-j", "list", "chains"]).catch(() => undefined);
  if (listed?.code !== 0) return [];
  const chains = (JSON.parse(listed.stdout) as { nftables: { chain?: NftChain }[] }).nftables;
  return chains.flatMap(({ chain }) => {
    if (chain?.hook !== "forward" || chain.policy !== "drop" || chain.name === "FORWARD") return [];
    return chain.family === "ip" || chain.family === "inet" ? [`${chain.family} ${chain.table} ${chain.name}`] : [];
  });
}

interface NftChain {
  family: string;
  table: string;
  name: string;
  hook?: string;
  policy?: string;
}

/** The chain as the commands that make it. Empty without iptables. */
async function forwardChain(): Promise<string[]> {
  const listed = await runProgram("iptables", ["-w", "-S", "FORWARD"]).catch(() => undefined);
  return listed?.stdout.split("\n") ?? [];
}

/** As `iptables -S` prints them. What enters the bridge has been checked by the network's own table. */
function rulesOf(bridge: string): string[] {
  return ["-i", "-o"].map((way) => `-A FORWARD ${way} ${bridge} -m comment --comment coracle -j ACCEPT`);
}

async function iptables(rule: string): Promise<void> {
  const { code, stderr } = await runProgram("iptables", ["-w", ...rule.split(" ")]);
  if (code !== 0) throw failedTool("iptables", code, stderr);
}

function setSysctl(name: string, value: string): void {
  const file = `/proc/sys/${name}`;
  if (readFileSync(file, "utf8").trim() !== value) writeFileSync(file, value);
}
