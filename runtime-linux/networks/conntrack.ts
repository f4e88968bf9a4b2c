// Entries of the kernel's connection tracking for datagrams. Only the first datagram of a flow decides where the flow
// goes, and the flow lasts as long as its client keeps sending. A client may have sent to a port before it was
// published, or while another container had it. Without this, such a client would never reach the new container.

import type { networks } from "../../hosts/shared/index.js";
import type { Kernel } from "../kernel.js";
import { isIpv6 } from "./addresses.js";
import { AF_INET, AF_INET6 } from "./links.js";
import { attribute, fields, findAttribute, Netlink, NETLINK_NETFILTER, type Request } from "./netlink.js";

/** Forgets all flows to these ports. Only UDP matters, because other protocols start with a handshake. */
export async function forgetDatagrams(kernel: Kernel, ports: networks.PortMapping[]): Promise<void> {
  for (const family of [AF_INET, AF_INET6]) await forgetFamily(kernel, family, ports);
}

async function forgetFamily(kernel: Kernel, family: number, ports: networks.PortMapping[]): Promise<void> {
  const isOurs = (address: string): boolean => isIpv6(address) === (family === AF_INET6);
  const tracked = ports.filter(({ protocol, hostAddress }) => protocol === "udp" && isOurs(hostAddress));
  const wanted = new Set(tracked.map(({ hostPort, containerPort }) => hostPort || containerPort));
  if (wanted.size === 0) return;
  const netlink = Netlink.open(kernel, NETLINK_NETFILTER);
  try {
    const flows = await netlink.list(request("list flows", IPCTNL_MSG_CT_GET, family));
    const tuples = flows.map((flow) => findAttribute(flow.subarray(HEADER_BYTES), CTA_TUPLE_ORIG));
    const ours = tuples.filter((tuple) => tuple !== undefined && wanted.has(datagramPort(tuple)));
    const removals = ours.map((tuple) => request("forget a flow", IPCTNL_MSG_CT_DELETE, family, tuple));
    if (removals.length > 0) await netlink.request(...removals);
  } finally {
    netlink.close();
  }
}

const NFNL_SUBSYS_CTNETLINK = 1;
const IPCTNL_MSG_CT_GET = 1;
const IPCTNL_MSG_CT_DELETE = 2;
const CTA_TUPLE_ORIG = 1;
const CTA_TUPLE_PROTO = 2;
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

/** The port that a flow's first datagram was sent to; 0 for other protocols. */
function datagramPort(tuple: Uint8Array): number {
  const protocol = findAttribute(tuple, CTA_TUPLE_PROTO);
  if (!protocol || findAttribute(protocol, CTA_PROTO_NUM)?.[0] !== IPPROTO_UDP) return 0;
  const [high = 0, low = 0] = findAttribute(protocol, CTA_PROTO_DST_PORT) ?? [];
  return (high << 8) | low;
}
