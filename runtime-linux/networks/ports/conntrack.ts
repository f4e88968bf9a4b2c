// Entries of the kernel's connection tracking for datagrams. Only the first datagram of a flow decides where the flow
// goes, and the flow lasts as long as its client keeps sending. A client may have sent to a port before it was
// published, or while another container had it. Without this, such a client would never reach the new container.

import type { networks } from "../../../hosts/shared/index.js";
import { addressBytes, isIpv6 } from "../addresses.js";
import { AF_INET, AF_INET6 } from "../netlink/links.js";
import { attribute, fields, findAttribute, type Netlink, type Request } from "../netlink/netlink.js";
import type { Rules } from "../rules/rules.js";

/**
 * Forgets all flows to the container's published ports. Only UDP matters, because other protocols start with a handshake.
 * Ports of the machine are known by their numbers alone, since its addresses may be any. Where none leads to the
 * container, those of its own address are meant: others' flows to the same number, as to DNS servers, go on. It asks by the
 * socket of `rules`: a netfilter socket of its own, once closed, would keep the next change of rules waiting some 10 ms.
 */
export async function forgetDatagrams(rules: Rules, join: networks.Join): Promise<void> {
  for (const family of [AF_INET, AF_INET6]) await forgetFamily(rules, family, join);
}

async function forgetFamily(rules: Rules, family: number, join: networks.Join): Promise<void> {
  const isOurs = (address: string): boolean => isIpv6(address) === (family === AF_INET6);
  const tracked = join.ports.filter(({ protocol, hostAddress }) => protocol === "udp" && isOurs(hostAddress));
  const mapped = new Set(tracked.map(({ hostPort }) => hostPort).filter((port) => port !== 0));
  const own = new Set(tracked.filter(({ hostPort }) => hostPort === 0).map(({ containerPort }) => containerPort));
  if (mapped.size + own.size === 0) return;
  const address = family === AF_INET6 ? join.ipv6Address : join.address;
  const isWanted = (tuple: Uint8Array): boolean => {
    const port = datagramPort(tuple);
    return mapped.has(port) || (own.has(port) && isSentTo(tuple, address));
  };
  await rules.ask((filter) => forgetFlows(filter, family, isWanted));
}

/** Forgets the flows of a family whose first datagram is wanted. */
async function forgetFlows(filter: Netlink, family: number, isWanted: (tuple: Uint8Array) => boolean): Promise<void> {
  const flows = await filter.list(request("list flows", IPCTNL_MSG_CT_GET, family));
  const tuples = flows.map((flow) => findAttribute(flow.subarray(HEADER_BYTES), CTA_TUPLE_ORIG));
  const ours = tuples.filter((tuple) => tuple !== undefined && isWanted(tuple));
  const removals = ours.map((tuple) => request("forget a flow", IPCTNL_MSG_CT_DELETE, family, tuple));
  if (removals.length > 0) await filter.request(...removals);
}

const NFNL_SUBSYS_CTNETLINK = 1;
const IPCTNL_MSG_CT_GET = 1;
const IPCTNL_MSG_CT_DELETE = 2;
const CTA_TUPLE_ORIG = 1;
const CTA_TUPLE_IP = 1;
const CTA_TUPLE_PROTO = 2;
const CTA_IP_V4_DST = 2;
const CTA_IP_V6_DST = 4;
const CTA_PROTO_NUM = 1;
const CTA_PROTO_DST_PORT = 3;
const NLA_F_NESTED = 0x8000;
const IPPROTO_UDP = 17;

const HEADER_BYTES = 4;

/** struct nfgenmsg: family, version 0, no resource. */
function header(family: number): Uint8Array {
  return fields([family, 1], [0, 1], [0, 2]);
}

function request(about: string, message: number, family: number, tuple?: Uint8Array): Request {
  const named = tuple ? [attribute(CTA_TUPLE_ORIG | NLA_F_NESTED, tuple)] : [];
  const type = (NFNL_SUBSYS_CTNETLINK << 8) | message;
  return { about, type, flags: 0, body: Buffer.concat([header(family), ...named]), settled: ["ENOENT"] };
}

/** Whether a flow's first datagram was sent to this address, of the flow's family. Empty: to none. */
function isSentTo(tuple: Uint8Array, address: string): boolean {
  const addresses = findAttribute(tuple, CTA_TUPLE_IP);
  if (!addresses || address === "") return false;
  const sentTo = findAttribute(addresses, isIpv6(address) ? CTA_IP_V6_DST : CTA_IP_V4_DST);
  return sentTo !== undefined && Buffer.compare(sentTo, addressBytes(address)) === 0;
}

/** The port that a flow's first datagram was sent to; 0 for other protocols. */
function datagramPort(tuple: Uint8Array): number {
  const protocol = findAttribute(tuple, CTA_TUPLE_PROTO);
  if (!protocol || findAttribute(protocol, CTA_PROTO_NUM)?.[0] !== IPPROTO_UDP) return 0;
  const [high = 0, low = 0] = findAttribute(protocol, CTA_PROTO_DST_PORT) ?? [];
  return (high << 8) | low;
}
