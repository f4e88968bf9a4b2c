// Published ports in the firewall: elements of the maps and of the set in their network's tables (`bridge-tables.ts`).

import type { networks } from "../../hosts/shared/index.js";
import type { Kernel } from "../kernel.js";
import { addressBytes, isIpv6 } from "./addresses.js";
import { familiesOf, inFilter, tableOf } from "./bridge-tables.js";
import type { Netlink, Request } from "./netlink.js";
import { big } from "./nf-expressions.js";
import { changeElements, flushSet, inARow, transact, type SetElement, type Table } from "./nf-tables.js";

type Bridge = networks.Bridge;
type Join = networks.Join;
type PortMapping = networks.PortMapping;

const SETS = ["published", "everywhere", "opened"] as const;

interface Element extends SetElement {
  family: Table["family"];
  set: (typeof SETS)[number];
}

/** The kernel takes no more than some 200 KB at once. An element has less than 80 bytes, and may be added and removed. */
const AT_ONCE = 1000;

/** Publishes the ports of exactly these joins. Removes what a crash or somebody else has left there. */
export async function publishOnly(kernel: Kernel, made: Bridge, joins: readonly Join[]): Promise<void> {
  const elements = joins.flatMap(elementsOf);
  const flush = familiesOf(made).flatMap((family) => SETS.map((set) => flushSet(tableOf(made, family), set)));
  await inFilter(kernel, async (filter) => {
    await transact(filter, [...flush, ...changes("add", made, elements.slice(0, AT_ONCE))]);
    for (const some of portions(elements.slice(AT_ONCE))) await transact(filter, changes("add", made, some));
  });
}

/** Publishes the ports of a container. Takes them over from any other container. */
export async function publish(kernel: Kernel, join: Join): Promise<void> {
  await inFilter(kernel, async (filter) => {
    for (const some of portions(elementsOf(join))) {
      const add = (elements: Element[]): Request[] => changes("add", join.bridge, elements);
      await attempt(filter, some, add, (taken) => [...changes("delete", join.bridge, [taken]), ...add([taken])]);
    }
  });
}

/** Unpublishes ports. Those of another container are left to it. A missing table is no error. */
export async function unpublish(kernel: Kernel, join: Join): Promise<void> {
  // Deleting a missing element is an error. Adding an existing one is not, unless another container has it.
  const remove = (elements: Element[]): Request[] => [
    ...changes("add", join.bridge, elements),
    ...changes("delete", join.bridge, elements),
  ];
  const all = elementsOf(join);
  await inFilter(kernel, async (filter) => {
    // One transaction for each family, so that a missing table does not keep the other's ports.
    for (const family of familiesOf(join.bridge)) {
      const own = all.filter((element) => element.family === family);
      for (const some of portions(own)) await attempt(filter, some, remove, () => []).catch(unlessWithoutTable);
    }
  });
}

/** Changes all elements in one transaction. If another container has one of them, each in its own. */
async function attempt(
  filter: Netlink,
  elements: Element[],
  usual: (elements: Element[]) => Request[],
  ifTaken: (element: Element) => Request[],
): Promise<void> {
  try {
    await transact(filter, usual(elements));
  } catch (error) {
    if (!isTaken(error)) throw error;
    if (elements.length > 1) for (const element of elements) await attempt(filter, [element], usual, ifTaken);
    else if (ifTaken(elements[0]!).length > 0) await transact(filter, ifTaken(elements[0]!));
  }
}

/** What the kernel says of an element that has another value in its map. */
function isTaken(error: unknown): boolean {
  return ["EBUSY", "EEXIST"].includes((error as NodeJS.ErrnoException).code ?? "");
}

function unlessWithoutTable(error: NodeJS.ErrnoException): void {
  if (error.code !== "ENOENT") throw error;
}

function portions(elements: Element[]): Element[][] {
  const count = Math.ceil(elements.length / AT_ONCE);
  return Array.from({ length: count }, (_, at) => elements.slice(at * AT_ONCE, (at + 1) * AT_ONCE));
}

/** One request for each set that has some of the elements. */
function changes(act: "add" | "delete", made: Bridge, elements: readonly Element[]): Request[] {
  return familiesOf(made).flatMap((family) =>
    SETS.flatMap((set) => {
      const own = elements.filter((element) => element.family === family && element.set === set);
      return own.length === 0 ? [] : [changeElements(act, tableOf(made, family), set, own)];
    }),
  );
}

/** For ports that lead to an address of their own family: the kernel does not translate from one to the other. */
function elementsOf({ bridge, address, ipv6Address, ports }: Join): Element[] {
  return ports.flatMap((port) => {
    const to = isIpv6(port.hostAddress) ? ipv6Address : address;
    return to === "" ? [] : elementsFor(bridge, to, port);
  });
}

function elementsFor({ trustedInterfaces }: Bridge, address: string, port: PortMapping): Element[] {
  const family = isIpv6(address) ? "ip6" : "ip";
  const [to, protocol] = [addressBytes(address), big(PROTOCOLS[port.protocol] ?? 0, 1)];
  const own = [to, big(port.containerPort, 2)];
  const opened: Element = { family, set: "opened", key: inARow(to, protocol, big(port.containerPort, 2)) };
  if (port.hostPort === 0) return [opened];
  const at = addressBytes(port.hostAddress);
  const [set, place] = at.every((byte) => byte === 0) ? (["everywhere", []] as const) : (["published", [at]] as const);
  const key = inARow(...place, protocol, big(port.hostPort, 2));
  const mapped: Element = { family, set, key, value: inARow(...own) };
  return trustedInterfaces.length > 0 ? [mapped, opened] : [mapped];
}

/** IP protocols by their numbers. */
const PROTOCOLS: Readonly<Record<string, number>> = { tcp: 6, udp: 17, sctp: 132 };
