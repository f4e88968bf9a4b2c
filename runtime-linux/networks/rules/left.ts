// What is in the engine's table although it should not be: a crash, another version or somebody else has left it there.

import type { networks } from "../../../hosts/shared/index.js";
import { rangeOf } from "../addresses.js";
import { addChain, chainsIn, deleteChain } from "../filter/chains.js";
import type { Table } from "../filter/message.js";
import { flushSet, listElements } from "../filter/set-elements.js";
import { deleteTable, isTableThere } from "../filter/tables.js";
import type { Netlink, Request } from "../netlink/netlink.js";
import { chainNamesOf, earlierTableOf, elementsOfBridge, isChainOfBridge, subnetOf } from "./bridge-rules.js";
import { BRIDGE_SETS, PORT_SETS, type Family } from "./engine-table.js";
import { changes, type PlacedElement } from "./elements.js";

type Bridge = networks.Bridge;

/** A network whose rules are in the table, or may be. */
export interface Ruled {
  made: Bridge;
  /** Its published ports. */
  ports: () => readonly PlacedElement[];
}

/**
 * Requests that remove all but these networks: their chains, the elements that lead there, and published ports, which would be
 * in the way of a network with the same interface, or with some of the same addresses. The table and its sets must exist by
 * then.
 */
export async function withoutOthers(filter: Netlink, table: Table, all: readonly Ruled[]): Promise<Request[]> {
  const wanted = all.flatMap(({ ports }) => ports()).filter(({ family }) => family === table.family);
  const known = new Set(wanted.map(nameOf));
  const ports = (await portsIn(filter, table)).filter((port) => !known.has(nameOf(port)));
  const bridges = all.map(({ made }) => made);
  return [...(await withoutStrangers(filter, table, bridges)), ...changes("delete", () => table, ports)];
}

/** Requests that remove published ports which lead to addresses of the network. */
export async function withoutPortsTo(filter: Netlink, table: Table, made: Bridge): Promise<Request[]> {
  const [subnet, bits] = subnetOf(made, table.family);
  const { first } = rangeOf(subnet, bits);
  const ports = (await portsIn(filter, table)).filter((port) => {
    return Buffer.compare(rangeOf(addressIn(port), bits).first, first) === 0;
  });
  return changes("delete", () => table, ports);
}

async function portsIn(filter: Netlink, table: Table): Promise<PlacedElement[]> {
  const { family } = table;
  // While the kernel makes a set larger, it may list an element twice.
  const found = new Map<string, PlacedElement>();
  for (const set of PORT_SETS) {
    for (const element of await listElements(filter, table, set)) {
      const port = { family, set, ...element };
      found.set(nameOf(port), port);
    }
  }
  return [...found.values()];
}

/** The container's address comes first, in the target of a port as in the key of one that is opened. */
function addressIn({ family, key, value = key }: PlacedElement): Uint8Array {
  return value.subarray(0, family === "ip" ? 4 : 16);
}

/** Ports may be many thousands: they are compared by look-up. */
function nameOf({ set, key, value = NONE }: PlacedElement): string {
  return `${set} ${Buffer.from(key).toString("hex")} ${Buffer.from(value).toString("hex")}`;
}

const NONE = new Uint8Array(0);

/** Other networks' chains, and the elements that lead to them. The chains of these networks stay as they are. */
async function withoutStrangers(filter: Netlink, table: Table, all: readonly Bridge[]): Promise<Request[]> {
  const known = new Set(all.flatMap((made) => Object.values(chainNamesOf(made))));
  const strangers = (await chainsIn(filter, table)).filter((name) => isChainOfBridge(name) && !known.has(name));
  if (strangers.length === 0) return [];
  const elements = all.flatMap((made) => elementsOfBridge(made, table.family));
  return [
    ...[...known].map((name) => addChain(table, name)),
    ...BRIDGE_SETS.map((set) => flushSet(table, set)),
    ...changes("add", () => table, elements),
    ...strangers.map((name) => deleteChain(table, name)),
  ];
}

/** Removes the network's own table that an earlier version made, if there is one. */
export async function withoutEarlierTable(filter: Netlink, made: Bridge, family: Family): Promise<Request[]> {
  const table = earlierTableOf(made, family);
  return (await isTableThere(filter, table)) ? [deleteTable(table)] : [];
}
