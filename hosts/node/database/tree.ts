// Walks one tree of the database from its root, and trusts nothing. Damaged pages leave gaps. If a branch is damaged,
// the whole file is searched for the leaves that it led to.

import type { Keys } from "./keys.js";
import { ELSEWHERE, type Node, type Page, type Pages, type Tree } from "./pages.js";

/** Keys from the first up to, but not including, the second; null: no end. */
type Range = readonly [Buffer | null, Buffer | null];

/** What all trees of a file share. */
export interface Ground {
  readonly pages: Pages;
  /** The transaction's last page, and its number. */
  readonly lastPage: number;
  readonly transaction: number;
  /** Pages in use. */
  readonly used: Set<number>;
  /** Damaged pages. */
  readonly damaged: Set<number>;
}

export interface Leaf {
  key: Buffer;
  flags: number;
  /** Null: not readable. */
  value: Buffer | null;
  node: Node;
}

export class TreeWalk {
  readonly leaves: Leaf[] = [];
  readonly #ground: Ground;
  readonly #keys: Keys;
  /** Key ranges of missing branches. */
  readonly #gaps: Range[] = [];
  /** Nodes of damaged leaves. Pages that they refer to belong to them only if no sound node has these pages. */
  readonly #doubtful: Node[] = [];
  #isWhole = true;

  /** `tree`: null if its root is unknown. */
  constructor(ground: Ground, keys: Keys, tree: Tree | null) {
    this.#ground = ground;
    this.#keys = keys;
    if (tree === null) this.#miss([null, null]);
    else if (tree.depth > 0) this.#down(tree.root, tree.depth, [null, null]);
    if (this.#doubtful.length === 0) return;
    this.#take(this.#doubtful);
    this.#sort();
  }

  /** Nothing in it is damaged except values on pages of their own. */
  get isWhole(): boolean {
    return this.#isWhole;
  }

  get hasGaps(): boolean {
    return this.#gaps.length > 0;
  }

  /** Fills the gaps with leaves that no page leads to. `free`: the free pages; null: unknown. */
  fill(free: ReadonlySet<number> | null): void {
    const { pages, lastPage, used } = this.#ground;
    const found: { number: number; page: Page }[] = [];
    for (let number = 2; number <= lastPage && this.#gaps.length > 0; number++) {
      if (used.has(number) || free?.has(number)) continue;
      const page = pages.page(number, true);
      if (page !== null && this.#isRight(page, [null, null])) found.push({ number, page });
    }
    // If the free pages are unknown, an older version of a leaf must not be used along with a newer one.
    found.sort((one, other) => other.page.transaction - one.page.transaction);
    for (const { number, page } of found) {
      const first = page.nodes[0]!.key;
      const last = page.nodes.at(-1)!.key;
      const at = this.#gapOf(first);
      const gap = this.#gaps[at];
      if (gap === undefined || !this.#isIn(last, gap) || !this.#claim(number, 1)) continue;
      const left: Range[] = [[gap[0], first], [after(last), gap[1]]]; // prettier-ignore
      this.#gaps.splice(at, 1, ...left.filter((range) => !this.#isEmpty(range)));
      this.#take(page.nodes);
    }
    this.#sort();
  }

  /** Index of the gap that contains a key; the gaps are in key order. -1: there is none. */
  #gapOf(key: Buffer): number {
    let [from, to] = [0, this.#gaps.length];
    while (from < to) {
      const middle = (from + to) >> 1;
      const low = this.#gaps[middle]![0];
      if (low === null || this.#keys.compare(low, key) <= 0) from = middle + 1;
      else to = middle;
    }
    const found = this.#gaps[from - 1];
    return found !== undefined && this.#isIn(key, found) ? from - 1 : -1;
  }

  #isEmpty([low, high]: Range): boolean {
    return low !== null && high !== null && this.#keys.compare(low, high) >= 0;
  }

  #sort(): void {
    this.leaves.sort((one, other) => this.#keys.compare(one.key, other.key));
  }

  #down(number: number, depth: number, range: Range): void {
    const { pages, damaged } = this.#ground;
    const page = this.#claim(number, 1) ? pages.page(number, depth === 1) : null;
    const isRight = page !== null && this.#isRight(page, range);
    if (!isRight) {
      damaged.add(number);
      this.#isWhole = false;
    }
    if (page?.isLeaf && isRight) this.#take(page.nodes);
    else if (page?.isLeaf) this.#doubtful.push(...this.#likely(page.nodes, range));
    else if (isRight) this.#descend(page.nodes, depth, range);
    else if (depth > 1) this.#miss(range);
  }

  /** A branch's first key means nothing. */
  #descend(nodes: Node[], depth: number, [low, high]: Range): void {
    for (const [at, { child, key }] of nodes.entries()) {
      this.#down(child, depth - 1, [at === 0 ? low : key, nodes[at + 1]?.key ?? high]);
    }
  }

  #miss(range: Range): void {
    this.#gaps.push(range);
    this.#isWhole = false;
  }

  #isRight({ isSound, isLeaf, nodes, transaction }: Page, range: Range): boolean {
    if (!isSound || transaction > this.#ground.transaction) return false;
    const keys = nodes.slice(isLeaf ? 0 : 1).map(({ key }) => key);
    const isOrdered = keys.every((key, at) => {
      return this.#keys.isKey(key) && (at === 0 || this.#keys.compare(keys[at - 1]!, key) < 0);
    });
    return isOrdered && [...keys.slice(0, 1), ...keys.slice(-1)].every((key) => this.#isIn(key, range));
  }

  /** The nodes of a damaged leaf that are credible. */
  #likely(nodes: Node[], range: Range): Node[] {
    const likely: Node[] = [];
    for (const node of nodes) {
      if (!this.#keys.isLikely(node.key) || !this.#isIn(node.key, range)) continue;
      const before = likely.at(-1);
      if (before === undefined || this.#keys.compare(before.key, node.key) < 0) likely.push(node);
    }
    return likely;
  }

  #isIn(key: Buffer, [low, high]: Range): boolean {
    if (!this.#keys.isKey(key)) return false;
    return (low === null || this.#keys.compare(low, key) <= 0) && (high === null || this.#keys.compare(key, high) < 0);
  }

  #take(nodes: Node[]): void {
    for (const node of nodes) {
      this.leaves.push({ key: node.key, flags: node.flags, value: this.#valueOf(node), node });
    }
  }

  /** The value as it is stored, even if its pages are not marked as such. The reader will find out. */
  #valueOf(node: Node): Buffer | null {
    if (node.flags !== ELSEWHERE) return node.data;
    const { pages, damaged } = this.#ground;
    const place = pages.overflow(node);
    if (place === null || !this.#claim(place.page, place.pages)) {
      this.#isWhole = false;
      return null;
    }
    if (!place.isSound) damaged.add(place.page);
    return pages.overflowBytes(place, node.size);
  }

  /** False if one of the pages is in use, or if there is no such page. */
  #claim(first: number, count: number): boolean {
    const { used, lastPage } = this.#ground;
    if (!(first >= 2) || first + count - 1 > lastPage) return false;
    for (let at = first; at < first + count; at++) if (used.has(at)) return false;
    for (let at = first; at < first + count; at++) used.add(at);
    return true;
  }
}

/** The next key after another one. */
function after(key: Buffer): Buffer {
  return Buffer.concat([key, Buffer.alloc(1)]);
}
