// What a rule of the kernel's packet filter (nf_tables) consists of. Values pass through registers of 32 bits. Names and
// numbers are those of linux/netfilter/nf_tables.h. Its numbers are big-endian, but what the kernel itself puts into a
// register is in the machine's byte order.

import { attribute, fields } from "../netlink/netlink.js";

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

/** For a map from the same to an address and a port: translates the receiver to these. */
export function ledByMap(map: string, family: "ip" | "ip6", ...before: PacketField[]): Expression[] {
  const to = [
    number(NFTA_NAT_TYPE, NFT_NAT_DNAT),
    number(NFTA_NAT_FAMILY, NFPROTO[family]),
    number(NFTA_NAT_REG_ADDR_MIN, REGISTER),
    number(NFTA_NAT_REG_PROTO_MIN, REGISTER + (family === "ip" ? 1 : 4)),
  ];
  return [...loadKey(before), lookUp(map, number(NFTA_LOOKUP_DREG, REGISTER)), expression("nat", ...to)];
}

/** The packet leaves under this address. */
export function senderBecomes(address: Uint8Array): Expression[] {
  const to = [
    number(NFTA_NAT_TYPE, NFT_NAT_SNAT),
    number(NFTA_NAT_FAMILY, NFPROTO[address.length === 4 ? "ip" : "ip6"]),
    number(NFTA_NAT_REG_ADDR_MIN, REGISTER),
  ];
  return [loadValue(address), expression("nat", ...to)];
}

/** The packet leaves under the machine's address. */
export function masquerade(): Expression[] {
  return [expression("masq")];
}

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

/** Writes a value to the packet's field. `checksum`: offset of the transport header's checksum, which covers it. */
export function setField(field: PacketField, value: Uint8Array, checksum: number): Expression[] {
  const write = [
    number(NFTA_PAYLOAD_SREG, REGISTER),
    ...placeOf(field),
    number(NFTA_PAYLOAD_CSUM_TYPE, NFT_PAYLOAD_CSUM_INET),
    number(NFTA_PAYLOAD_CSUM_OFFSET, checksum),
  ];
  return [loadValue(value), expression("payload", ...write)];
}

/** The verdict to jump to a chain, as the data of an expression or an element. */
export function jumpData(chain: string): Uint8Array {
  return verdictData(NFT_JUMP, attribute(NFTA_VERDICT_CHAIN, chain));
}

/** The addresses whose first bits are those of `address`: the first of them, and the next one behind all, if any. */
export function rangeOf(address: Uint8Array, bits: number): { first: Uint8Array; next: Uint8Array | undefined } {
  const mask = maskOf(address.length, bits);
  const first = address.map((byte, at) => byte & mask[at]!);
  const next = first.map((byte, at) => byte | (~mask[at]! & 0xff));
  for (let at = next.length - 1; at >= 0; at -= 1) {
    next[at]! += 1;
    if (next[at] !== 0) return { first, next };
  }
  return { first, next: undefined };
}

/** A big-endian number. */
export function big(value: number, bytes: 1 | 2 | 4): Uint8Array {
  const made = Buffer.allocUnsafe(bytes);
  for (let byte = 0; byte < bytes; byte += 1) made[bytes - 1 - byte] = value >> (8 * byte);
  return made;
}

/** An attribute that is a big-endian number of 32 bits. */
export function number(type: number, value: number): Uint8Array {
  return attribute(type, big(value, 4));
}

export function nested(type: number, ...parts: Uint8Array[]): Uint8Array {
  return attribute(type | NLA_F_NESTED, ...parts);
}

/** Loads fields, the protocol and the receiver's port into registers in a row: the parts of an element. */
function loadKey(before: PacketField[]): Expression[] {
  let register = REGISTER;
  const loads = before.map((field) => {
    const load = loadField(field, register);
    register += field.bytes / 4;
    return load;
  });
  return [...loads, loadProtocol(register), loadField(RECEIVER_PORT, register + 1)];
}

function loadField(field: PacketField, register = REGISTER): Expression {
  return expression("payload", number(NFTA_PAYLOAD_DREG, register), ...placeOf(field));
}

function loadValue(value: Uint8Array): Expression {
  const data = nested(NFTA_IMMEDIATE_DATA, attribute(NFTA_DATA_VALUE, value));
  return expression("immediate", number(NFTA_IMMEDIATE_DREG, REGISTER), data);
}

function loadProtocol(register = REGISTER): Expression {
  return loadMeta(NFT_META_L4PROTO, register);
}

function loadMeta(key: number, register = REGISTER): Expression {
  return expression("meta", number(NFTA_META_DREG, register), number(NFTA_META_KEY, key));
}

function loadConnection(key: number): Expression {
  return expression("ct", number(NFTA_CT_DREG, REGISTER), number(NFTA_CT_KEY, key));
}

function lookUp(set: string, ...more: Uint8Array[]): Expression {
  return expression("lookup", attribute(NFTA_LOOKUP_SET, set), number(NFTA_LOOKUP_SREG, REGISTER), ...more);
}

/** Holds if any of these bits is set in the register, a number of 32 bits. */
function anyOf(bits: number): Expression[] {
  return [masked(fields([bits, 4])), registerIs(new Uint8Array(4), NFT_CMP_NEQ)];
}

function masked(mask: Uint8Array): Expression {
  return expression(
    "bitwise",
    number(NFTA_BITWISE_SREG, REGISTER),
    number(NFTA_BITWISE_DREG, REGISTER),
    number(NFTA_BITWISE_LEN, mask.length),
    nested(NFTA_BITWISE_MASK, attribute(NFTA_DATA_VALUE, mask)),
    nested(NFTA_BITWISE_XOR, attribute(NFTA_DATA_VALUE, new Uint8Array(mask.length))),
  );
}

function registerIs(value: Uint8Array, how = NFT_CMP_EQ): Expression {
  const data = nested(NFTA_CMP_DATA, attribute(NFTA_DATA_VALUE, value));
  return expression("cmp", number(NFTA_CMP_SREG, REGISTER), number(NFTA_CMP_OP, how), data);
}

function verdict(code: number, ...chain: Uint8Array[]): Expression[] {
  const to = number(NFTA_IMMEDIATE_DREG, NFT_REG_VERDICT);
  return [expression("immediate", to, nested(NFTA_IMMEDIATE_DATA, verdictData(code, ...chain)))];
}

function verdictData(code: number, ...chain: Uint8Array[]): Uint8Array {
  return nested(NFTA_DATA_VERDICT, number(NFTA_VERDICT_CODE, code), ...chain);
}

function maskOf(bytes: number, bits: number): Uint8Array {
  return Uint8Array.from({ length: bytes }, (_, at) => (0xff00 >> Math.min(8, Math.max(0, bits - 8 * at))) & 0xff);
}

/** As a part of an element, too. */
export function interfaceName(name: string): Uint8Array {
  const padded = Buffer.alloc(IFNAMSIZ);
  padded.write(name);
  return padded;
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

const NLA_F_NESTED = 0x8000;
const NFPROTO = { ip: 2, ip6: 10 };
const IFNAMSIZ = 16;
const NFTA_EXPR_NAME = 1;
const NFTA_EXPR_DATA = 2;
const NFTA_DATA_VALUE = 1;
const NFTA_DATA_VERDICT = 2;
const NFTA_VERDICT_CODE = 1;
const NFTA_VERDICT_CHAIN = 2;
const NF_DROP = 0;
const NF_ACCEPT = 1;
const NFT_JUMP = -3;
const NFT_RETURN = -5;
const NFTA_CMP_SREG = 1;
const NFTA_CMP_OP = 2;
const NFTA_CMP_DATA = 3;
const NFT_CMP_EQ = 0;
const NFT_CMP_NEQ = 1;
const NFTA_META_DREG = 1;
const NFTA_META_KEY = 2;
const NFT_META_IIFNAME = 6;
const NFT_META_OIFNAME = 7;
const NFT_META_L4PROTO = 16;
const NFTA_CT_DREG = 1;
const NFTA_CT_KEY = 2;
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
const NFTA_BITWISE_SREG = 1;
const NFTA_BITWISE_DREG = 2;
const NFTA_BITWISE_LEN = 3;
const NFTA_BITWISE_MASK = 4;
const NFTA_BITWISE_XOR = 5;
const NFTA_LOOKUP_SET = 1;
const NFTA_LOOKUP_SREG = 2;
const NFTA_LOOKUP_DREG = 3;
const NFTA_NAT_TYPE = 1;
const NFTA_NAT_FAMILY = 2;
const NFTA_NAT_REG_ADDR_MIN = 3;
const NFTA_NAT_REG_PROTO_MIN = 5;
const NFT_NAT_SNAT = 0;
const NFT_NAT_DNAT = 1;
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
const NFT_REG_VERDICT = 0;
/** NFT_REG32_00, the first of those through which values pass. */
const REGISTER = 8;
