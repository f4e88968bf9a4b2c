// The few rtnetlink(7) requests that a bridge network needs, for links and their addresses. For routes: `default-routes.ts`.

import {
  attribute,
  fields,
  NLM_F_CREATE,
  NLM_F_EXCL,
  RTM_DELADDR,
  RTM_DELLINK,
  RTM_NEWADDR,
  RTM_NEWLINK,
  type Request,
} from "./netlink.js";

/** Index of `lo` in every network namespace. */
export const LOOPBACK = 1;

/**
 * Makes a bridge. Fails if an interface of that name exists: without NLM_F_EXCL, the kernel would change that one. The
 * bridge's hardware address is fixed: otherwise it would be that of the lowest port.
 */
export function makeBridge(name: string, mac: Uint8Array): Request {
  const body = [link(0), attribute(IFLA_IFNAME, name), attribute(IFLA_ADDRESS, mac), kind("bridge")];
  return request(`make bridge ${name}`, RTM_NEWLINK, NLM_F_CREATE | NLM_F_EXCL, body, []);
}

/** The end of a veth pair in a container's namespace. */
export interface Inner {
  /** File descriptor of the namespace. */
  namespace: number;
  name: string;
  index: number;
  mac: Uint8Array;
}

/** Makes a veth pair: one end here, on a bridge, the other in a container's namespace. Both are still down. */
export function makeVeth(name: string, bridge: number, inner: Inner, mtu: number): Request {
  const peer = [
    link(inner.index),
    attribute(IFLA_IFNAME, inner.name),
    attribute(IFLA_ADDRESS, inner.mac),
    attribute(IFLA_NET_NS_FD, inner.namespace),
    ...mtuOf(mtu),
  ];
  const body = [
    link(0),
    attribute(IFLA_IFNAME, name),
    attribute(IFLA_MASTER, bridge),
    ...mtuOf(mtu),
    kind("veth", attribute(VETH_INFO_PEER, ...peer)),
  ];
  return request(`make veth ${name}`, RTM_NEWLINK, NLM_F_CREATE | NLM_F_EXCL, body, []);
}

/** Sets the size of a bridge's packets. Given when the bridge is made, it would follow that of its ports. */
export function setMtu(bridge: string, mtu: number): Request {
  const body = [...named(bridge, 0, 0), ...mtuOf(mtu)];
  return request(`set mtu of ${bridge} to ${mtu}`, RTM_NEWLINK, 0, body, []);
}

/** Puts a link into a group of links: a number that firewalls know (`ip link show group`). */
export function setGroup(name: string, group: number): Request {
  const body = [...named(name, 0, 0), attribute(IFLA_GROUP, fields([group, 4]))];
  return request(`put ${name} into group ${group}`, RTM_NEWLINK, 0, body, []);
}

/** Brings a link up. */
export function setUp(link: string | number): Request {
  return request(`set ${link} up`, RTM_NEWLINK, 0, named(link, IFF_UP, IFF_UP), []);
}

/**
 * Sets how a bridge treats one of its ports.
 * - It may send frames back out of the port they came from. A container needs this to reach a port that it publishes
 *   itself, if bridged packets pass the firewall (bridge-nf-call-iptables).
 * - `isolated`: it sends nothing from this port to other isolated ones.
 */
export function setPort(port: string, isolated: boolean): Request {
  const modes = [attribute(IFLA_BRPORT_MODE, fields([1, 1]))];
  if (isolated) modes.push(attribute(IFLA_BRPORT_ISOLATED, fields([1, 1])));
  const data = attribute(IFLA_INFO_SLAVE_DATA, ...modes);
  const info = attribute(IFLA_LINKINFO, attribute(IFLA_INFO_SLAVE_KIND, "bridge"), data);
  return request(`set modes of bridge port ${port}`, RTM_NEWLINK, 0, [...named(port, 0, 0), info], []);
}

/** Keeps IPv6 from giving a link an address of its own. A kernel without IPv6 does not do that anyway. */
export function withoutIpv6(link: string | number): Request {
  const none = attribute(IFLA_INET6_ADDR_GEN_MODE, fields([IN6_ADDR_GEN_MODE_NONE, 1]));
  const body = [...named(link, 0, 0), attribute(IFLA_AF_SPEC, attribute(AF_INET6, none))];
  return request(`keep IPv6 off ${link}`, RTM_NEWLINK, 0, body, ["EAFNOSUPPORT"]);
}

/** Brings a link down and removes it from its bridge: it sends nothing any more. */
export function silence(name: string): Request {
  const body = [...named(name, 0, IFF_UP), attribute(IFLA_MASTER, 0)];
  return request(`set ${name} down`, RTM_NEWLINK, 0, body, ["ENODEV"]);
}

/** Removes a link; both ends for a veth pair. The kernel takes 10 to 40 ms, because it waits for its readers (RCU). */
export function removeLink(name: string | number): Request {
  return request(`remove ${name}`, RTM_DELLINK, 0, named(name, 0, 0), ["ENODEV"]);
}

/** Gives a link an IPv4 address. */
export function addAddress(index: number, address: Uint8Array, prefix: number, broadcast: Uint8Array): Request {
  const body = [
    addressHeader(AF_INET, index, prefix),
    attribute(IFA_LOCAL, address),
    attribute(IFA_ADDRESS, address),
    attribute(IFA_BROADCAST, broadcast),
  ];
  return request(`add address ${address.join(".")}`, RTM_NEWADDR, NLM_F_CREATE | NLM_F_EXCL, body, ["EEXIST"]);
}

/**
 * Gives a link an IPv6 address. It is usable at once: without IFA_F_NODAD, the kernel would ask for a second whether
 * another machine has it. On a network of ours nobody else has. On a parent's network, the client answers for that.
 */
export function addIpv6Address(index: number, address: Uint8Array, prefix: number): Request {
  const body = [addressHeader(AF_INET6, index, prefix, IFA_F_NODAD), attribute(IFA_LOCAL, address)];
  const about = `add IPv6 address to link ${index}`;
  return request(about, RTM_NEWADDR, NLM_F_CREATE | NLM_F_EXCL, body, ["EEXIST"]);
}

/** Takes an address from a link. */
export function removeAddress(index: number, address: Uint8Array, prefix: number): Request {
  const body = [addressHeader(familyOf(address), index, prefix), attribute(IFA_LOCAL, address)];
  return request(`remove address ${address.join(".")}`, RTM_DELADDR, 0, body, ["EADDRNOTAVAIL", "ENODEV"]);
}

export const AF_INET = 2;
export const AF_INET6 = 10;

/** The family of an address. */
export function familyOf(address: Uint8Array): number {
  return address.length === 4 ? AF_INET : AF_INET6;
}

const IFF_UP = 1;
export const IFLA_ADDRESS = 1;
export const IFLA_IFNAME = 3;
const IFLA_MTU = 4;
const IFLA_MASTER = 10;
export const IFLA_LINKINFO = 18;
const IFLA_AF_SPEC = 26;
const IFLA_GROUP = 27;
export const IFLA_NET_NS_FD = 28;
export const IFLA_INFO_KIND = 1;
const IFLA_INFO_DATA = 2;
const IFLA_INFO_SLAVE_KIND = 4;
const IFLA_INFO_SLAVE_DATA = 5;
const IFLA_BRPORT_MODE = 4;
const IFLA_BRPORT_ISOLATED = 33;
const VETH_INFO_PEER = 1;
const IFLA_INET6_ADDR_GEN_MODE = 8;
const IN6_ADDR_GEN_MODE_NONE = 1;
export const IFA_ADDRESS = 1;
export const IFA_LOCAL = 2;
const IFA_BROADCAST = 4;
const IFA_F_NODAD = 0x02;
const IFA_F_PERMANENT = 0x80;
export const RT_SCOPE_UNIVERSE = 0;

export function request(about: string, type: number, flags: number, body: Uint8Array[], settled: string[]): Request {
  return { about, type, flags, body: Buffer.concat(body), settled };
}

/** struct ifaddrmsg. */
function addressHeader(family: number, index: number, prefix: number, flags = 0): Uint8Array {
  return fields([family, 1], [prefix, 1], [IFA_F_PERMANENT | flags, 1], [RT_SCOPE_UNIVERSE, 1], [index, 4]);
}

/** struct ifinfomsg. */
export function link(index: number, flags = 0, change = 0): Uint8Array {
  return fields([0, 1], [0, 1], [0, 2], [index, 4], [flags, 4], [change, 4]);
}

/** `mtu`: 0 for the kernel's default. */
function mtuOf(mtu: number): Uint8Array[] {
  return mtu > 0 ? [attribute(IFLA_MTU, fields([mtu, 4]))] : [];
}

export function named(name: string | number, flags: number, change: number): Uint8Array[] {
  if (typeof name === "number") return [link(name, flags, change)];
  return [link(0, flags, change), attribute(IFLA_IFNAME, name)];
}

export function kind(name: string, data?: Uint8Array): Uint8Array {
  const info = [attribute(IFLA_INFO_KIND, name)];
  return attribute(IFLA_LINKINFO, ...info, ...(data ? [attribute(IFLA_INFO_DATA, data)] : []));
}
