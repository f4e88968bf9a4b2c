// Published ports in the firewall: elements of maps in their network's tables (`bridge-tables.ts`), which the program nft
// adds and removes.

import { failedTool } from "../../hosts/shared/index.js";
import type { networks } from "../../hosts/shared/index.js";
import { endOf, missingProgram, saidBy, startChild, type Child } from "../launch/child.js";
import { libc } from "../kernel/libc.js";
import { addressBytes, isIpv6 } from "./addresses.js";
import { familiesOf, tableOf } from "./bridge-tables.js";
import type { Table } from "./nf-tables.js";

type Bridge = networks.Bridge;
type PortMapping = networks.PortMapping;
type Join = networks.Join;

/**
 * A transaction that sets the maps to the ports of exactly these joins: it removes what a crash or somebody else has left
 * there. Empty if they have none.
 */
export function publishedBy(made: Bridge, joins: Join[]): string {
  const elements = joins.flatMap(elementsOf);
  if (elements.length === 0) return "";
  const tables = familiesOf(made).map((family) => tableName(made, family));
  return [
    ...tables.flatMap((table) => [
      ...[`flush map ${table} published`, `flush map ${table} everywhere`, `flush set ${table} opened`],
    ]),
    ...elements.map((element) => `add element ${element.text}`),
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
  for (const family of familiesOf(made)) {
    const table = tableName(made, family);
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

/** As nft names it. */
function tableName(made: Bridge, family: Table["family"]): string {
  return `${family} ${tableOf(made, family).name}`;
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

function elementsFor(made: Bridge, address: string, port: PortMapping): Element[] {
  const table = tableName(made, isIpv6(address) ? "ip6" : "ip");
  if (port.hostPort === 0) return [openedElement(table, address, port)];
  const mapped = mappedElement(table, address, port);
  return made.trustedInterfaces.length > 0 ? [mapped, openedElement(table, address, port)] : [mapped];
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
