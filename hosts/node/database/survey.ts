// Reads a database's file without LMDB. Tells whether all of it is as LMDB writes it. If not, tells what can be read
// and whether there was more.

import { ENTRIES, FREE, positionOf, RECORDS } from "./keys.js";
import { isJournal, LOST, RESERVE_KEY } from "./names.js";
import { SUBTREE, treeIn, type Meta, type Pages, type Tree } from "./pages.js";
import { TreeWalk, type Ground, type Leaf } from "./tree.js";

/** A transaction to read a file by, taken from a meta page or from the pages themselves. */
export interface Snapshot {
  transaction: number;
  lastPage: number;
  /** Null: its root is unknown. Its count of entries may be -1: unknown. */
  free: Tree | null;
  records: Tree | null;
}

/** A record. */
export interface Kept {
  key: string;
  /** Part of the bytes that the whole file was read into. */
  value: Buffer | null;
}

export interface Survey {
  /** LMDB can open the file. */
  isSound: boolean;
  /** Nothing is missing except what counts or lists pages. */
  isWhole: boolean;
  /** Damaged pages. */
  damaged: number[];
  /** All readable records. `value` is null if the value cannot be read. */
  records(): Kept[];
  /** The same with the mark that records with unknown keys were lost, whose key is `LOST`. */
  marked(): Kept[];
  /** Records with unknown keys were lost, or may have been. */
  hasLost: boolean;
  /** The journal's entries in order: all whose value can be read. */
  entries(): { position: number; value: Buffer }[];
  hasLostEntries: boolean;
}

export function survey(pages: Pages, snapshot: Snapshot): Survey {
  const { transaction } = snapshot;
  const lastPage = Math.min(snapshot.lastPage, pages.count - 1);
  const ground: Ground = { pages, lastPage, transaction, used: new Set(), damaged: new Set() };
  const freeTree = new TreeWalk(ground, FREE, snapshot.free);
  const recordTree = new TreeWalk(ground, RECORDS, snapshot.records);
  let entryTree = journalOf(ground, recordTree);
  const free = freeTree.isWhole ? freePages(freeTree.leaves, snapshot.lastPage, ground.used) : null;
  if (recordTree.hasGaps) {
    recordTree.fill(free);
    entryTree ??= journalOf(ground, recordTree);
  }
  entryTree ??= new TreeWalk(ground, ENTRIES, recordTree.isWhole ? EMPTY : null);
  if (entryTree.hasGaps) entryTree.fill(free);

  const isWhole = recordTree.isWhole && entryTree.isWhole;
  const [records, entries] = [countOf(snapshot.records), countOf(journalTree(recordTree))];
  const isCounted = counts(recordTree, records) && counts(entryTree, entries);
  return {
    isSound: isWhole && isCounted && free !== null && ground.damaged.size === 0,
    isWhole,
    damaged: [...ground.damaged].sort((one, other) => one - other),
    records: () => keptIn(recordTree).filter(({ key }) => key !== LOST),
    marked: () => keptIn(recordTree),
    hasLost: !recordTree.isWhole && (records < 0 || recordTree.leaves.length < records),
    entries: () =>
      entryTree.leaves.flatMap(({ key, value }) => (value === null ? [] : [{ position: positionOf(key), value }])),
    hasLostEntries: !entryTree.isWhole && (entries < 0 || readable(entryTree) < entries),
  };
}

export function snapshotOf({ transaction, lastPage, free, records }: Meta): Snapshot {
  return { transaction, lastPage, free, records };
}

const EMPTY: Tree = { depth: 0, entries: 0, root: 0 };

/** Null if the journal's entry among the records cannot be read. */
function journalOf(ground: Ground, records: TreeWalk): TreeWalk | null {
  const tree = journalTree(records);
  return tree === null ? null : new TreeWalk(ground, ENTRIES, tree);
}

function journalTree({ leaves }: TreeWalk): Tree | null {
  const leaf = leaves.find(({ key, flags }) => flags === SUBTREE && isJournal(key.toString()));
  return leaf === undefined ? null : treeIn(leaf.node);
}

/** Null if a listed page cannot be free, or if the list is damaged. */
function freePages(leaves: readonly Leaf[], lastPage: number, used: ReadonlySet<number>): Set<number> | null {
  const free = new Set<number>();
  for (const { value } of leaves) {
    if (value === null || !addFree(value, free)) return null;
  }
  for (const page of free) if (page < 2 || page > lastPage || used.has(page)) return null;
  return free;
}

/**
 * A count, then that many numbers. Each is a page, or if negative the number of pages that start at the next one, or 0
 * for nothing.
 */
function addFree(list: Buffer, free: Set<number>): boolean {
  const count = list.length < 8 ? -1 : Number(list.readBigInt64LE(0));
  if (count < 0 || (count + 1) * 8 > list.length) return false;
  let length = 1;
  for (let at = 1; at <= count; at++) {
    const number = Number(list.readBigInt64LE(at * 8));
    if (number < 0) length = -number;
    if (number <= 0) continue;
    if (length > MOST_PAGES) return false;
    for (let page = number; page < number + length; page++) free.add(page);
    length = 1;
  }
  return true;
}

const MOST_PAGES = 2 ** 24;

function keptIn({ leaves }: TreeWalk): Kept[] {
  return leaves.map(({ key, value }) => ({ key: key.toString(), value })).filter(({ key }) => !isOwn(key));
}

/** Neither a record nor a mark. */
function isOwn(key: string): boolean {
  return isJournal(key) || key === RESERVE_KEY;
}

/** -1: unknown. */
function countOf(tree: Tree | null): number {
  return tree === null ? -1 : tree.entries;
}

function counts({ leaves, isWhole }: TreeWalk, entries: number): boolean {
  return isWhole && (entries < 0 || leaves.length === entries);
}

function readable({ leaves }: TreeWalk): number {
  return leaves.filter(({ value }) => value !== null).length;
}
