// The firewall rules of a bridge network: one nft table for each of its families, made and removed along with it.
// Published ports are elements of two maps in it, so a packet's path does not grow with the number of containers.

import { failedTool, isMissing } from "../../hosts/shared/index.js";
import type { networks } from "../../hosts/shared/index.js";
import { endOf, missingProgram, saidBy, startChild, type Child } from "../launch/child.js";
import { libc } from "../kernel/libc.js";
import { addressBytes, isIpv6 } from "./addresses.js";

type Bridge = networks.Bridge;
type PortMapping = networks.PortMapping;
type Join = networks.Join;

/** What differs between the tables of the two families. */
interface Family {
  /** Of the table, and of addresses in rules. */
  name: "ip" | "ip6";
  /** Where the machine reaches itself. */
  loopback: string;
}

const IPV4: Family = { name: "ip", loopback: "127.0.0.0/8" };
const IPV6: Family = { name: "ip6", loopback: "::1" };

/** Transactions that make the network's tables: see `tableOf`. */
export function tablesOf(made: Bridge): string[] {
  return familiesOf(made).map((family) => tableOf(made, family));
}

function familiesOf({ subnet, ipv6Subnet }: Bridge): Family[] {
  return [...(subnet === "" ? [] : [IPV4]), ...(ipv6Subnet === "" ? [] : [IPV6])];
}

/**
 * A transaction that makes the network's table of one family. If the table exists, the elements of its maps stay.
 * - `guard`: 127.0.0.0/8 is routed to the bridge (route_localnet), so only the machine itself may send to it. This
 *   chain comes before conntrack, which turns containers' answers back into packets for 127.0.0.1. The kernel itself does
 *   that for ::1.
 * - `publish`: translates an address and port of the machine to those of a container, for packets from elsewhere, from
 *   containers and from the machine itself. Packets for ::1 cannot be led to a container: see `ports.ts`.
 * - `leaving`: containers' packets go out under the machine's address, unless the network does not masquerade. So do
 *   packets to a published port from the same bridge or from 127.0.0.1, since their answers must come back this way.
 * - `entering`: only answers and published ports get in from outside the bridge, or what else the gateway mode lets in;
 *   for an internal network nothing gets in or out. It sees packets from the bridge back to the bridge, too, if a
 *   container sends them to the gateway.
 * The set `opened` has the published ports, at containers' own addresses, of a routed network, and of one that trusts
 * interfaces.
 */
function tableOf(made: Bridge, { name, loopback }: Family): string {
  const { network, interfaceName } = made;
  const { subnet, mode, source } = sideOf(made, name);
  const masquerades = made.masquerades && mode !== "routed";
  const leave = source === "" ? "masquerade" : `snat to ${source}`;
  const table = tableName(network, name);
  const address = name === "ip" ? "ipv4_addr" : "ipv6_addr";
  const bridge = JSON.stringify(interfaceName);
  return [
    `add table ${table}`,
    `add map ${table} published { type ${address} . inet_proto . inet_service : ${address} . inet_service ; }`,
    `add map ${table} everywhere { type inet_proto . inet_service : ${address} . inet_service ; }`,
    `add set ${table} opened { type ${address} . inet_proto . inet_service ; }`,
    ...chain(table, "guard", "type filter hook prerouting priority raw ;", [
      `iifname != "lo" ${name} daddr ${loopback} drop`,
    ]),
    ...chain(table, "publish", "", [
      ...(name === "ip6" ? [`ip6 daddr ${loopback} return`] : []),
      `dnat to ${name} daddr . meta l4proto . th dport map @published`,
      `fib daddr type local dnat to meta l4proto . th dport map @everywhere`,
    ]),
    ...chain(table, "arriving", "type nat hook prerouting priority dstnat ;", ["jump publish"]),
    ...chain(table, "local", "type nat hook output priority -100 ;", ["jump publish"]),
    ...chain(table, "leaving", "type nat hook postrouting priority srcnat ;", [
      ...(masquerades ? [`${name} saddr ${subnet} oifname != { ${bridge}, "lo" } ${leave}`] : []),
      `oifname ${bridge} ${name} saddr { ${subnet}, ${loopback} } ct status dnat masquerade`,
    ]),
    ...chain(
      table,
      "entering",
      "type filter hook forward priority filter ;",
      entering(made, bridge, ways(made, bridge, name)),
    ),
  ].join("\n");
}

/** A network in one family. `source`: the address under which packets leave; empty for the interface's. */
function sideOf(made: Bridge, name: Family["name"]): { subnet: string; mode: string; source: string } {
  const { subnet, gatewayMode, sourceAddress, ipv6Subnet, ipv6GatewayMode, ipv6SourceAddress } = made;
  if (name === "ip") return { subnet, mode: gatewayMode, source: sourceAddress };
  return { subnet: ipv6Subnet, mode: ipv6GatewayMode, source: ipv6SourceAddress };
}

/** What the gateway mode and the network's options let in from outside the bridge, besides what every mode does. */
function ways(made: Bridge, bridge: string, name: Family["name"]): string[] {
  const { mode } = sideOf(made, name);
  if (mode === "nat-unprotected") return [`iifname != ${bridge} accept`];
  const opened = `${name} daddr . meta l4proto . th dport @opened accept`;
  if (mode === "nat") return made.trustedInterfaces.map((trusted) => `iifname ${JSON.stringify(trusted)} ${opened}`);
  if (mode !== "routed") return [];
  const icmp = name === "ip" ? ICMP : ICMPV6;
  return [`iifname != ${bridge} meta l4proto ${icmp} accept`, opened];
}

/** IP protocols: see `PROTOCOLS`. */
const ICMP = 1;
const ICMPV6 = 58;

function entering({ internal, connectsContainers }: Bridge, bridge: string, more: string[]): string[] {
  return internal ? closed(bridge, connectsContainers) : open(bridge, connectsContainers, more);
}

/**
 * If the network does not connect its containers, ports of the bridge are isolated from each other. But a container may
 * send packets for another one to the gateway, which would route them back to the bridge. So these count as packets
 * from outside.
 */
function open(bridge: string, connects: boolean, more: string[]): string[] {
  return [
    `oifname != ${bridge} accept`,
    ...(connects ? [`iifname ${bridge} accept`] : []),
    `ct state established,related accept`,
    `ct status dnat accept`,
    ...more,
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

/** Removes the network's tables. A missing table is no error, and without nft there is none. */
export async function removeTables(made: Bridge): Promise<void> {
  const tables = familiesOf(made).map(({ name }) => tableName(made.network, name));
  try {
    await nft(tables.map((table) => `add table ${table}\ndelete table ${table}`).join("\n"));
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
}

/** Sets the maps to the ports of exactly these joins. Removes what a crash or somebody else has left there. */
export function publishedBy(made: Bridge, joins: Join[]): string {
  const tables = familiesOf(made).map(({ name }) => tableName(made.network, name));
  return [
    ...tables.flatMap((table) => [
      ...[`flush map ${table} published`, `flush map ${table} everywhere`, `flush set ${table} opened`],
    ]),
    ...joins.flatMap(elementsOf).map((element) => `add element ${element.text}`),
  ].join("\n");
}

/** Publishes the ports of a container. Takes them over from any other container. */
export async function publish(join: Join): Promise<void> {
  await change(
    join.bridge,
    elementsOf(join),
    ({ text }) => `add element ${text}`,
    ({ key, text }) => `delete element ${key}\nadd element ${text}`,
  );
}

/** Unpublishes ports. Ports that are not published are no error, and neither is a missing table. */
export async function unpublish(join: Join): Promise<void> {
  const elements = elementsOf(join);
  // One transaction for each family, so that a missing table does not keep the other's ports.
  for (const table of new Set(elements.map((element) => element.table))) {
    const own = elements.filter((element) => element.table === table);
    await unpublishFrom(join.bridge, table, own);
  }
}

async function unpublishFrom(made: Bridge, table: string, elements: Element[]): Promise<void> {
  try {
    // Deleting a missing element is an error. Adding an existing one is not, unless another container has it.
    await change(
      made,
      elements,
      ({ text }) => `add element ${text}\ndelete element ${text}`,
      () => "",
    );
  } catch (error) {
    if (await hasTable(table)) throw error;
  }
}

/**
 * Changes all elements in one transaction. That fails if one of them has another value in its map. If so, tries once
 * more, with `ifTaken` for these.
 */
async function change(
  made: Bridge,
  elements: Element[],
  usual: (element: Element) => string,
  ifTaken: (element: Element) => string,
): Promise<void> {
  if (elements.length === 0) return;
  try {
    await nft(elements.map(usual).join("\n"));
  } catch (error) {
    const values = await valuesIn(made);
    const isTaken = ({ key, value }: Element) => (values.get(key) ?? value) !== value;
    if (!elements.some(isTaken)) throw error; // nft failed for another reason
    await nft(elements.map((element) => (isTaken(element) ? ifTaken(element) : usual(element))).join("\n"));
  }
}

/** Values in the maps of a network's tables, by their keys. Empty if nft cannot tell, as without a table. */
async function valuesIn(made: Bridge): Promise<Map<string, string>> {
  const values = new Map<string, string>();
  for (const { name } of familiesOf(made)) {
    const table = tableName(made.network, name);
    const listing = await runProgram("nft", ["--json", "--numeric-protocol", "list", "table", ...table.split(" ")]);
    if (listing.code !== 0) continue;
    for (const { map } of listedBy(listing))
      for (const [{ concat: key }, { concat: value }] of map?.elem ?? [])
        values.set(`${table} ${map?.name} { ${key.join(" . ")} }`, value.join(" . "));
  }
  return values;
}

async function hasTable(name: string): Promise<boolean> {
  const listing = await runProgram("nft", ["--json", "list", "tables"]);
  if (listing.code !== 0) throw failedTool("nft", listing.code, listing.stderr);
  return listedBy(listing).some(({ table }) => `${table?.family} ${table?.name}` === name);
}

/** What nft lists as JSON (libnftables-json(5)), of which only the parts that we read are typed. */
interface Listed {
  table?: { family: string; name: string };
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

function tableName(network: string, family: Family["name"]): string {
  return `${family} coracle-${network.slice(0, 12)}`;
}

function chain(table: string, name: string, hook: string, rules: string[]): string[] {
  return [
    `add chain ${table} ${name} ${hook && `{ ${hook} }`}`,
    `flush chain ${table} ${name}`,
    ...rules.map((rule) => `add rule ${table} ${name} ${rule}`),
  ];
}

/**
 * An element of a map, or of the set, in nft's syntax: its table, the whole element, its key with the map, and its value.
 * Elements of the set have no value.
 */
interface Element {
  table: string;
  text: string;
  key: string;
  value: string;
}

/** For ports that lead to an address of their own family: the kernel does not translate from one to the other. */
function elementsOf({ bridge, address, ipv6Address, ports }: Join): Element[] {
  return ports.flatMap((port) => {
    const to = isIpv6(port.hostAddress) ? ipv6Address : address;
    return to === "" ? [] : elementsFor(bridge, to, port);
  });
}

function elementsFor({ network, trustedInterfaces }: Bridge, address: string, port: PortMapping): Element[] {
  const table = tableName(network, (isIpv6(address) ? IPV6 : IPV4).name);
  if (port.hostPort === 0) return [openedElement(table, address, port)];
  const mapped = mappedElement(table, address, port);
  return trustedInterfaces.length > 0 ? [mapped, openedElement(table, address, port)] : [mapped];
}

function mappedElement(table: string, address: string, port: PortMapping): Element {
  const anywhere = addressBytes(port.hostAddress).every((byte) => byte === 0);
  const map = `${table} ${anywhere ? "everywhere" : "published"}`;
  const at = anywhere ? [] : [port.hostAddress];
  const key = [...at, PROTOCOLS[port.protocol], port.hostPort].join(" . ");
  const value = `${address} . ${port.containerPort}`;
  return { table, text: `${map} { ${key} : ${value} }`, key: `${map} { ${key} }`, value };
}

function openedElement(table: string, address: string, { protocol, containerPort }: PortMapping): Element {
  const key = `${table} opened { ${address} . ${PROTOCOLS[protocol]} . ${containerPort} }`;
  return { table, text: key, key, value: "" };
}

/** IP protocols by their numbers: whether nft knows their names depends on the machine (/etc/protocols). */
const PROTOCOLS: Readonly<Record<string, number>> = { tcp: 6, udp: 17, sctp: 132 };
