// What a rule changes of a packet: its sender, its receiver, or a field.

import { NFPROTO, number } from "./message.js";
import {
  type Expression,
  expression,
  loadKey,
  loadValue,
  lookUp,
  NFTA_LOOKUP_DREG,
  type PacketField,
  placeOf,
  REGISTER,
} from "./registers.js";

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

const NFTA_NAT_TYPE = 1;
const NFTA_NAT_FAMILY = 2;
const NFTA_NAT_REG_ADDR_MIN = 3;
const NFTA_NAT_REG_PROTO_MIN = 5;
const NFT_NAT_SNAT = 0;
const NFT_NAT_DNAT = 1;
const NFTA_PAYLOAD_SREG = 5;
const NFTA_PAYLOAD_CSUM_TYPE = 6;
const NFTA_PAYLOAD_CSUM_OFFSET = 7;
const NFT_PAYLOAD_CSUM_INET = 1;
