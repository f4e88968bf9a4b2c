// Elements of the sets and maps of the engine's table: added, taken over from others, and removed. A key has one value for
// the whole engine, and another network or container may have put its own there meanwhile.

import { transact, type Table } from "../filter/message.js";
import { changeElements, heldOf, MOST_ELEMENTS, valueOf, type SetElement } from "../filter/set-elements.js";
import type { Netlink, Request } from "../netlink/netlink.js";
import type { Family, SetName } from "./engine-table.js";

/** An element, and where it belongs. */
export interface PlacedElement extends SetElement {
  family: Family;
  set: SetName;
}

/** Finds the engine's table of a family. */
export type TableOf = (family: Family) => Table;

/**
 * Adds elements, in one transaction with what else shall happen `before` and `after`. They are taken over from whoever has
 * them.
 */
export async function putElements(
  filter: Netlink,
  tableOf: TableOf,
  elements: readonly PlacedElement[],
  { before = [], after = [] }: { before?: readonly Request[]; after?: readonly Request[] } = {},
): Promise<void> {
  const add = changes("add", tableOf, elements);
  try {
    await transact(filter, [...before, ...add, ...after]);
  } catch (error) {
    if (!isTaken(error)) throw error;
    const taken = await those(elements, async (element) => (await ownerOf(filter, tableOf, element)) === "other");
    if (taken.length === 0) throw error;
    await transact(filter, [...before, ...changes("delete", tableOf, taken), ...add, ...after]);
  }
}

/**
 * Removes elements, in one transaction with what else shall happen `before` and `after`. Those of others stay. Deleting a
 * missing element is an error. Adding an existing one is not, unless somebody else has it: so all are added before. If
 * that fails, the kernel tells of each whether it is there.
 */
export async function takeElements(
  filter: Netlink,
  tableOf: TableOf,
  elements: readonly PlacedElement[],
  { before = [], after = [] }: { before?: readonly Request[]; after?: readonly Request[] } = {},
): Promise<void> {
  try {
    const [add, remove] = [changes("add", tableOf, elements), changes("delete", tableOf, elements)];
    await transact(filter, [...before, ...add, ...remove, ...after]);
  } catch (error) {
    if (!isTaken(error) && !isMissing(error)) throw error;
    const own = await those(elements, async (element) => (await ownerOf(filter, tableOf, element)) === "own");
    const rest = [...before, ...changes("delete", tableOf, own), ...after];
    if (rest.length > 0) await transact(filter, rest);
  }
}

/** Requests for each set that has some of the elements, with as many as one can list. */
export function changes(act: "add" | "delete", tableOf: TableOf, elements: readonly PlacedElement[]): Request[] {
  const places = new Map(elements.map(({ family, set }) => [`${family} ${set}`, { family, set }]));
  return [...places.values()].flatMap(({ family, set }) => {
    const own = elements.filter((element) => element.family === family && element.set === set);
    return portions(own).map((some) => changeElements(act, tableOf(family), set, some));
  });
}

/** What the kernel says of an element that has another value in its map. */
function isTaken(error: unknown): boolean {
  return ["EBUSY", "EEXIST"].includes((error as NodeJS.ErrnoException).code ?? "");
}

/** What it says of a missing table or set. */
function isMissing(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === "ENOENT";
}

/** Whether the element is there with its own value, or with somebody else's, or not at all. */
async function ownerOf(filter: Netlink, tableOf: TableOf, element: PlacedElement): Promise<"own" | "other" | "none"> {
  const found = await valueOf(filter, tableOf(element.family), element.set, element.key);
  if (found === undefined) return "none";
  return Buffer.compare(found, heldOf(element)) === 0 ? "own" : "other";
}

async function those(
  elements: readonly PlacedElement[],
  isWanted: (element: PlacedElement) => Promise<boolean>,
): Promise<PlacedElement[]> {
  const wanted: PlacedElement[] = [];
  for (const element of elements) if (await isWanted(element)) wanted.push(element);
  return wanted;
}

function portions(elements: readonly PlacedElement[]): PlacedElement[][] {
  const count = Math.ceil(elements.length / MOST_ELEMENTS);
  return Array.from({ length: count }, (_, at) => elements.slice(at * MOST_ELEMENTS, (at + 1) * MOST_ELEMENTS));
}

export function ofFamily(family: Family, elements: readonly PlacedElement[]): PlacedElement[] {
  return elements.filter((element) => element.family === family);
}

/**
 * The elements for each key once: of several, the last. Several ports of the machine may lead to one of a container, which
 * is opened once; and while a container's ports are changed, a port may have its earlier target and the next one.
 */
export function lastForEachKey(elements: readonly PlacedElement[]): PlacedElement[] {
  return [...new Map(elements.map((element) => [keyOf(element), element])).values()];
}

/** Equal elements once. */
export function withoutTwins(elements: readonly PlacedElement[]): PlacedElement[] {
  const text = (element: PlacedElement): string => `${keyOf(element)} ${hex(element.value)}`;
  return [...new Map(elements.map((element) => [text(element), element])).values()];
}

function keyOf({ family, set, key }: PlacedElement): string {
  return `${family} ${set} ${hex(key)}`;
}

function hex(bytes: Uint8Array = new Uint8Array(0)): string {
  return Buffer.from(bytes).toString("hex");
}
