// The firewall rules of a bridge network: one nft table for each network, made and removed along with it. Published
// ports are elements of two maps in it, so a packet's path does not grow with the number of containers.

import type { networks } from "../../hosts/shared/host.js";
import { failedTool } from "../../hosts/shared/failure.js";
import { endOf, missingProgram, saidBy, startChild, type Child } from "../launch/child.js";
import { libc } from "../kernel/libc.js";
import { isIpv6 } from "./addresses.js";

type Bridge = networks.Bridge;
type PortMapping = networks.PortMapping;
type Join = networks.Join;

/**
 * A transaction that makes the network's table. If the table exists, the elements of its maps stay.
 * - `guard`: 127.0.0.0/8 is routed to the bridge (route_localnet), so only the machine itself may send to it. This
 *   chain comes before conntrack, which turns containers' answers back into packets for 127.0.0.1.
 * - `publish`: translates an address and port of the machine to those of a container, for packets from elsewhere, from
 *   containers and from the machine itself.
 * - `leaving`: containers' packets go out under the machine's address. So do packets to a published port from the same
 *   bridge or from 127.0.0.1, since their answers must come back this way.
 * - `entering`: only answers and published ports get in from outside the bridge.
 */
export function tableOf({ network, interfaceName, subnet }: Bridge): string {
  const table = tableName(network);
  const bridge = JSON.stringify(interfaceName);
  return [
    `add table ${table}`,
    `add map ${table} published { type ipv4_addr . inet_proto . inet_service : ipv4_addr . inet_service ; }`,
    `add map ${table} everywhere { type inet_proto . inet_service : ipv4_addr . inet_service ; }`,
    ...chain(table, "guard", "type filter hook prerouting priority raw ;", [
      `iifname != "lo" ip daddr 127.0.0.0/8 drop`,
    ]),
    ...chain(table, "publish", "", [
      `dnat to ip daddr . meta l4proto . th dport map @published`,
      `fib daddr type local dnat to meta l4proto . th dport map @everywhere`,
    ]),
    ...chain(table, "arriving", "type nat hook prerouting priority dstnat ;", ["jump publish"]),
    ...chain(table, "local", "type nat hook output priority -100 ;", ["jump publish"]),
    ...chain(table, "leaving", "type nat hook postrouting priority srcnat ;", [
      `ip saddr ${subnet} oifname != { ${bridge}, "lo" } masquerade`,
      `oifname ${bridge} ip saddr { ${subnet}, 127.0.0.0/8 } ct status dnat masquerade`,
    ]),
    ...chain(table, "entering", "type filter hook forward priority filter ;", [
      `oifname != ${bridge} accept`,
      `iifname ${bridge} accept`,
      `ct state established,related accept`,
      `ct status dnat accept`,
      `drop`,
    ]),
  ].join("\n");
}

/** Removes the network's table. A missing table is no error. */
export function noTable(network: string): string {
  return `add table ${tableName(network)}\ndelete table ${tableName(network)}`;
}

/** Sets the maps to the ports of exactly these joins. Removes what a crash or somebody else has left there. */
export function publishedBy(network: string, joins: Join[]): string {
  const table = tableName(network);
  const elements = joins.flatMap(({ address, ports }) => elementsOf(network, address, ports));
  return [
    `flush map ${table} published`,
    `flush map ${table} everywhere`,
    ...elements.map((element) => `add element ${element.text}`),
  ].join("\n");
}

/** Publishes ports of the container with that address. Takes them over from any other container. */
export async function publish(network: string, address: string, ports: PortMapping[]): Promise<void> {
  const elements = elementsOf(network, address, ports);
  await eachIfNotAll(
    elements,
    ({ text }) => `add element ${text}`,
    ({ key, text }) => nft(`delete element ${key}\nadd element ${text}`),
  );
}

/** Unpublishes ports. Ports that are not published are no error, and neither is a missing table. */
export async function unpublish(network: string, address: string, ports: PortMapping[]): Promise<void> {
  const elements = elementsOf(network, address, ports);
  try {
    // Deleting a missing element is an error. Adding an existing one is not, unless another container has it.
    await eachIfNotAll(
      elements,
      ({ text }) => `add element ${text}\ndelete element ${text}`,
      async () => {},
    );
  } catch (error) {
    const table = await runProgram("nft", ["list", "table", ...tableName(network).split(" ")]);
    if (table.code === 0) throw error;
  }
}

/**
 * All in one transaction. If that fails although an element is in its map already, one by one, with `otherwise` for an
 * element whose own transaction fails like that: it has another value.
 */
async function eachIfNotAll(
  elements: Element[],
  transaction: (element: Element) => string,
  otherwise: (element: Element) => Promise<void>,
): Promise<void> {
  if (elements.length === 0) return;
  try {
    return await nft(elements.map(transaction).join("\n"));
  } catch (error) {
    const taken = await Promise.all(elements.map(isTaken));
    if (!taken.includes(true)) throw error;
  }
  for (const element of elements) {
    try {
      await nft(transaction(element));
    } catch (error) {
      if (!(await isTaken(element))) throw error;
      await otherwise(element);
    }
  }
}

/** Whether the map has its key, with any value. */
async function isTaken({ key }: Element): Promise<boolean> {
  return (await runProgram("nft", ["get", "element", ...key.split(" ")])).code === 0;
}

/** Carries out a transaction, either all of it or nothing. */
export async function nft(transaction: string): Promise<void> {
  const { code, stderr } = await runProgram("nft", ["-f", "-"], transaction);
  if (code !== 0) throw failedTool("nft", code, stderr);
}

/** A transaction takes a few milliseconds, and waits for those of other programs. */
const LIMIT_MS = 60_000;

/** Runs a program to its end. Throws `no-such` if it is not installed, `call` if it cannot be started. */
export async function runProgram(program: string, args: string[], input = ""): Promise<Ended> {
  const child = start(program, args);
  const stdin = child.pipes[0]!;
  stdin.on("error", () => {}); // it ended without reading; the exit code says why
  stdin.end(input);
  const [{ code }, ...said] = await Promise.all([endOf(child, libc, LIMIT_MS), saidBy(child, 1), saidBy(child, 2)]);
  return { code, stdout: said[0], stderr: said[1] };
}

function start(program: string, args: string[]): Child {
  try {
    return startChild(libc, { program, args, files: ["pipe", "pipe", "pipe"] });
  } catch (error) {
    throw missingProgram(error, program);
  }
}

/** How a program ended. It has no code if a signal killed it. */
export interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
}

function tableName(network: string): string {
  return `ip coracle-${network.slice(0, 12)}`;
}

function chain(table: string, name: string, hook: string, rules: string[]): string[] {
  return [
    `add chain ${table} ${name} ${hook && `{ ${hook} }`}`,
    `flush chain ${table} ${name}`,
    ...rules.map((rule) => `add rule ${table} ${name} ${rule}`),
  ];
}

/** An element of one of the maps in nft's syntax: the whole element, and its key. */
interface Element {
  text: string;
  key: string;
}

/** For ports on IPv4, because the table has no others. */
function elementsOf(network: string, address: string, ports: PortMapping[]): Element[] {
  const known = ports.filter(({ hostAddress }) => !isIpv6(hostAddress));
  return known.map((port) => elementOf(network, address, port));
}

function elementOf(network: string, address: string, port: PortMapping): Element {
  const anywhere = port.hostAddress === "0.0.0.0";
  const map = `${tableName(network)} ${anywhere ? "everywhere" : "published"}`;
  const key = `${anywhere ? "" : `${port.hostAddress} . `}${port.protocol} . ${port.hostPort}`;
  return { text: `${map} { ${key} : ${address} . ${port.containerPort} }`, key: `${map} { ${key} }` };
}
