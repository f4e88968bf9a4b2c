// The firewall rules of a bridge network: one nft table for each network, made and removed along with it. Published
// ports are elements of two maps in it, so a packet's path does not grow with the number of containers.

import { failedTool } from "../../hosts/shared/index.js";
import type { networks } from "../../hosts/shared/index.js";
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
 * - `leaving`: containers' packets go out under the machine's address, unless the network does not masquerade. So do
 *   packets to a published port from the same bridge or from 127.0.0.1, since their answers must come back this way.
 * - `entering`: only answers and published ports get in from outside the bridge; for an internal network nothing gets
 *   in or out. It sees packets from the bridge back to the bridge, too, if a container sends them to the gateway.
 */
export function tableOf(made: Bridge): string {
  const { network, interfaceName, subnet, masquerades } = made;
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
      ...(masquerades ? [`ip saddr ${subnet} oifname != { ${bridge}, "lo" } masquerade`] : []),
      `oifname ${bridge} ip saddr { ${subnet}, 127.0.0.0/8 } ct status dnat masquerade`,
    ]),
    ...chain(table, "entering", "type filter hook forward priority filter ;", entering(made, bridge)),
  ].join("\n");
}

function entering({ internal, connectsContainers }: Bridge, bridge: string): string[] {
  return internal ? closed(bridge, connectsContainers) : open(bridge, connectsContainers);
}

/**
 * If the network does not connect its containers, ports of the bridge are isolated from each other. But a container may
 * send packets for another one to the gateway, which would route them back to the bridge. So these count as packets
 * from outside.
 */
function open(bridge: string, connects: boolean): string[] {
  return [
    `oifname != ${bridge} accept`,
    ...(connects ? [`iifname ${bridge} accept`] : []),
    `ct state established,related accept`,
    `ct status dnat accept`,
    `drop`,
  ];
}

/**
 * For an internal network: what comes from the bridge stays on it, and nothing else gets in. If the network does not
 * connect its containers, only published ports and answers are routed back to the bridge, as in `open`.
 */
function closed(bridge: string, connects: boolean): string[] {
  const back = `iifname ${bridge} oifname ${bridge}`;
  const ways = connects ? [""] : ["ct state established,related ", "ct status dnat "];
  return [...ways.map((way) => `${back} ${way}accept`), `iifname ${bridge} drop`, `oifname ${bridge} drop`];
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
  await change(
    network,
    elementsOf(network, address, ports),
    ({ text }) => `add element ${text}`,
    ({ key, text }) => `delete element ${key}\nadd element ${text}`,
  );
}

/** Unpublishes ports. Ports that are not published are no error, and neither is a missing table. */
export async function unpublish(network: string, address: string, ports: PortMapping[]): Promise<void> {
  try {
    // Deleting a missing element is an error. Adding an existing one is not, unless another container has it.
    await change(
      network,
      elementsOf(network, address, ports),
      ({ text }) => `add element ${text}\ndelete element ${text}`,
      () => "",
    );
  } catch (error) {
    if (await hasTable(network)) throw error;
  }
}

/**
 * Changes all elements in one transaction. That fails if one of them has another value in its map. If so, tries once
 * more, with `ifTaken` for these.
 */
async function change(
  network: string,
  elements: Element[],
  usual: (element: Element) => string,
  ifTaken: (element: Element) => string,
): Promise<void> {
  if (elements.length === 0) return;
  try {
    await nft(elements.map(usual).join("\n"));
  } catch (error) {
    const values = await valuesIn(network);
    const isTaken = ({ key, value }: Element) => (values.get(key) ?? value) !== value;
    if (!elements.some(isTaken)) throw error; // nft failed for another reason
    await nft(elements.map((element) => (isTaken(element) ? ifTaken(element) : usual(element))).join("\n"));
  }
}

/** Values in the maps of a network's table, by their keys. Empty if nft cannot tell, as without a table. */
async function valuesIn(network: string): Promise<Map<string, string>> {
  const table = tableName(network);
  const listing = await runProgram("nft", ["--json", "--numeric-protocol", "list", "table", ...table.split(" ")]);
  const values = new Map<string, string>();
  if (listing.code !== 0) return values;
  for (const { map } of listedBy(listing))
    for (const [{ concat: key }, { concat: value }] of map?.elem ?? [])
      values.set(`${table} ${map?.name} { ${key.join(" . ")} }`, value.join(" . "));
  return values;
}

async function hasTable(network: string): Promise<boolean> {
  const listing = await runProgram("nft", ["--json", "list", "tables", "ip"]);
  if (listing.code !== 0) throw failedTool("nft", listing.code, listing.stderr);
  return listedBy(listing).some(({ table }) => table !== undefined && `ip ${table.name}` === tableName(network));
}

/** What nft lists as JSON (libnftables-json(5)), of which only the parts that we read are typed. */
interface Listed {
  table?: { name: string };
  map?: { name: string; elem?: [key: Concatenation, value: Concatenation][] };
}

interface Concatenation {
  concat: (string | number)[];
}

function listedBy({ stdout }: Ended): Listed[] {
  return (JSON.parse(stdout) as { nftables: Listed[] }).nftables;
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

/** An element of one of the maps in nft's syntax: the whole element, its key with the map, and its value. */
interface Element {
  text: string;
  key: string;
  value: string;
}

/** For ports on IPv4, because the table has no others. */
function elementsOf(network: string, address: string, ports: PortMapping[]): Element[] {
  const known = ports.filter(({ hostAddress }) => !isIpv6(hostAddress));
  return known.map((port) => elementOf(network, address, port));
}

function elementOf(network: string, address: string, port: PortMapping): Element {
  const anywhere = port.hostAddress === "0.0.0.0";
  const map = `${tableName(network)} ${anywhere ? "everywhere" : "published"}`;
  const at = anywhere ? [] : [port.hostAddress];
  const key = [...at, PROTOCOLS[port.protocol], port.hostPort].join(" . ");
  const value = `${address} . ${port.containerPort}`;
  return { text: `${map} { ${key} : ${value} }`, key: `${map} { ${key} }`, value };
}

/** IP protocols by their numbers: whether nft knows their names depends on the machine (/etc/protocols). */
const PROTOCOLS: Readonly<Record<string, number>> = { tcp: 6, udp: 17, sctp: 132 };
