// The interface of a network: a bridge that we make, or an existing one that somebody else made. The second kind is
// used as it is: its hardware address, its MTU and its own addresses are not ours to change.

import { wrongKind } from "../../../hosts/shared/index.js";
import type { networks } from "../../../hosts/shared/index.js";
import type { Kernel } from "../../kernel.js";
import { addressBytes, broadcastOf, ipv4, ipv6, prefixOf } from "../addresses.js";
import { endLocalRouting, routesLocally, useIpv6 } from "../rules/forwarding.js";
import * as links from "../netlink/links.js";
import { findLink, hasAddress, type Link } from "../netlink/look-ups.js";
import { carryOut, type Request } from "../netlink/netlink.js";

type Bridge = networks.Bridge;

/** Whose interface a network uses. It is decided, and written down, before anything is made. */
export interface Choice {
  /** We make the interface, or have made it. */
  ours: boolean;
  /** What somebody else's interface lacks. Undefined for ours, and in the records of older versions. */
  added?: Added | undefined;
}

/** What we add to somebody else's interface, and remove again. */
interface Added {
  /** The gateway's IPv4 address. */
  address: boolean;
  /** Its IPv6 address. Undefined in the records of older versions. */
  ipv6Address?: boolean | undefined;
  /** The link-local address that comes with it. Undefined in the records of older versions. */
  linkLocal?: boolean | undefined;
  /** The routing of 127.0.0.0/8 to it. */
  localRouting: boolean;
}

/** The record of a network. */
export interface Made extends Choice {
  bridge: Bridge;
}

/** Earlier versions had less to say of networks. `bridge`: as a record has it. */
export function completed(bridge: Partial<Bridge>): Bridge {
  const sides = { ipv6Subnet: "", ipv6Gateway: "", gatewayMode: "nat", ipv6GatewayMode: "nat" };
  return { ...sides, sourceAddress: "", ipv6SourceAddress: "", trustedInterfaces: [], ...bridge } as Bridge;
}

/**
 * `link`: the interface that has the name already. Throws `wrong-kind` if it is no bridge. `kept`: the records of all
 * networks.
 */
export async function choiceFor(kernel: Kernel, bridge: Bridge, link: Link | undefined, kept: Made[]): Promise<Choice> {
  const { interfaceName, network } = bridge;
  if (link === undefined || kept.some((made) => isFrom(link, made))) return { ours: true };
  // The rules of firewalls know an interface only by its main name.
  if (link.kind !== "bridge" || link.name !== interfaceName) throw wrongKind("network-interface", interfaceName);
  const before = kept.find((made) => made.bridge.network === network)?.added;
  const { gateway, subnet, ipv6Gateway, ipv6Subnet } = bridge;
  const added = {
    address: before?.address || (await lacks(kernel, link, gateway, subnet)),
    ipv6Address: before?.ipv6Address || (await lacks(kernel, link, ipv6Gateway, ipv6Subnet)),
    linkLocal: before?.linkLocal || (ipv6Gateway !== "" && (await lacks(kernel, link, LINK_LOCAL, LINK_LOCAL_SUBNET))),
    localRouting: before?.localRouting || (bridge.firewall && !routesLocally(interfaceName)),
  };
  return { ours: false, added };
}

/** Whether the interface still has to get this address. `address`: empty if it shall have none. */
async function lacks(kernel: Kernel, link: Link, address: string, subnet: string): Promise<boolean> {
  return address !== "" && !(await hasAddress(kernel, link.index, addressBytes(address), prefixOf(subnet)));
}

/** Makes the interface, or repairs it if it existed when the choice was made. */
export async function makeInterface(kernel: Kernel, { bridge, ours }: Made, link: Link | undefined): Promise<void> {
  const { interfaceName, mtu } = bridge;
  if (link === undefined) await carryOut(kernel, links.makeBridge(interfaceName, hardwareOf(bridge)));
  const index = link?.index ?? kernel.interfaceIndex(interfaceName);
  if (ours) useIpv6(bridge);
  // It has no IPv6 addresses but those that it is given.
  const settings = [links.withoutIpv6(interfaceName), ...(mtu > 0 ? [links.setMtu(interfaceName, mtu)] : [])];
  await carryOut(kernel, ...addresses(bridge, index), ...(ours ? settings : []), links.setUp(interfaceName));
}

function addresses(bridge: Bridge, index: number): Request[] {
  const { subnet, gateway, ipv6Subnet, ipv6Gateway } = bridge;
  const requests: Request[] = [];
  if (gateway !== "") requests.push(links.addAddress(index, ipv4(gateway), prefixOf(subnet), broadcastOf(subnet)));
  if (ipv6Gateway === "") return requests;
  requests.push(links.addIpv6Address(index, ipv6(ipv6Gateway), prefixOf(ipv6Subnet)));
  requests.push(links.addIpv6Address(index, ipv6(LINK_LOCAL), prefixOf(LINK_LOCAL_SUBNET)));
  return requests;
}

/** When a bridge forwards packets from elsewhere, it looks for their receivers under this address, as Docker's does. */
const LINK_LOCAL = "fe80::1";
const LINK_LOCAL_SUBNET = "fe80::/64";

/**
 * Removes the interface if we made it, otherwise only what we added to it. An interface that was down stays up: others
 * may use it by now.
 */
export async function undoInterface(kernel: Kernel, made: Made): Promise<void> {
  const { interfaceName } = made.bridge;
  const link = await findLink(kernel, interfaceName);
  if (link?.name !== interfaceName) return;
  if (isFrom(link, made)) await carryOut(kernel, links.removeLink(interfaceName));
  else if (!made.ours) await removeAdded(kernel, link, made);
}

async function removeAdded(kernel: Kernel, { index, name }: Link, { bridge, added }: Made): Promise<void> {
  if (added?.localRouting) endLocalRouting(name);
  const { subnet, gateway, ipv6Subnet, ipv6Gateway } = bridge;
  if (added?.address) await carryOut(kernel, links.removeAddress(index, ipv4(gateway), prefixOf(subnet)));
  const gone: Request[] = [];
  if (added?.ipv6Address) gone.push(links.removeAddress(index, ipv6(ipv6Gateway), prefixOf(ipv6Subnet)));
  if (added?.linkLocal) gone.push(links.removeAddress(index, ipv6(LINK_LOCAL), prefixOf(LINK_LOCAL_SUBNET)));
  if (gone.length > 0) await carryOut(kernel, ...gone);
}

/** Whether we made that interface. Somebody may have put another one in its place, for example after a reboot. */
function isFrom(link: Link, { bridge, ours }: Made): boolean {
  const isItsName = ours && link.name === bridge.interfaceName;
  return isItsName && link.kind === "bridge" && Buffer.compare(link.mac, hardwareOf(bridge)) === 0;
}

/**
 * The hardware address of a bridge that we make: from its IPv4 address, or else from the end of its IPv6 address, or else
 * from the network's id.
 */
function hardwareOf({ network, gateway, ipv6Gateway }: Bridge): Uint8Array {
  const end = gateway !== "" ? ipv4(gateway) : ipv6Gateway !== "" ? ipv6(ipv6Gateway).slice(12) : undefined;
  return Uint8Array.from([0x02, 0x42, ...(end ?? Buffer.from(network.slice(0, 8), "hex"))]);
}
