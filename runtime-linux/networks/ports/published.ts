// Published ports in the firewall: elements of the maps and of the set in their network's tables (`port-elements.ts`).
// Changes of one network's must not overlap: see `rule-turns.ts`.

import type { networks } from "../../../hosts/shared/index.js";
import type { Kernel } from "../../kernel.js";
import { familiesOf, inFilter, tableOf } from "../rules/bridge-tables.js";
import type { Netlink, Request } from "../netlink/netlink.js";
import { changeElements, flushSet, MOST_ELEMENTS, valueOf } from "../rules/nf-elements.js";
import { transact } from "../rules/nf-tables.js";
import { elementsOf, lastForEachKey, SETS, withoutTwins, type PortElement } from "./port-elements.js";

type Bridge = networks.Bridge;
type Join = networks.Join;

/**
 * Publishes the ports of exactly these joins. Removes what a crash or somebody else has left there. All in one
 * transaction, so that no port is without its target meanwhile.
 */
export async function publishOnly(kernel: Kernel, made: Bridge, joins: readonly Join[]): Promise<void> {
  const elements = lastForEachKey(joins.flatMap(elementsOf));
  const flush = familiesOf(made).flatMap((family) => SETS.map((set) => flushSet(tableOf(made, family), set)));
  await inFilter(kernel, (filter) => transact(filter, [...flush, ...changes("add", made, elements)]));
}

/** Publishes the ports of a container. Takes them over from any other container. */
export async function publish(kernel: Kernel, join: Join): Promise<void> {
  const elements = lastForEachKey(elementsOf(join));
  const add = changes("add", join.bridge, elements);
  await inFilter(kernel, async (filter) => {
    try {
      await transact(filter, add);
    } catch (error) {
      if (!isTaken(error)) throw error;
      const taken = await those(elements, async (element) => (await ownerOf(filter, join.bridge, element)) === "other");
      await transact(filter, [...changes("delete", join.bridge, taken), ...add]);
    }
  });
}

/** Unpublishes ports. Those of another container are left to it. A missing table or set is no error. */
export async function unpublish(kernel: Kernel, join: Join): Promise<void> {
  const all = withoutTwins(elementsOf(join));
  await inFilter(kernel, async (filter) => {
    // One transaction for each family, so that a missing table does not keep the other's ports.
    for (const family of familiesOf(join.bridge)) {
      const own = all.filter((element) => element.family === family);
      if (own.length > 0) await remove(filter, join.bridge, own);
    }
  });
}

/**
 * Removes elements of one family. Deleting a missing element is an error. Adding an existing one is not, unless another
 * container has it: so all are added before. If that fails, the kernel tells of each whether it is there.
 */
async function remove(filter: Netlink, made: Bridge, elements: readonly PortElement[]): Promise<void> {
  try {
    await transact(filter, [...changes("add", made, elements), ...changes("delete", made, elements)]);
  } catch (error) {
    if (!isTaken(error) && !isMissing(error)) throw error;
    const own = await those(elements, async (element) => (await ownerOf(filter, made, element)) === "own");
    if (own.length > 0) await transact(filter, changes("delete", made, own));
  }
}

/** What the kernel says of an element that has another value in its map. */
function isTaken(error: unknown): boolean {
  return ["EBUSY", "EEXIST"].includes((error as NodeJS.ErrnoException).code ?? "");
}

/** What it says of a missing table or set. */
function isMissing(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === "ENOENT";
}

/** Whether the element is there with its own value, or with another container's, or not at all. */
async function ownerOf(filter: Netlink, made: Bridge, element: PortElement): Promise<"own" | "other" | "none"> {
  const found = await valueOf(filter, tableOf(made, element.family), element.set, element.key);
  if (found === undefined) return "none";
  return Buffer.compare(found, element.value ?? new Uint8Array(0)) === 0 ? "own" : "other";
}

async function those(
  elements: readonly PortElement[],
  isWanted: (element: PortElement) => Promise<boolean>,
): Promise<PortElement[]> {
  const wanted: PortElement[] = [];
  for (const element of elements) if (await isWanted(element)) wanted.push(element);
  return wanted;
}

/** Requests for each set that has some of the elements, with as many as one can list. */
function changes(act: "add" | "delete", made: Bridge, elements: readonly PortElement[]): Request[] {
  return familiesOf(made).flatMap((family) =>
    SETS.flatMap((set) => {
      const own = elements.filter((element) => element.family === family && element.set === set);
      return portions(own).map((some) => changeElements(act, tableOf(made, family), set, some));
    }),
  );
}

function portions(elements: readonly PortElement[]): PortElement[][] {
  const count = Math.ceil(elements.length / MOST_ELEMENTS);
  return Array.from({ length: count }, (_, at) => elements.slice(at * MOST_ELEMENTS, (at + 1) * MOST_ELEMENTS));
}
