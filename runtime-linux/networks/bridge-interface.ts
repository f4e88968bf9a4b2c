// The interface of a network: a bridge that we make, or an existing one that somebody else made. The second kind is
// used as it is: its hardware address, its MTU and its IPv6 addresses are not ours to change.

import { wrongKind } from "../../hosts/shared/index.js";
import type { networks } from "../../hosts/shared/index.js";
import type { Kernel } from "../kernel.js";
import { broadcastOf, ipv4, prefixOf } from "./addresses.js";
import { endLocalRouting, routesLocally } from "./forwarding.js";
import * as links from "./links.js";
import { findLink, hasAddress, type Link } from "./look-ups.js";
import { carryOut } from "./netlink.js";

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
  /** The gateway's address. */
  address: boolean;
  /** The routing of 127.0.0.0/8 to it. */
  localRouting: boolean;
}

/** The record of a network. */
export interface Made extends Choice {
  bridge: Bridge;
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
  const isThere = await hasAddress(kernel, link.index, ipv4(bridge.gateway), prefixOf(bridge.subnet));
  const added = {
    address: before?.address || !isThere,
    localRouting: before?.localRouting || !routesLocally(interfaceName),
  };
  return { ours: false, added };
}

/** Makes the interface, or repairs it if it existed when the choice was made. */
export async function makeInterface(kernel: Kernel, { bridge, ours }: Made, link: Link | undefined): Promise<void> {
  const { interfaceName, subnet, mtu } = bridge;
  if (link === undefined) await carryOut(kernel, links.makeBridge(interfaceName, hardwareOf(bridge)));
  const index = link?.index ?? kernel.interfaceIndex(interfaceName);
  const settings = [links.withoutIpv6(interfaceName), ...(mtu > 0 ? [links.setMtu(interfaceName, mtu)] : [])];
  await carryOut(
    kernel,
    links.addAddress(index, ipv4(bridge.gateway), prefixOf(subnet), broadcastOf(subnet)),
    ...(ours ? settings : []),
    links.setUp(interfaceName),
  );
}

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
  if (!added?.address) return;
  await carryOut(kernel, links.removeAddress(index, ipv4(bridge.gateway), prefixOf(bridge.subnet)));
}

/** Whether we made that interface. Somebody may have put another one in its place, for example after a reboot. */
function isFrom(link: Link, { bridge, ours }: Made): boolean {
  const isItsName = ours && link.name === bridge.interfaceName;
  return isItsName && link.kind === "bridge" && Buffer.compare(link.mac, hardwareOf(bridge)) === 0;
}

/** The hardware address of a bridge that we make. */
function hardwareOf({ gateway }: Bridge): Uint8Array {
  return Uint8Array.from([0x02, 0x42, ...ipv4(gateway)]);
}
