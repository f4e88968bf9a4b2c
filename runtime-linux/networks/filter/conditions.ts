// What a rule asks of a packet. The first condition that does not hold ends the rule.

import { maskOf } from "../addresses.js";
import { fields } from "../netlink/netlink.js";
import { big, number } from "./message.js";
import {
  anyOf,
  type Expression,
  expression,
  loadConnection,
  loadField,
  loadKey,
  loadMeta,
  loadProtocol,
  lookUp,
  masked,
  NFT_CMP_NEQ,
  NFT_META_IIFNAME,
  NFT_META_OIFNAME,
  type PacketField,
  REGISTER,
  registerIs,
} from "./registers.js";

/** Holds if the packet's field has this value. */
export function fieldIs(field: PacketField, value: Uint8Array): Expression[] {
  return [loadField(field), registerIs(value)];
}

/** Holds if the first bits of the packet's field are those of the value. */
export function fieldBegins(field: PacketField, value: Uint8Array, bits: number): Expression[] {
  const mask = maskOf(value.length, bits);
  return [loadField(field), masked(mask), registerIs(value.map((byte, at) => byte & mask[at]!))];
}

/** Holds if the packet's protocol is this one (`IPPROTO_…`). */
export function protocolIs(protocol: number): Expression[] {
  return [loadProtocol(), registerIs(big(protocol, 1))];
}

/** Holds if the packet comes from this interface. */
export function comesFrom(name: string): Expression[] {
  return [loadMeta(NFT_META_IIFNAME), registerIs(interfaceName(name))];
}

/** Holds if the packet comes from another interface. */
export function comesFromElsewhere(name: string): Expression[] {
  return [loadMeta(NFT_META_IIFNAME), registerIs(interfaceName(name), NFT_CMP_NEQ)];
}

/** Holds if the packet leaves by this interface. */
export function leavesBy(name: string): Expression[] {
  return [loadMeta(NFT_META_OIFNAME), registerIs(interfaceName(name))];
}

/** Holds if the packet leaves by an interface in the set. */
export function leavesByOneOf(set: string): Expression[] {
  return [loadMeta(NFT_META_OIFNAME), lookUp(set)];
}

/** Holds if the packet leaves by another interface. */
export function leavesElsewhere(name: string): Expression[] {
  return [loadMeta(NFT_META_OIFNAME), registerIs(interfaceName(name), NFT_CMP_NEQ)];
}

/** Holds if the packet belongs to a connection that is there, or is related to one. */
export function isAnswer(): Expression[] {
  return [loadConnection(NFT_CT_STATE), ...anyOf(CT_ESTABLISHED | CT_RELATED)];
}

/** Holds if the receiver of the packet's connection was translated. */
export function isLed(): Expression[] {
  return [loadConnection(NFT_CT_STATUS), ...anyOf(IPS_DST_NAT)];
}

/** Holds if the packet is for an address of the machine itself. */
export function isForMachine(): Expression[] {
  const about = [number(NFTA_FIB_RESULT, NFT_FIB_RESULT_ADDRTYPE), number(NFTA_FIB_FLAGS, NFTA_FIB_F_DADDR)];
  return [expression("fib", number(NFTA_FIB_DREG, REGISTER), ...about), registerIs(fields([RTN_LOCAL, 4]))];
}

/** Holds if protocol and port are an element of the set, after these fields if there are any. */
export function isIn(set: string, ...before: PacketField[]): Expression[] {
  return [...loadKey(before), lookUp(set)];
}

/** As a part of an element, too. */
export function interfaceName(name: string): Uint8Array {
  const padded = Buffer.alloc(IFNAMSIZ);
  padded.write(name);
  return padded;
}

const IFNAMSIZ = 16;
const NFT_CT_STATE = 0;
const NFT_CT_STATUS = 2;
const CT_ESTABLISHED = 2;
const CT_RELATED = 4;
const IPS_DST_NAT = 32;
const NFTA_FIB_DREG = 1;
const NFTA_FIB_RESULT = 2;
const NFTA_FIB_FLAGS = 3;
const NFT_FIB_RESULT_ADDRTYPE = 3;
const NFTA_FIB_F_DADDR = 2;
/** linux/rtnetlink.h */
const RTN_LOCAL = 2;
