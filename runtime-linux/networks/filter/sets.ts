// Sets and maps of a table. Their elements: see `set-elements.ts`.

import { attribute, fields, NLM_F_CREATE, type Request } from "../netlink/netlink.js";
import { change, number, type Table } from "./message.js";

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

const NFT_MSG_NEWSET = 9;
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
