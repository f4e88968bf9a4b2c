// A container's end of a connection to a bridge network: one end of a veth pair in its network namespace, with addresses
// and default routes. The other end is a port of the bridge.

import { closeSync, openSync } from "node:fs";
import { noSuch } from "../../../hosts/shared/index.js";
import type { networks } from "../../../hosts/shared/index.js";
import type { Kernel } from "../../kernel.js";
import { ownTurn } from "../../launch/turns.js";
import type { Paths } from "../../paths.js";
import { addressBytes, broadcastOf, ipv4, ipv6, mac, prefixOf } from "../addresses.js";
import { linkLocalRequests, setSysctls } from "../interface-settings.js";
import { enterNamespace } from "../namespace.js";
import { addDefaultRoute, removeDefaultRoute } from "../netlink/default-routes.js";
import * as links from "../netlink/links.js";
import { carryOut, Netlink, type Request } from "../netlink/netlink.js";
import { ensureNamespace } from "../sandbox.js";
import { completed as completedBridge } from "./bridge-interface.js";

type Join = networks.Join;

/** The only interface of a container before version 3 of the records. */
const FIRST = "eth0";

/**
 * Connects the container's namespace to the bridge. Makes the namespace if the container has none. `name`: of the veth's
 * outer end.
 */
export async function connect(kernel: Kernel, paths: Paths, name: string, join: Join): Promise<void> {
  await ownTurn();
  const bridge = kernel.interfaceIndex(join.bridge.interfaceName);
  if (bridge === 0) throw noSuch("network-interface", join.bridge.interfaceName);
  const file = paths.namespace(join.container);
  const isFresh = await ensureNamespace(kernel, paths, join.container);
  const inside = enterNamespace(kernel, file, () => Netlink.open(kernel));
  const namespace = openSync(file, "r");
  try {
    // A container may have made interfaces of its own, so only in a new namespace it is known which index is free.
    const wanted = isFresh ? links.LOOPBACK + 1 : 0;
    const inner = { namespace, name: join.interfaceName, index: wanted, mac: mac(join.mac) };
    await carryOut(kernel, links.makeVeth(name, bridge, inner, join.bridge.mtu), ...outsideRequests(name, join));
    await inside.request(...insideRequests(join, isFresh ? wanted : indexInside(kernel, file, join.interfaceName)));
    setSysctls(kernel, file, join);
  } finally {
    closeSync(namespace);
    inside.close();
  }
}

/** Moves the default routes of both families to where `join` wants them. */
export async function moveRoutes(kernel: Kernel, paths: Paths, before: Join, join: Join): Promise<void> {
  const requests = (index: number): Request[] => [
    ...moveRoute(index, before.gateway, join.gateway),
    ...moveRoute(index, before.ipv6Gateway, join.ipv6Gateway),
  ];
  if (requests(0).length === 0) return;
  const file = paths.namespace(join.container);
  const index = indexInside(kernel, file, join.interfaceName);
  const inside = enterNamespace(kernel, file, () => Netlink.open(kernel));
  try {
    for (const request of requests(index)) await inside.request(request);
  } finally {
    inside.close();
  }
}

/** Whether both are the same interface with the same addresses: only its routes and its ports may differ. */
export function isSameEndpoint(one: Join, other: Join): boolean {
  const [first, second] = [one, other].map(({ interfaceName, address, ipv6Address, mac: hardware }) =>
    [interfaceName, address, ipv6Address, hardware].join(" "),
  );
  return first === second;
}

/** Earlier versions had neither names of interfaces nor IPv6. */
export function completed(join: Partial<Join>): Join {
  const made = { interfaceName: FIRST, ipv6Address: "", ipv6Gateway: "", ...join } as Join;
  return { ...made, bridge: completedBridge(made.bridge) };
}

/** Checks the arguments before anything is made. Ports are checked when they are taken. */
export function check({ address, ipv6Address, bridge, mac: hardware }: Join): void {
  if (address !== "" || ipv6Address === "") {
    ipv4(address);
    prefixOf(bridge.subnet);
  }
  if (ipv6Address !== "") {
    ipv6(ipv6Address);
    prefixOf(bridge.ipv6Subnet);
  }
  mac(hardware);
}

/** The kernel's index of the interface of a container. `file` holds its namespace. */
function indexInside(kernel: Kernel, file: string, name: string): number {
  const index = enterNamespace(kernel, file, () => kernel.interfaceIndex(name));
  if (index === 0) throw noSuch("network-interface", name);
  return index;
}

/** For one family. `before` and `gateway`: empty for none. */
function moveRoute(index: number, before: string, gateway: string): Request[] {
  const requests: Request[] = [];
  if (before === gateway) return requests;
  if (before !== "") requests.push(removeDefaultRoute(index, addressBytes(before)));
  if (gateway !== "") requests.push(addDefaultRoute(index, addressBytes(gateway)));
  return requests;
}

/** The requests for the veth's end on the bridge. */
function outsideRequests(name: string, { bridge }: Join): Request[] {
  return [links.setPort(name, !bridge.connectsContainers), links.withoutIpv6(name), links.setUp(name)];
}

/** The requests inside the namespace. */
function insideRequests(join: Join, index: number): Request[] {
  const gateways = [join.gateway, join.ipv6Gateway].filter((gateway) => gateway !== "");
  return [
    links.setUp(links.LOOPBACK),
    ...(join.ipv6Address === "" ? [links.withoutIpv6(index)] : []),
    links.setUp(index),
    ...addresses(join, index),
    ...linkLocalRequests(join, index),
    ...gateways.map((gateway) => addDefaultRoute(index, addressBytes(gateway))),
  ];
}

function addresses({ bridge, address, ipv6Address }: Join, index: number): Request[] {
  const { subnet, ipv6Subnet } = bridge;
  const requests: Request[] = [];
  if (address !== "") requests.push(links.addAddress(index, ipv4(address), prefixOf(subnet), broadcastOf(subnet)));
  if (ipv6Address !== "") requests.push(links.addIpv6Address(index, ipv6(ipv6Address), prefixOf(ipv6Subnet)));
  return requests;
}
