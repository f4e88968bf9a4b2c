// Tables of the packet filter.

import { attribute, type Netlink, NLM_F_CREATE, type Request } from "../netlink/netlink.js";
import { change, type Table } from "./message.js";

/** Makes a table. An existing one stays as it is. */
export function addTable({ family, name }: Table): Request {
  return change(family, `add table ${name}`, NFT_MSG_NEWTABLE, NLM_F_CREATE, attribute(NFTA_TABLE_NAME, name));
}

/** Removes a table, which must exist, with all that is in it. */
export function deleteTable({ family, name }: Table): Request {
  return change(family, `delete table ${name}`, NFT_MSG_DELTABLE, 0, attribute(NFTA_TABLE_NAME, name));
}

export async function isTableThere(filter: Netlink, { family, name }: Table): Promise<boolean> {
  const body = attribute(NFTA_TABLE_NAME, name);
  return (await filter.find(change(family, `find table ${name}`, NFT_MSG_GETTABLE, 0, body))) !== undefined;
}

const NFT_MSG_NEWTABLE = 0;
const NFT_MSG_GETTABLE = 1;
const NFT_MSG_DELTABLE = 2;
const NFTA_TABLE_NAME = 1;
