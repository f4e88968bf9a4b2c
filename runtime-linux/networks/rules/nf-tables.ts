// Requests for the kernel's packet filter (nf_tables): tables, chains, sets and rules. The program nft would take 10 to
// 20 ms to start, read its tables and end; the kernel takes less than one. Names and numbers are those of
// linux/netfilter/nf_tables.h. Its numbers are big-endian.

import type { Kernel } from "../../kernel.js";
import {
  attribute,
  fields,
  findAttribute,
  Netlink,
  NETLINK_NETFILTER,
  NLM_F_CREATE,
  type Request,
} from "../netlink/netlink.js";
import { big, nested, number, type Expression } from "./nf-expressions.js";

/** A table, named as nft does. */
export interface Table {
  family: "ip" | "ip6";
  name: string;
}

/** Where the base chain of a table gets its packets. */
export interface Hook {
  type: "filter" | "nat";
  /** `NF_INET_…`. */
  number: number;
  /** The lowest comes first. */
  priority: number;
}

export const NF_INET_PRE_ROUTING = 0;
export const NF_INET_FORWARD = 2;
export const NF_INET_LOCAL_OUT = 3;
export const NF_INET_POST_ROUTING = 4;

/** A set, or a map if it has a `value`: numbers and addresses in a row, as its keys are, or a chain to which packets jump. */
export interface NfSet {
  name: string;
  key: readonly Part[];
  value?: readonly Part[] | "chain";
  /** Elements stand for all keys from theirs to the next. */
  hasIntervals?: boolean;
}

/** Types of parts of elements, by nft's numbers for them, and their bytes. */
interface Part {
  type: number;
  bytes: number;
}

export const IPV4_ADDR: Part = { type: 7, bytes: 4 };
export const IPV6_ADDR: Part = { type: 8, bytes: 16 };
export const INET_PROTO: Part = { type: 12, bytes: 1 };
export const INET_SERVICE: Part = { type: 13, bytes: 2 };
export const IFNAME: Part = { type: 41, bytes: 16 };

/** Opens a socket for the filter of the calling thread's network namespace. */
export function openFilter(kernel: Kernel): Netlink {
  return Netlink.open(kernel, NETLINK_NETFILTER);
}

/** Carries out all requests or none. */
export async function transact(filter: Netlink, requests: readonly Request[]): Promise<void> {
  const borders = [border("begin", NFNL_MSG_BATCH_BEGIN), border("end", NFNL_MSG_BATCH_END)] as const;
  await filter.requestTogether([borders[0], ...requests, borders[1]]);
}

/** Makes a table. An existing one stays as it is. */
export function addTable({ family, name }: Table): Request {
  return change(family, `add table ${name}`, NFT_MSG_NEWTABLE, NLM_F_CREATE, attribute(NFTA_TABLE_NAME, name));
}

/** Removes a table, which must exist, with all that is in it. */
export function deleteTable({ family, name }: Table): Request {
  return change(family, `delete table ${name}`, NFT_MSG_DELTABLE, 0, attribute(NFTA_TABLE_NAME, name));
}

/** Makes a chain; without a hook, one to which rules jump. An existing one stays as it is. */
export function addChain({ family, name: table }: Table, name: string, hook?: Hook): Request {
  const body = [attribute(NFTA_CHAIN_TABLE, table), attribute(NFTA_CHAIN_NAME, name)];
  if (hook !== undefined) {
    const place = [number(NFTA_HOOK_HOOKNUM, hook.number), number(NFTA_HOOK_PRIORITY, hook.priority)];
    body.push(nested(NFTA_CHAIN_HOOK, ...place), attribute(NFTA_CHAIN_TYPE, hook.type));
  }
  return change(family, `add chain ${name} of ${table}`, NFT_MSG_NEWCHAIN, NLM_F_CREATE, ...body);
}

/** Removes a chain, which must exist, and to which nothing may jump any more. */
export function deleteChain({ family, name: table }: Table, name: string): Request {
  const body = [attribute(NFTA_CHAIN_TABLE, table), attribute(NFTA_CHAIN_NAME, name)];
  return change(family, `delete chain ${name} of ${table}`, NFT_MSG_DELCHAIN, 0, ...body);
}

/** Removes all rules of a chain. */
export function flushChain({ family, name: table }: Table, name: string): Request {
  const body = [attribute(NFTA_RULE_TABLE, table), attribute(NFTA_RULE_CHAIN, name)];
  return change(family, `flush chain ${name} of ${table}`, NFT_MSG_DELRULE, 0, ...body);
}

/** Adds a rule at the end of a chain. */
export function addRule({ family, name: table }: Table, chain: string, ...expressions: Expression[]): Request {
  const body = [
    attribute(NFTA_RULE_TABLE, table),
    attribute(NFTA_RULE_CHAIN, chain),
    nested(NFTA_RULE_EXPRESSIONS, ...expressions.map((expression) => nested(NFTA_LIST_ELEM, expression))),
  ];
  return change(family, `add rule to ${chain} of ${table}`, NFT_MSG_NEWRULE, NLM_F_CREATE | NLM_F_APPEND, ...body);
}

/** Makes a set or a map. An existing one stays as it is. `id`: unique in its transaction. */
export function addSet({ family, name: table }: Table, set: NfSet, id: number): Request {
  const { name, key, value, hasIntervals = false } = set;
  const flags = (value === undefined ? 0 : NFT_SET_MAP) | (hasIntervals ? NFT_SET_INTERVAL : 0);
  const body = [
    attribute(NFTA_SET_TABLE, table),
    attribute(NFTA_SET_NAME, name),
    number(NFTA_SET_FLAGS, flags),
    number(NFTA_SET_KEY_TYPE, typeOf(key)),
    number(NFTA_SET_KEY_LEN, lengthOf(key)),
    number(NFTA_SET_ID, id),
  ];
  if (key.includes(IFNAME)) body.push(attribute(NFTA_SET_USERDATA, NAMES_AS_KEYS));
  if (value === "chain") body.push(number(NFTA_SET_DATA_TYPE, NFT_DATA_VERDICT));
  else if (value) body.push(number(NFTA_SET_DATA_TYPE, typeOf(value)), number(NFTA_SET_DATA_LEN, lengthOf(value)));
  return change(family, `add set ${name} of ${table}`, NFT_MSG_NEWSET, NLM_F_CREATE, ...body);
}

/** Each part begins a register of 32 bits. */
function lengthOf(parts: readonly Part[]): number {
  return parts.reduce((sum, { bytes }) => sum + ((bytes + 3) & ~3), 0);
}

/** The kernel keeps this number for nft, which has six bits of it for each part. */
function typeOf(parts: readonly Part[]): number {
  return parts.reduce((all, { type }) => (all << 6) | type, 0);
}

/** How many rules chains have, together with those that jump to them. Undefined for a missing chain. */
export async function usesOf(
  filter: Netlink,
  table: Table,
  chains: readonly string[],
): Promise<(number | undefined)[]> {
  const found = await filter.findEach(chains.map((chain) => findChain(table, chain)));
  return found.map((chain) => {
    const told = chain && findAttribute(chain.subarray(HEADER), NFTA_CHAIN_USE);
    return told && new DataView(told.buffer, told.byteOffset).getUint32(0);
  });
}

function findChain({ family, name: table }: Table, chain: string): Request {
  const body = [attribute(NFTA_CHAIN_TABLE, table), attribute(NFTA_CHAIN_NAME, chain)];
  return change(family, `find chain ${chain}`, NFT_MSG_GETCHAIN, 0, ...body);
}

export async function isTableThere(filter: Netlink, { family, name }: Table): Promise<boolean> {
  const body = attribute(NFTA_TABLE_NAME, name);
  return (await filter.find(change(family, `find table ${name}`, NFT_MSG_GETTABLE, 0, body))) !== undefined;
}

/** Names of the chains of a table. None if there is no table. */
export async function chainsIn(filter: Netlink, { family, name: table }: Table): Promise<string[]> {
  const found = await filter.list(change(family, `list chains of ${table}`, NFT_MSG_GETCHAIN, 0));
  const told = found.map((body) =>
    [NFTA_CHAIN_TABLE, NFTA_CHAIN_NAME].map((type) => textOf(findAttribute(body.subarray(HEADER), type))),
  );
  return told.flatMap(([itsTable, name]) => (itsTable === table ? [name!] : []));
}

/** A string ends in NUL. */
export function textOf(attribute: Uint8Array | undefined): string {
  return Buffer.from(attribute ?? [])
    .toString()
    .replace(/\0$/, "");
}

/** What a base chain does with packets that no rule decides about. Undefined if there is no such chain. */
export async function policyOf(filter: Netlink, table: Table, chain: string): Promise<"accept" | "drop" | undefined> {
  const found = await filter.find(findChain(table, chain));
  const policy = found && findAttribute(found.subarray(HEADER), NFTA_CHAIN_POLICY);
  return policy && (policy.every((byte) => byte === 0) ? "drop" : "accept");
}

/** A request about a table or a part of it. `message`: `NFT_MSG_…`. */
export function change(
  family: Table["family"],
  about: string,
  message: number,
  flags: number,
  ...body: Uint8Array[]
): Request {
  const type = (NFNL_SUBSYS_NFTABLES << 8) | message;
  return { about, type, flags, body: Buffer.concat([header(NFPROTO[family], 0), ...body]), settled: [] };
}

/** What comes before and after a transaction. It names the part of netfilter that the requests are for. */
function border(which: "begin" | "end", type: number): Request {
  return { about: `${which} a transaction`, type, flags: 0, body: header(0, NFNL_SUBSYS_NFTABLES), settled: [] };
}

/** struct nfgenmsg: family, version 0, resource. */
function header(family: number, resource: number): Uint8Array {
  return Buffer.concat([big(family, 1), big(0, 1), big(resource, 2)]);
}

/** Bytes of struct nfgenmsg. */
export const HEADER = 4;
const NFPROTO = { ip: 2, ip6: 10 };
const NFNL_SUBSYS_NFTABLES = 10;
const NFNL_MSG_BATCH_BEGIN = 16;
const NFNL_MSG_BATCH_END = 17;
const NFT_MSG_NEWTABLE = 0;
const NFT_MSG_GETTABLE = 1;
const NFT_MSG_DELTABLE = 2;
const NFT_MSG_NEWCHAIN = 3;
const NFT_MSG_GETCHAIN = 4;
const NFT_MSG_DELCHAIN = 5;
const NFT_MSG_NEWRULE = 6;
const NFT_MSG_DELRULE = 8;
const NFT_MSG_NEWSET = 9;
const NLM_F_APPEND = 0x800;
const NFTA_TABLE_NAME = 1;
const NFTA_CHAIN_TABLE = 1;
const NFTA_CHAIN_NAME = 3;
const NFTA_CHAIN_HOOK = 4;
const NFTA_CHAIN_POLICY = 5;
const NFTA_CHAIN_USE = 6;
const NFTA_CHAIN_TYPE = 7;
const NFTA_HOOK_HOOKNUM = 1;
const NFTA_HOOK_PRIORITY = 2;
const NFTA_RULE_TABLE = 1;
const NFTA_RULE_CHAIN = 2;
const NFTA_RULE_EXPRESSIONS = 4;
const NFTA_LIST_ELEM = 1;
const NFTA_SET_TABLE = 1;
const NFTA_SET_NAME = 2;
const NFTA_SET_FLAGS = 3;
const NFTA_SET_KEY_TYPE = 4;
const NFTA_SET_KEY_LEN = 5;
const NFTA_SET_DATA_TYPE = 6;
const NFTA_SET_DATA_LEN = 7;
const NFTA_SET_ID = 10;
const NFT_SET_INTERVAL = 4;
const NFT_SET_MAP = 8;
const NFT_DATA_VERDICT = 0xffffff00;
const NFTA_SET_USERDATA = 13;
/** libnftnl/udata.h and nft's datatype.h */
const NFTNL_UDATA_SET_KEYBYTEORDER = 0;
const BYTEORDER_HOST_ENDIAN = 1;

/** Tells nft that keys are in the machine's byte order, as names are. The kernel keeps it for nft: type, length, value. */
const NAMES_AS_KEYS = fields([NFTNL_UDATA_SET_KEYBYTEORDER, 1], [4, 1], [BYTEORDER_HOST_ENDIAN, 4]);
