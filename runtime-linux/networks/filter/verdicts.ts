// How a rule ends: with a verdict about the packet, or in another chain.

import { attribute } from "../netlink/netlink.js";
import { nested, number } from "./message.js";
import {
  type Expression,
  expression,
  loadField,
  loadMeta,
  lookUp,
  NFTA_LOOKUP_DREG,
  NFT_META_IIFNAME,
  NFT_META_OIFNAME,
  NFTA_IMMEDIATE_DATA,
  NFTA_IMMEDIATE_DREG,
  type PacketField,
} from "./registers.js";

export function accept(): Expression[] {
  return verdict(NF_ACCEPT);
}

export function drop(): Expression[] {
  return verdict(NF_DROP);
}

/** Goes on behind the rule that jumped to this chain. */
export function goBack(): Expression[] {
  return verdict(NFT_RETURN);
}

export function jump(chain: string): Expression[] {
  return verdict(NFT_JUMP, attribute(NFTA_VERDICT_CHAIN, chain));
}

/** Jumps to the chain that a map has for the packet's sender. Holds if it has one. */
export function jumpBySender(map: string, sender: PacketField): Expression[] {
  return [loadField(sender), jumpByMap(map)];
}

/** Jumps to the chain that a map has for the interface from which the packet comes. */
export function jumpByOrigin(map: string): Expression[] {
  return [loadMeta(NFT_META_IIFNAME), jumpByMap(map)];
}

/** Jumps to the chain that a map has for the interface by which the packet leaves. */
export function jumpByExit(map: string): Expression[] {
  return [loadMeta(NFT_META_OIFNAME), jumpByMap(map)];
}

function jumpByMap(map: string): Expression {
  return lookUp(map, number(NFTA_LOOKUP_DREG, NFT_REG_VERDICT));
}

/** The verdict to jump to a chain, as the data of an expression or an element. */
export function jumpData(chain: string): Uint8Array {
  return verdictData(NFT_JUMP, attribute(NFTA_VERDICT_CHAIN, chain));
}

function verdict(code: number, ...chain: Uint8Array[]): Expression[] {
  const to = number(NFTA_IMMEDIATE_DREG, NFT_REG_VERDICT);
  return [expression("immediate", to, nested(NFTA_IMMEDIATE_DATA, verdictData(code, ...chain)))];
}

function verdictData(code: number, ...chain: Uint8Array[]): Uint8Array {
  return nested(NFTA_DATA_VERDICT, number(NFTA_VERDICT_CODE, code), ...chain);
}

const NFTA_DATA_VERDICT = 2;
const NFTA_VERDICT_CODE = 1;
const NFTA_VERDICT_CHAIN = 2;
const NF_DROP = 0;
const NF_ACCEPT = 1;
const NFT_JUMP = -3;
const NFT_RETURN = -5;
const NFT_REG_VERDICT = 0;
