// Requests about elements of sets and maps of the kernel's packet filter: see `sets.ts`.

import {
  attribute,
  attributesOf,
  findAttribute,
  NLM_F_CREATE,
  type Netlink,
  type Request,
} from "../netlink/netlink.js";
import { change, HEADER, nested, number, textOf, type Table } from "./message.js";
import { jumpData } from "./verdicts.js";

/** Removes all elements of a set or a map. */
export function flushSet({ family, name: table }: Table, name: string): Request {
  return change(family, `flush set ${name} of ${table}`, NFT_MSG_DELSETELEM, 0, ...bodyOf(table, name, []));
}

/** An element of a set, or of a map if it has a value or a chain. Keys and values are parts in a row: see `inARow`. */
export interface SetElement {
  key: Uint8Array;
  value?: Uint8Array;
  /** Where packets jump. */
  chain?: string;
  /** In a set of intervals: the first key behind this one's; undefined if it ends with the last key there is. */
  next?: Uint8Array | undefined;
}

/** What is told of an element by `valueOf`: its value, the name of its chain, or nothing in a set. */
export function heldOf({ value, chain }: SetElement): Uint8Array {
  return chain === undefined ? (value ?? NONE) : Buffer.from(chain);
}

/** Parts of an element. Each begins a register of 32 bits. */
export function inARow(...parts: readonly Uint8Array[]): Uint8Array {
  return Buffer.concat(parts.map((part) => Buffer.concat([part, Buffer.alloc(-part.length & 3)])));
}

/**
 * Adds elements to a set or a map, or removes them by their keys. Adding an existing one does nothing, but fails as EBUSY
 * or EEXIST if it has another value. One to be removed must exist. In requests of `MOST_ELEMENTS` at most.
 */
export function changeElements(
  act: "add" | "delete",
  { family, name: table }: Table,
  name: string,
  elements: readonly SetElement[],
): Request {
  const listed = elements.flatMap((element) => {
    const first = elementWith(element.key, ...(act === "add" ? dataOf(element) : []));
    const end = element.next && elementWith(element.next, number(NFTA_SET_ELEM_FLAGS, NFT_SET_ELEM_INTERVAL_END));
    return end === undefined ? [first] : [first, end];
  });
  const body = bodyOf(table, name, listed);
  const about = `${act} elements of ${name} of ${table}`;
  if (act === "delete") return change(family, about, NFT_MSG_DELSETELEM, 0, ...body);
  return change(family, about, NFT_MSG_NEWSETELEM, NLM_F_CREATE, ...body);
}

/**
 * How many elements one request may list. The list is one attribute, whose length is a number of 16 bits. The longest
 * element takes 108 bytes: it leads a subnet of IPv6 to a chain.
 */
export const MOST_ELEMENTS = 500;

function dataOf({ value, chain }: SetElement): Uint8Array[] {
  if (chain !== undefined) return [nested(NFTA_SET_ELEM_DATA, jumpData(chain))];
  return value === undefined ? [] : [nested(NFTA_SET_ELEM_DATA, attribute(NFTA_DATA_VALUE, value))];
}

/**
 * What a set or a map has for a key: a value, or the name of a chain, which is empty in a set; undefined if it has no such
 * element.
 */
export async function valueOf(
  filter: Netlink,
  { family, name: table }: Table,
  name: string,
  key: Uint8Array,
): Promise<Uint8Array | undefined> {
  const body = bodyOf(table, name, [elementWith(key)]);
  const found = await filter.find(
    change(family, `find an element of ${name} of ${table}`, NFT_MSG_GETSETELEM, 0, ...body),
  );
  if (found === undefined) return undefined;
  const list = findAttribute(found.subarray(HEADER), NFTA_SET_ELEM_LIST_ELEMENTS) ?? NONE;
  const data = findAttribute(findAttribute(list, NFTA_LIST_ELEM) ?? NONE, NFTA_SET_ELEM_DATA) ?? NONE;
  return findAttribute(data, NFTA_DATA_VALUE) ?? chainOf(data);
}

function chainOf(data: Uint8Array): Uint8Array {
  const verdict = findAttribute(data, NFTA_DATA_VERDICT) ?? NONE;
  return Buffer.from(textOf(findAttribute(verdict, NFTA_VERDICT_CHAIN)));
}

/** The elements of a set, or of a map to values. None if there is no such set. */
export async function listElements(
  filter: Netlink,
  { family, name: table }: Table,
  name: string,
): Promise<SetElement[]> {
  const about = `list elements of ${name} of ${table}`;
  const found = await filter.list(change(family, about, NFT_MSG_GETSETELEM, 0, ...bodyOf(table, name, [])));
  return found.flatMap((body) => {
    const list = findAttribute(body.subarray(HEADER), NFTA_SET_ELEM_LIST_ELEMENTS) ?? NONE;
    return attributesOf(list).map((element) => {
      const key = findAttribute(findAttribute(element, NFTA_SET_ELEM_KEY) ?? NONE, NFTA_DATA_VALUE) ?? NONE;
      const value = findAttribute(findAttribute(element, NFTA_SET_ELEM_DATA) ?? NONE, NFTA_DATA_VALUE);
      return value === undefined ? { key } : { key, value };
    });
  });
}

function bodyOf(table: string, name: string, elements: readonly Uint8Array[]): Uint8Array[] {
  return [
    attribute(NFTA_SET_ELEM_LIST_TABLE, table),
    attribute(NFTA_SET_ELEM_LIST_SET, name),
    ...(elements.length > 0 ? [nested(NFTA_SET_ELEM_LIST_ELEMENTS, ...elements)] : []),
  ];
}

function elementWith(key: Uint8Array, ...more: Uint8Array[]): Uint8Array {
  return nested(NFTA_LIST_ELEM, nested(NFTA_SET_ELEM_KEY, attribute(NFTA_DATA_VALUE, key)), ...more);
}

const NONE = new Uint8Array(0);
const NFT_MSG_NEWSETELEM = 12;
const NFT_MSG_GETSETELEM = 13;
const NFT_MSG_DELSETELEM = 14;
const NFTA_LIST_ELEM = 1;
const NFTA_SET_ELEM_LIST_TABLE = 1;
const NFTA_SET_ELEM_LIST_SET = 2;
const NFTA_SET_ELEM_LIST_ELEMENTS = 3;
const NFTA_SET_ELEM_KEY = 1;
const NFTA_SET_ELEM_DATA = 2;
const NFTA_SET_ELEM_FLAGS = 3;
const NFT_SET_ELEM_INTERVAL_END = 1;
const NFTA_DATA_VALUE = 1;
const NFTA_DATA_VERDICT = 2;
const NFTA_VERDICT_CHAIN = 2;
