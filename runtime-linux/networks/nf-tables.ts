// Requests for the kernel's packet filter (nf_tables). Most of our rules are written in nft's language and carried out by
// that program, which takes 10 to 20 ms to start, read its tables and end. The few rules here go to the kernel in less
// than one. Names and numbers are those of linux/netfilter/nf_tables.h. Its numbers are big-endian.

import type { Kernel } from "../kernel.js";
import { attribute, Netlink, NETLINK_NETFILTER, NLM_F_CREATE, type Request } from "./netlink.js";

/** A step of a rule. The first one that does not hold ends the rule. */
export type Expression = Uint8Array;

/** Where the base chain of a table gets its packets. */
export interface Hook {
  /** `NF_INET_…`. */
  number: number;
  /** The lowest comes first. */
  priority: number;
}

export const NF_INET_LOCAL_OUT = 3;
export const NF_INET_POST_ROUTING = 4;

/** A field of a packet. */
export interface PacketField {
  base: "network" | "transport";
  offset: number;
  bytes: number;
}

/** Opens a socket for the filter of the calling thread's network namespace. */
export function openFilter(kernel: Kernel): Netlink {
  return Netlink.open(kernel, NETLINK_NETFILTER);
}

/** Carries out all requests or none. There must be no more of them than one call of `Netlink.request` sends at once. */
export async function transact(filter: Netlink, requests: readonly Request[]): Promise<void> {
  await filter.request(border("begin", NFNL_MSG_BATCH_BEGIN), ...requests, border("end", NFNL_MSG_BATCH_END));
}

/** Makes a table of IPv4. An existing one stays as it is. */
export function addTable(name: string): Request {
  return change(`add table ${name}`, NFT_MSG_NEWTABLE, NLM_F_CREATE, attribute(NFTA_TABLE_NAME, name));
}

/** Removes a table of IPv4, which must exist, with all that is in it. */
export function deleteTable(name: string): Request {
  return change(`delete table ${name}`, NFT_MSG_DELTABLE, 0, attribute(NFTA_TABLE_NAME, name));
}

/** Makes a chain that filters packets. */
export function addChain(table: string, name: string, { number, priority }: Hook): Request {
  const hook = [attribute(NFTA_HOOK_HOOKNUM, big(number, 4)), attribute(NFTA_HOOK_PRIORITY, big(priority, 4))];
  const body = [
    attribute(NFTA_CHAIN_TABLE, table),
    attribute(NFTA_CHAIN_NAME, name),
    nested(NFTA_CHAIN_HOOK, ...hook),
    attribute(NFTA_CHAIN_TYPE, "filter"),
  ];
  return change(`add chain ${name} of ${table}`, NFT_MSG_NEWCHAIN, NLM_F_CREATE, ...body);
}

/** Adds a rule at the end of a chain. */
export function addRule(table: string, chain: string, ...expressions: Expression[]): Request {
  const body = [
    attribute(NFTA_RULE_TABLE, table),
    attribute(NFTA_RULE_CHAIN, chain),
    nested(NFTA_RULE_EXPRESSIONS, ...expressions.map((expression) => nested(NFTA_LIST_ELEM, expression))),
  ];
  return change(`add rule to ${chain} of ${table}`, NFT_MSG_NEWRULE, NLM_F_CREATE | NLM_F_APPEND, ...body);
}

/** Holds if the packet's field has this value. */
export function fieldIs(field: PacketField, value: Uint8Array): Expression[] {
  return [expression("payload", number(NFTA_PAYLOAD_DREG, REGISTER), ...placeOf(field)), registerIs(value)];
}

/** Holds if the packet's protocol is this one (`IPPROTO_…`). */
export function protocolIs(protocol: number): Expression[] {
  const load = expression("meta", number(NFTA_META_DREG, REGISTER), number(NFTA_META_KEY, NFT_META_L4PROTO));
  return [load, registerIs(big(protocol, 1))];
}

/** Writes a value to the packet's field. `checksum`: offset of the transport header's checksum, which covers it. */
export function setField(field: PacketField, value: Uint8Array, checksum: number): Expression[] {
  const write = [
    number(NFTA_PAYLOAD_SREG, REGISTER),
    ...placeOf(field),
    number(NFTA_PAYLOAD_CSUM_TYPE, NFT_PAYLOAD_CSUM_INET),
    number(NFTA_PAYLOAD_CSUM_OFFSET, checksum),
  ];
  const data = nested(NFTA_IMMEDIATE_DATA, attribute(NFTA_DATA_VALUE, value));
  return [expression("immediate", number(NFTA_IMMEDIATE_DREG, REGISTER), data), expression("payload", ...write)];
}

/** A big-endian number. */
export function big(value: number, bytes: 1 | 2 | 4): Uint8Array {
  const made = Buffer.alloc(bytes);
  if (bytes === 4) made.writeInt32BE(value);
  else made.writeUIntBE(value, 0, bytes);
  return made;
}

function registerIs(value: Uint8Array): Expression {
  const data = nested(NFTA_CMP_DATA, attribute(NFTA_DATA_VALUE, value));
  return expression("cmp", number(NFTA_CMP_SREG, REGISTER), number(NFTA_CMP_OP, NFT_CMP_EQ), data);
}

function placeOf({ base, offset, bytes }: PacketField): Uint8Array[] {
  return [
    number(NFTA_PAYLOAD_BASE, base === "network" ? NFT_PAYLOAD_NETWORK_HEADER : NFT_PAYLOAD_TRANSPORT_HEADER),
    number(NFTA_PAYLOAD_OFFSET, offset),
    number(NFTA_PAYLOAD_LEN, bytes),
  ];
}

function expression(name: string, ...data: Uint8Array[]): Expression {
  return Buffer.concat([attribute(NFTA_EXPR_NAME, name), nested(NFTA_EXPR_DATA, ...data)]);
}

function number(type: number, value: number): Uint8Array {
  return attribute(type, big(value, 4));
}

function nested(type: number, ...parts: Uint8Array[]): Uint8Array {
  return attribute(type | NLA_F_NESTED, ...parts);
}

function change(about: string, message: number, flags: number, ...body: Uint8Array[]): Request {
  const type = (NFNL_SUBSYS_NFTABLES << 8) | message;
  return { about, type, flags, body: Buffer.concat([header(NFPROTO_IPV4, 0), ...body]), settled: [] };
}

/** What comes before and after a transaction. It names the part of netfilter that the requests are for. */
function border(which: "begin" | "end", type: number): Request {
  return { about: `${which} a transaction`, type, flags: 0, body: header(0, NFNL_SUBSYS_NFTABLES), settled: [] };
}

/** struct nfgenmsg: family, version 0, resource. */
function header(family: number, resource: number): Uint8Array {
  return Buffer.concat([big(family, 1), big(0, 1), big(resource, 2)]);
}

const NFPROTO_IPV4 = 2;
const NFNL_SUBSYS_NFTABLES = 10;
const NFNL_MSG_BATCH_BEGIN = 16;
const NFNL_MSG_BATCH_END = 17;
const NFT_MSG_NEWTABLE = 0;
const NFT_MSG_DELTABLE = 2;
const NFT_MSG_NEWCHAIN = 3;
const NFT_MSG_NEWRULE = 6;
const NLM_F_APPEND = 0x800;
const NLA_F_NESTED = 0x8000;
const NFTA_TABLE_NAME = 1;
const NFTA_CHAIN_TABLE = 1;
const NFTA_CHAIN_NAME = 3;
const NFTA_CHAIN_HOOK = 4;
const NFTA_CHAIN_TYPE = 7;
const NFTA_HOOK_HOOKNUM = 1;
const NFTA_HOOK_PRIORITY = 2;
const NFTA_RULE_TABLE = 1;
const NFTA_RULE_CHAIN = 2;
const NFTA_RULE_EXPRESSIONS = 4;
const NFTA_LIST_ELEM = 1;
const NFTA_EXPR_NAME = 1;
const NFTA_EXPR_DATA = 2;
const NFTA_DATA_VALUE = 1;
const NFTA_CMP_SREG = 1;
const NFTA_CMP_OP = 2;
const NFTA_CMP_DATA = 3;
const NFT_CMP_EQ = 0;
const NFTA_META_DREG = 1;
const NFTA_META_KEY = 2;
const NFT_META_L4PROTO = 16;
const NFTA_IMMEDIATE_DREG = 1;
const NFTA_IMMEDIATE_DATA = 2;
const NFTA_PAYLOAD_DREG = 1;
const NFTA_PAYLOAD_BASE = 2;
const NFTA_PAYLOAD_OFFSET = 3;
const NFTA_PAYLOAD_LEN = 4;
const NFTA_PAYLOAD_SREG = 5;
const NFTA_PAYLOAD_CSUM_TYPE = 6;
const NFTA_PAYLOAD_CSUM_OFFSET = 7;
const NFT_PAYLOAD_NETWORK_HEADER = 1;
const NFT_PAYLOAD_TRANSPORT_HEADER = 2;
const NFT_PAYLOAD_CSUM_INET = 1;
/** The register through which values pass. */
const REGISTER = 1;
