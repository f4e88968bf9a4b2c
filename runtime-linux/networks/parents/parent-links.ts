// The rtnetlink(7) requests for macvlan and ipvlan networks: interfaces on a parent, VLANs and dummy interfaces.

import type { networks } from "../../../hosts/shared/index.js";
import { malformed } from "../../../hosts/shared/index.js";
import { defaultRoute } from "../netlink/default-routes.js";
import { IFLA_ADDRESS, IFLA_IFNAME, IFLA_NET_NS_FD, kind, link, named, request } from "../netlink/links.js";
import {
  attribute,
  fields,
  NLM_F_CREATE,
  NLM_F_EXCL,
  RTM_DELROUTE,
  RTM_NEWLINK,
  RTM_NEWROUTE,
  type Request,
} from "../netlink/netlink.js";

type ParentNetwork = networks.ParentNetwork;

/** Makes a dummy interface, which leads nowhere. */
export function makeDummy(name: string): Request {
  return request(`make ${name}`, RTM_NEWLINK, MAKE, [link(0), attribute(IFLA_IFNAME, name), kind("dummy")], []);
}

/** Makes an interface for a VLAN of the interface with that index. */
export function makeVlan(name: string, index: number, id: number): Request {
  const vlan = kind("vlan", attribute(IFLA_VLAN_ID, fields([id, 2])));
  const body = [link(0), attribute(IFLA_LINK, index), attribute(IFLA_IFNAME, name), vlan];
  return request(`make ${name}`, RTM_NEWLINK, MAKE, body, []);
}

/**
 * Makes an interface on a parent in the namespace of a file descriptor. Its name must be new here, too.
 * `mac`: undefined for the parent's.
 */
export function makeOnParent(
  name: string,
  network: ParentNetwork,
  parent: number,
  namespace: number,
  mac: Uint8Array | undefined,
): Request {
  const body = [
    link(0),
    attribute(IFLA_LINK, parent),
    attribute(IFLA_IFNAME, name),
    ...(mac === undefined ? [] : [attribute(IFLA_ADDRESS, mac)]),
    attribute(IFLA_NET_NS_FD, namespace),
    sharing(network),
  ];
  return request(`make an interface on ${network.parent}`, RTM_NEWLINK, MAKE, body, []);
}

/** Names an interface anew. It is down. */
export function rename(index: number, name: string): Request {
  return request(`name ${name}`, RTM_NEWLINK, 0, [...named(index, 0, 0), attribute(IFLA_IFNAME, name)], []);
}

/** Adds a default route of one family to the interface itself, without a gateway. */
export function addDirectRoute(index: number, family: number): Request {
  return request("add default route", RTM_NEWROUTE, MAKE, defaultRoute(index, family), ["EEXIST"]);
}

/** Removes it. */
export function removeDirectRoute(index: number, family: number): Request {
  return request("remove default route", RTM_DELROUTE, 0, defaultRoute(index, family), ["ESRCH"]);
}

/** Throws `malformed` for a mode that the kernel does not have. */
export function sharing({ driver, mode, ipvlanFlag }: ParentNetwork): Uint8Array {
  if (driver === "macvlan") return kind("macvlan", attribute(IFLA_MACVLAN_MODE, numberOf(MACVLAN_MODES, mode)));
  const flags = fields([numberOf(IPVLAN_FLAGS, ipvlanFlag), 2]);
  const modes = fields([numberOf(IPVLAN_MODES, mode), 2]);
  return kind("ipvlan", Buffer.concat([attribute(IFLA_IPVLAN_MODE, modes), attribute(IFLA_IPVLAN_FLAGS, flags)]));
}

function numberOf(numbers: Readonly<Record<string, number>>, name: string): number {
  const number = numbers[name];
  if (number === undefined) throw malformed("interface-name", name);
  return number;
}

/** Modes and flags of the kernel (linux/if_link.h). */
const MACVLAN_MODES = { private: 1, vepa: 2, bridge: 4, passthru: 8 };
const IPVLAN_MODES = { l2: 0, l3: 1, l3s: 2 };
const IPVLAN_FLAGS = { bridge: 0, private: 1, vepa: 2 };

const MAKE = NLM_F_CREATE | NLM_F_EXCL;
const IFLA_LINK = 5;
const IFLA_VLAN_ID = 1;
const IFLA_MACVLAN_MODE = 1;
const IFLA_IPVLAN_MODE = 1;
const IFLA_IPVLAN_FLAGS = 2;
