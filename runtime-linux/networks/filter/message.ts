// Messages for the kernel's packet filter (nf_tables). The program nft would take 10 to 20 ms to start, read its tables and
// end; the kernel takes less than one. Names and numbers in this folder are those of linux/netfilter/nf_tables.h. Its
// numbers are big-endian.

import type { Kernel } from "../../kernel.js";
import { attribute, Netlink, NETLINK_NETFILTER, type Request } from "../netlink/netlink.js";

/** A table, named as nft does. */
export interface Table {
  family: "ip" | "ip6";
  name: string;
}

/** Bytes of struct nfgenmsg. */
export const HEADER = 4;

/** Opens a socket for the filter of the calling thread's network namespace. */
export function openFilter(kernel: Kernel): Netlink {
  return Netlink.open(kernel, NETLINK_NETFILTER);
}

/** Carries out all requests or none. */
export async function transact(filter: Netlink, requests: readonly Request[]): Promise<void> {
  const borders = [border("begin", NFNL_MSG_BATCH_BEGIN), border("end", NFNL_MSG_BATCH_END)] as const;
  await filter.requestTogether([borders[0], ...requests, borders[1]]);
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

/** A string ends in NUL. */
export function textOf(attribute: Uint8Array | undefined): string {
  return Buffer.from(attribute ?? [])
    .toString()
    .replace(/\0$/, "");
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

/** What comes before and after a transaction. It names the part of netfilter that the requests are for. */
function border(which: "begin" | "end", type: number): Request {
  return { about: `${which} a transaction`, type, flags: 0, body: header(0, NFNL_SUBSYS_NFTABLES), settled: [] };
}

/** struct nfgenmsg: family, version 0, resource. */
function header(family: number, resource: number): Uint8Array {
  return Buffer.concat([big(family, 1), big(0, 1), big(resource, 2)]);
}

export const NFPROTO = { ip: 2, ip6: 10 };
const NLA_F_NESTED = 0x8000;
const NFNL_SUBSYS_NFTABLES = 10;
const NFNL_MSG_BATCH_BEGIN = 16;
const NFNL_MSG_BATCH_END = 17;
