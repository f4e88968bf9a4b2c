// The pages of a database's file in the layout of LMDB 0.9.90 (data version 2, little endian, 64 bit); see
// MDB_page_header, MDB_node, MDB_db and MDB_meta in its `mdb.c`. This code checks everything before it uses it. LMDB
// itself follows any pointer, and crashes on a wrong one.

/** A tree: the free pages, the records, or the journal within the records. */
export interface Tree {
  depth: number;
  entries: number;
  root: number;
}

/** One of the two meta pages that make a transaction valid. */
export interface Meta {
  pageSize: number;
  free: Tree;
  records: Tree;
  lastPage: number;
  transaction: number;
}

export interface Node {
  key: Buffer;
  flags: number;
  /** In a branch: the page below. */
  child: number;
  /** In a leaf: the data stored with the key. */
  data: Buffer;
  /** In a leaf: the size of its value, wherever that is. */
  size: number;
}

export interface Page {
  isLeaf: boolean;
  transaction: number;
  nodes: Node[];
  /** Whether the whole page is as LMDB writes it. Otherwise `nodes` are those that may be right. */
  isSound: boolean;
}

/** A value on pages of its own: the first page, their number, and whether these pages say so too. */
export interface Overflow {
  page: number;
  pages: number;
  isSound: boolean;
}

/** Flags of a node: its value is on other pages; its value is a tree. */
export const ELSEWHERE = 0x01;
export const SUBTREE = 0x02;

const BRANCH = 0x01;
const LEAF = 0x02;
const OVERFLOW = 0x04;
const META = 0x08;
const HEAD = 24;
const NODE_HEAD = 8;
const TREE_BYTES = 48;
const META_BYTES = HEAD + 144;
const OVERFLOW_BYTES = 24;
const MAGIC = 0xbeefc0de;
const DATA_VERSION = 2;
const NO_PAGE = 0xffff_ffff_ffff_ffffn;
/** LMDB's limit for the depth of a tree. */
const DEEPEST = 32;
/** Flags of the tree of free pages: integer keys, and how the file was opened. */
const INTEGER_KEYS = 0x08;
const PAGE_SIZES = [4096, 8192, 16_384, 32_768, 65_536];

export class Pages {
  readonly size: number;
  /** Number of pages. */
  readonly count: number;
  readonly metas: (Meta | null)[];
  readonly #bytes: Buffer;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
    const first = metaAt(bytes, 0);
    this.size = first?.pageSize ?? guessedSize(bytes);
    const second = metaAt(bytes, this.size);
    this.metas = [isAt(first, 0), isAt(second, 1)].map((meta) => (meta?.pageSize === this.size ? meta : null));
    this.count = Math.floor(bytes.length / this.size);
  }

  /** The meta pages have another version. */
  get isForeign(): boolean {
    return [0, this.size].every((at) => {
      const isHead = at + META_BYTES <= this.#bytes.length && this.#bytes.readUInt32LE(at + HEAD) === MAGIC;
      return isHead && (this.#bytes.readUInt32LE(at + HEAD + 4) & 0xffff) !== DATA_VERSION;
    });
  }

  /** A page of a tree: a leaf or a branch. Null if the file has no such page. */
  page(number: number, isLeaf: boolean): Page | null {
    if (number < 2 || number >= this.count) return null;
    const bytes = this.#bytes.subarray(number * this.size, (number + 1) * this.size);
    const [lower, upper] = [bytes.readUInt16LE(20), bytes.readUInt16LE(22)];
    const nodes: Node[] = [];
    let used = 0;
    let isSound = bytes.readUInt16LE(18) === (isLeaf ? LEAF : BRANCH) && numberAt(bytes, 0) === number;
    if (lower === 0 || lower % 2 !== 0 || lower > upper || upper > this.size - HEAD) isSound = false;
    for (let at = HEAD; at + 1 < Math.min(HEAD + lower, this.size); at += 2) {
      const node = nodeAt(bytes, bytes.readUInt16LE(at) + HEAD, isLeaf);
      if (node === null) isSound = false;
      else nodes.push(node);
      if (node !== null) used += spaceOf(node, isLeaf);
    }
    return { isLeaf, nodes, transaction: numberAt(bytes, 8), isSound: isSound && used === this.size - HEAD - upper };
  }

  /** The pages of a value that has its own; null if there are none. */
  overflow({ data, size }: Node): Overflow | null {
    if (data.length < OVERFLOW_BYTES) return null;
    const page = numberAt(data, 0);
    const needed = Math.floor((HEAD - 1 + size) / this.size) + 1;
    if (page < 2 || page + needed > this.count) return null;
    // A smaller value may replace a larger one and keep its pages.
    const kept = numberAt(data, 16);
    const isSound = kept >= needed && this.#isOverflow(page, kept, numberAt(data, 8));
    return { page, pages: isSound ? kept : needed, isSound };
  }

  /** Whether the pages say the same as the node. */
  #isOverflow(page: number, pages: number, transaction: number): boolean {
    const bytes = this.#bytes.subarray(page * this.size);
    const isIts = numberAt(bytes, 0) === page && bytes.readUInt16LE(18) === OVERFLOW;
    return isIts && bytes.readUInt32LE(20) === pages && numberAt(bytes, 8) === transaction;
  }

  overflowBytes({ page }: Overflow, length: number): Buffer {
    const from = page * this.size + HEAD;
    return this.#bytes.subarray(from, from + length);
  }
}

/** The tree that a node holds; null if it holds none. */
export function treeIn({ data }: Node): Tree | null {
  return data.length === TREE_BYTES && data.readUInt16LE(4) === 0 ? treeAt(data, 0) : null;
}

function metaAt(bytes: Buffer, at: number): Meta | null {
  if (at + META_BYTES > bytes.length || bytes.readUInt16LE(at + 18) !== META) return null;
  const meta = bytes.subarray(at + HEAD, at + META_BYTES);
  if (meta.readUInt32LE(0) !== MAGIC || (meta.readUInt32LE(4) & 0xffff) !== DATA_VERSION) return null;
  const [free, records] = [treeAt(meta, 24), treeAt(meta, 72)];
  const [pageSize, lastPage, transaction] = [meta.readUInt32LE(24), numberAt(meta, 120), numberAt(meta, 128)];
  const isMade = PAGE_SIZES.includes(pageSize) && lastPage > 0 && Number.isSafeInteger(transaction);
  if (free === null || records === null || !isMade) return null;
  const mapped = numberAt(meta, 16);
  // A map far larger than the file can need cannot be mapped.
  if (mapped < (lastPage + 1) * pageSize || mapped > 64 * (bytes.length + 2 ** 20)) return null;
  if ((meta.readUInt16LE(28) & 0xff) !== INTEGER_KEYS || meta.readUInt16LE(76) !== 0) return null;
  const isPast = ({ root }: Tree): boolean => root > lastPage;
  return isPast(free) || isPast(records) ? null : { pageSize, free, records, lastPage, transaction };
}

/** Transactions use the two pages alternately. Before the first transaction both are as they were created. */
function isAt(meta: Meta | null, place: number): Meta | null {
  return meta !== null && (meta.transaction === 0 || meta.transaction % 2 === place) ? meta : null;
}

/** An empty tree has the root 0 here. */
function treeAt(bytes: Buffer, at: number): Tree | null {
  const [depth, entries] = [bytes.readUInt16LE(at + 6), numberAt(bytes, at + 32)];
  const isEmpty = bytes.readBigUInt64LE(at + 40) === NO_PAGE;
  const root = isEmpty ? 0 : numberAt(bytes, at + 40);
  if (depth > DEEPEST || isEmpty !== (depth === 0) || isEmpty !== (entries === 0)) return null;
  return isEmpty || root > 1 ? { depth, entries, root } : null;
}

function nodeAt(bytes: Buffer, at: number, isLeaf: boolean): Node | null {
  if (at + NODE_HEAD > bytes.length) return null;
  const low = bytes.readUInt32LE(at);
  const [flags, keyLength] = [bytes.readUInt16LE(at + 4), bytes.readUInt16LE(at + 6)];
  const key = bytes.subarray(at + NODE_HEAD, at + NODE_HEAD + keyLength);
  if (!isLeaf) return key.length < keyLength ? null : { ...BARE, key, child: low + flags * 2 ** 32 };
  if (flags !== 0 && flags !== ELSEWHERE && flags !== SUBTREE) return null;
  const length = flags === ELSEWHERE ? OVERFLOW_BYTES : low;
  const from = at + NODE_HEAD + keyLength;
  if (from + length > bytes.length || keyLength === 0) return null;
  return { key, flags, child: 0, data: bytes.subarray(from, from + length), size: low };
}

const BARE = { flags: 0, data: Buffer.alloc(0), size: 0 };

/** A node's size on its page, which is even. */
function spaceOf({ key, data }: Node, isLeaf: boolean): number {
  const length = NODE_HEAD + key.length + (isLeaf ? data.length : 0);
  return length + (length % 2);
}

/** If no meta page tells the page size: the size at which most pages have their own number. */
function guessedSize(bytes: Buffer): number {
  const scores = PAGE_SIZES.map((size) => {
    let right = 0;
    for (let page = 1; (page + 1) * size <= bytes.length; page++) {
      if (numberAt(bytes, page * size) === page) right += 1;
    }
    return right;
  });
  return PAGE_SIZES[scores.indexOf(Math.max(...scores))]!;
}

function numberAt(bytes: Buffer, at: number): number {
  return bytes.readUInt32LE(at) + bytes.readUInt32LE(at + 4) * 2 ** 32;
}
