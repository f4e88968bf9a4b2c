// What is in the engine's table although it should not be: a crash, another version or somebody else has left it there.

import type { networks } from "../../../hosts/shared/index.js";
import type { Netlink, Request } from "../netlink/netlink.js";
import { chainNamesOf, elementsOfBridge, isChainOfBridge, subnetOf } from "./bridge-rules.js";
import { BRIDGE_SETS, PORT_SETS } from "./engine-table.js";
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
  const isWrong = (address: Uint8Array): boolean => {
    if (isOf(made, table, address)) return true;
    return all !== undefined && !all.some((one) => isOf(one, table, address));
  };
  const ports = await portsTo(filter, table, isWrong);
  return [...(all ? await withoutStrangers(filter, table, all) : []), ...changes("delete", () => table, ports)];
}

function isOf(made: Bridge, { family }: Table, address: Uint8Array): boolean {
  const [subnet, bits] = subnetOf(made, family);
  return Buffer.compare(rangeOf(address, bits).first, rangeOf(subnet, bits).first) === 0;
}

async function portsTo(
  filter: Netlink,
  table: Table,
  isWrong: (address: Uint8Array) => boolean,
): Promise<PlacedElement[]> {
  const { family } = table;
  const found: PlacedElement[] = [];
  for (const set of PORT_SETS) {
    for (const element of await listElements(filter, table, set)) {
      // The container's address comes first, in the target of a port as in the key of one that is opened.
      const address = (element.value ?? element.key).subarray(0, family === "ip" ? 4 : 16);
      if (isWrong(address)) found.push({ family, set, ...element });
    }
  }
  return found;
}

/** Other networks' chains, and the elements that lead to them. The chains of these networks stay as they are. */
async function withoutStrangers(filter: Netlink, table: Table, all: readonly Bridge[]): Promise<Request[]> {
  const known = all.flatMap((made) => Object.values(chainNamesOf(made)));
  const strangers = (await chainsIn(filter, table)).filter((name) => isChainOfBridge(name) && !known.includes(name));
  if (strangers.length === 0) return [];
  const elements = all.flatMap((made) => elementsOfBridge(made, table.family));
  return [
    ...known.map((name) => addChain(table, name)),
    ...BRIDGE_SETS.map((set) => flushSet(table, set)),
    ...changes("add", () => table, elements),
    ...strangers.map((name) => deleteChain(table, name)),
  ];
}
