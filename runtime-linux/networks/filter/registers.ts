// The steps of a rule that load values into registers of 32 bits, and compare them. What the kernel itself puts into a register
// is in the machine's byte order.

import { attribute, fields } from "../netlink/netlink.js";
import { nested, number } from "./message.js";

/** A step of a rule. The first one that does not hold ends the rule. */
export type Expression = Uint8Array;

/** A field of a packet. */
export interface PacketField {
  base: "network" | "transport";
  offset: number;
  bytes: number;
}

/** The port of the receiver, in TCP, UDP and SCTP alike. */
export const RECEIVER_PORT: PacketField = { base: "transport", offset: 2, bytes: 2 };

export function expression(name: string, ...data: Uint8Array[]): Expression {
  return Buffer.concat([attribute(NFTA_EXPR_NAME, name), nested(NFTA_EXPR_DATA, ...data)]);
}

export function loadField(field: PacketField, register = REGISTER): Expression {
  return expression("payload", number(NFTA_PAYLOAD_DREG, register), ...placeOf(field));
}

export function loadValue(value: Uint8Array): Expression {
  const data = nested(NFTA_IMMEDIATE_DATA, attribute(NFTA_DATA_VALUE, value));
  return expression("immediate", number(NFTA_IMMEDIATE_DREG, REGISTER), data);
}

export function loadProtocol(register = REGISTER): Expression {
  return loadMeta(NFT_META_L4PROTO, register);
}

export function loadMeta(key: number, register = REGISTER): Expression {
  return expression("meta", number(NFTA_META_DREG, register), number(NFTA_META_KEY, key));
}

export function loadConnection(key: number): Expression {
  return expression("ct", number(NFTA_CT_DREG, REGISTER), number(NFTA_CT_KEY, key));
}

/** Loads fields, the protocol and the receiver's port into registers in a row: the parts of an element. */
export function loadKey(before: PacketField[]): Expression[] {
  let register = REGISTER;
  const loads = before.map((field) => {
    const load = loadField(field, register);
    register += field.bytes / 4;
    return load;
  });
  return [...loads, loadProtocol(register), loadField(RECEIVER_PORT, register + 1)];
}

export function lookUp(set: string, ...more: Uint8Array[]): Expression {
  return expression("lookup", attribute(NFTA_LOOKUP_SET, set), number(NFTA_LOOKUP_SREG, REGISTER), ...more);
}

export function masked(mask: Uint8Array): Expression {
  return expression(
    "bitwise",
    number(NFTA_BITWISE_SREG, REGISTER),
    number(NFTA_BITWISE_DREG, REGISTER),
    number(NFTA_BITWISE_LEN, mask.length),
    nested(NFTA_BITWISE_MASK, attribute(NFTA_DATA_VALUE, mask)),
    nested(NFTA_BITWISE_XOR, attribute(NFTA_DATA_VALUE, new Uint8Array(mask.length))),
  );
}

export function registerIs(value: Uint8Array, how = NFT_CMP_EQ): Expression {
  const data = nested(NFTA_CMP_DATA, attribute(NFTA_DATA_VALUE, value));
  return expression("cmp", number(NFTA_CMP_SREG, REGISTER), number(NFTA_CMP_OP, how), data);
}

/** Holds if any of these bits is set in the register, a number of 32 bits. */
export function anyOf(bits: number): Expression[] {
  return [masked(fields([bits, 4])), registerIs(new Uint8Array(4), NFT_CMP_NEQ)];
}

export function placeOf({ base, offset, bytes }: PacketField): Uint8Array[] {
  return [
    number(NFTA_PAYLOAD_BASE, base === "network" ? NFT_PAYLOAD_NETWORK_HEADER : NFT_PAYLOAD_TRANSPORT_HEADER),
    number(NFTA_PAYLOAD_OFFSET, offset),
    number(NFTA_PAYLOAD_LEN, bytes),
  ];
}

const NFTA_EXPR_NAME = 1;
const NFTA_EXPR_DATA = 2;
const NFTA_DATA_VALUE = 1;
const NFTA_CMP_SREG = 1;
const NFTA_CMP_OP = 2;
const NFTA_CMP_DATA = 3;
const NFT_CMP_EQ = 0;
export const NFT_CMP_NEQ = 1;
const NFTA_META_DREG = 1;
const NFTA_META_KEY = 2;
const NFT_META_L4PROTO = 16;
export const NFT_META_IIFNAME = 6;
export const NFT_META_OIFNAME = 7;
const NFTA_CT_DREG = 1;
const NFTA_CT_KEY = 2;
const NFTA_BITWISE_SREG = 1;
const NFTA_BITWISE_DREG = 2;
const NFTA_BITWISE_LEN = 3;
const NFTA_BITWISE_MASK = 4;
const NFTA_BITWISE_XOR = 5;
const NFTA_LOOKUP_SET = 1;
const NFTA_LOOKUP_SREG = 2;
export const NFTA_LOOKUP_DREG = 3;
export const NFTA_IMMEDIATE_DREG = 1;
export const NFTA_IMMEDIATE_DATA = 2;
const NFTA_PAYLOAD_DREG = 1;
const NFTA_PAYLOAD_BASE = 2;
const NFTA_PAYLOAD_OFFSET = 3;
const NFTA_PAYLOAD_LEN = 4;
const NFT_PAYLOAD_NETWORK_HEADER = 1;
const NFT_PAYLOAD_TRANSPORT_HEADER = 2;
/** NFT_REG32_00, the first of those through which values pass. */
export const REGISTER = 8;
