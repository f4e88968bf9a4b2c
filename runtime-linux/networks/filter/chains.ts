// Chains of a table, and their rules.

import { attribute, findAttribute, type Netlink, NLM_F_CREATE, type Request } from "../netlink/netlink.js";
import { change, HEADER, nested, number, type Table, textOf } from "./message.js";
import type { Expression } from "./registers.js";

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

/** How many rules each of these chains has, together with those that jump to it. A missing chain is left out. */
export async function usesOf(filter: Netlink, table: Table, chains: readonly string[]): Promise<Map<string, number>> {
  const found = await filter.findEach(chains.map((chain) => findChain(table, chain)));
  return usesIn(
    found.flatMap((chain) => chain ?? []),
    table,
  );
}

/** The same of all chains of a table, in one request: to ask for each of thousands takes longer. */
export async function allUses(filter: Netlink, table: Table): Promise<Map<string, number>> {
  return usesIn(await filter.list(change(table.family, `list chains of ${table.name}`, NFT_MSG_GETCHAIN, 0)), table);
}

/** Names of the chains of a table. None if there is no table. */
export async function chainsIn(filter: Netlink, table: Table): Promise<string[]> {
  return [...(await allUses(filter, table)).keys()];
}

function usesIn(told: readonly Uint8Array[], table: Table): Map<string, number> {
  const uses = new Map<string, number>();
  for (const body of told) {
    const attributes = body.subarray(HEADER);
    if (textOf(findAttribute(attributes, NFTA_CHAIN_TABLE)) !== table.name) continue;
    const use = findAttribute(attributes, NFTA_CHAIN_USE) ?? new Uint8Array(4);
    const name = textOf(findAttribute(attributes, NFTA_CHAIN_NAME));
    uses.set(name, new DataView(use.buffer, use.byteOffset).getUint32(0));
  }
  return uses;
}

/** What a base chain does with packets that no rule decides about. Undefined if there is no such chain. */
export async function policyOf(filter: Netlink, table: Table, chain: string): Promise<"accept" | "drop" | undefined> {
  const found = await filter.find(findChain(table, chain));
  const policy = found && findAttribute(found.subarray(HEADER), NFTA_CHAIN_POLICY);
  return policy && (policy.every((byte) => byte === 0) ? "drop" : "accept");
}

function findChain({ family, name: table }: Table, chain: string): Request {
  const body = [attribute(NFTA_CHAIN_TABLE, table), attribute(NFTA_CHAIN_NAME, chain)];
  return change(family, `find chain ${chain}`, NFT_MSG_GETCHAIN, 0, ...body);
}

const NFT_MSG_NEWCHAIN = 3;
const NFT_MSG_GETCHAIN = 4;
const NFT_MSG_DELCHAIN = 5;
const NFT_MSG_NEWRULE = 6;
const NFT_MSG_DELRULE = 8;
const NLM_F_APPEND = 0x800;
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
