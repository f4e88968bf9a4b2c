// Chooses the transaction to read a file by. Two meta pages alternately describe the last one. If one of them is
// damaged, it may have described the last one. That is then found by its pages: each transaction writes new roots for
// its trees.

import { FREE, RECORDS } from "./keys.js";
import type { Meta, Page, Pages, Tree } from "./pages.js";
import { snapshotOf, survey, type Snapshot, type Survey } from "./survey.js";

/** The newest transaction that can be read, and what it contains. */
export function bestSurvey(pages: Pages): Survey {
  const [first = null, second = null] = pages.metas;
  if (first !== null && second !== null && Math.abs(first.transaction - second.transaction) <= 1) {
    return survey(pages, snapshotOf(newer(first, second)));
  }
  const known = first !== null && second !== null ? older(first, second) : (first ?? second);
  const found = newestByPages(pages);
  const read = found === null ? null : survey(pages, found);
  const isLater = found !== null && found.transaction > (known?.transaction ?? 0);
  if (read !== null && isLater && read.isWhole) return { ...read, isSound: false };
  if (known !== null) return withDoubt(survey(pages, snapshotOf(known)), isLater);
  const all = { transaction: found?.transaction ?? 0, lastPage: pages.count - 1, free: null, records: null };
  return withDoubt(survey(pages, all), true);
}

/** `hasMore`: a later transaction exists but cannot be read. */
function withDoubt(read: Survey, hasMore: boolean): Survey {
  return { ...read, isSound: false, hasLost: read.hasLost || hasMore, hasLostEntries: read.hasLostEntries || hasMore };
}

function newer(first: Meta, second: Meta): Meta {
  return first.transaction >= second.transaction ? first : second;
}

/** For two meta pages that cannot both be right: the later transaction, if it is valid, is then found by its pages. */
function older(first: Meta, second: Meta): Meta {
  return first.transaction < second.transaction ? first : second;
}

/** Null if there are no tree pages. */
function newestByPages(pages: Pages): Snapshot | null {
  const written = new Map<number, Page>();
  let transaction = 0;
  for (let number = 2; number < pages.count; number++) {
    const page = treePage(pages, number);
    if (page === null || page.transaction < transaction || !Number.isSafeInteger(page.transaction)) continue;
    if (page.transaction > transaction) written.clear();
    transaction = page.transaction;
    written.set(number, page);
  }
  if (transaction === 0) return null;
  const below = new Set([...written.values()].flatMap(({ isLeaf, nodes }) => (isLeaf ? [] : nodes.map(childOf))));
  const trees = [...written.keys()].filter((number) => !below.has(number)).map((root) => treeFrom(pages, root));
  const ofKind = (isIt: (key: Buffer) => boolean): Tree | null => trees.find(({ key }) => isIt(key))?.tree ?? null;
  const isText = (key: Buffer): boolean => RECORDS.isLikely(key);
  return {
    ...{ transaction, lastPage: pages.count - 1 },
    ...{ free: ofKind((key) => FREE.isKey(key) && !isText(key)), records: ofKind(isText) },
  };
}

function treePage(pages: Pages, number: number): Page | null {
  const leaf = pages.page(number, true);
  if (leaf?.isSound) return leaf;
  const branch = pages.page(number, false);
  return branch?.isSound ? branch : null;
}

/** The tree and its first key. */
function treeFrom(pages: Pages, root: number): { tree: Tree; key: Buffer } {
  let depth = 1;
  let page = treePage(pages, root);
  for (; page !== null && !page.isLeaf && depth < DEEPEST; depth++) page = treePage(pages, childOf(page.nodes[0]!));
  return { tree: { root, depth, entries: -1 }, key: page?.nodes[0]?.key ?? Buffer.alloc(0) };
}

function childOf({ child }: { child: number }): number {
  return child;
}

const DEEPEST = 32;
