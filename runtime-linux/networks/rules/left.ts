// What is in the engine's table although it should not be: a crash, another version or somebody else has left it there.

import type { networks } from "../../../hosts/shared/index.js";
import type { Netlink, Request } from "../netlink/netlink.js";
import { chainNamesOf, elementsOfBridge, isChainOfBridge, subnetOf } from "./bridge-rules.js";
import { BRIDGE_SETS, PORT_SETS, type Subnet } from "./engine-table.js";
import { changes, type PlacedElement } from "./elements.js";
import { flushSet, listElements } from "./nf-elements.js";
import { rangeOf } from "./nf-expressions.js";
import { addChain, chainsIn, deleteChain, type Table } from "./nf-tables.js";

type Bridge = networks.Bridge;

/**
 * Requests that remove published ports which lead to addresses of the network. `all`, before an engine's first change of a
 * table: the networks whose rules may be there. Then everything else goes, too, wherever it leads: it would be in the way
 * of a network with the same interface, or with some of the same addresses. The table and its sets must exist by then.
 */
export async function withoutLeft(
  filter: Netlink,
  table: Table,
  made: Bridge,
  all: readonly Bridge[] | undefined,
): Promise<Request[]> {
  const isOwn = membersOf([made], table);
  const isKnown = all ? membersOf(all, table) : EVERYWHERE;
  const ports = await portsTo(filter, table, (address) => isOwn(address) || !isKnown(address));
  return [...(all ? await withoutStrangers(filter, table, all) : []), ...changes("delete", () => table, ports)];
}

/** Whether an address is of one of these networks. Networks and ports may be thousands: it looks up, and compares with none. */
function membersOf(all: readonly Bridge[], { family }: Table): (address: Uint8Array) => boolean {
  const subnets = all.map((made) => subnetOf(made, family));
  const known = new Set(subnets.map(beginningOf));
  const lengths = [...new Set(subnets.map(([, bits]) => bits))];
  return (address) => lengths.some((bits) => known.has(beginningOf([address, bits])));
}

/** Names a subnet by any of its addresses. */
function beginningOf([address, bits]: Subnet): string {
  return `${Buffer.from(rangeOf(address, bits).first).toString("hex")}/${bits}`;
}

const EVERYWHERE = (): boolean => true;

async function portsTo(
  filter: Netlink,
  table: Table,
  isWrong: (address: Uint8Array) => boolean,
): Promise<PlacedElement[]> {
  const { family } = table;
  // By set and key: while the kernel makes a set larger, it may list an element twice.
  const found = new Map<string, PlacedElement>();
  for (const set of PORT_SETS) {
    for (const element of await listElements(filter, table, set)) {
      // The container's address comes first, in the target of a port as in the key of one that is opened.
      const address = (element.value ?? element.key).subarray(0, family === "ip" ? 4 : 16);
      if (isWrong(address))
        found.set(`${set} ${Buffer.from(element.key).toString("hex")}`, { family, set, ...element });
    }
  }
  return [...found.values()];
}

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
