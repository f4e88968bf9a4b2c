// What a connection to a macvlan or ipvlan network asks of the kernel in the container's network namespace: addresses and
// routes of its interface.

import type { networks } from "../../../hosts/shared/index.js";
import { broadcastOf, ipv4, ipv6, prefixOf } from "../addresses.js";
import { linkLocalRequests } from "../interface-settings.js";
import { addDefaultRoute, removeDefaultRoute } from "../netlink/default-routes.js";
import * as links from "../netlink/links.js";
import type { Request } from "../netlink/netlink.js";
import { addDirectRoute, removeDirectRoute } from "./parent-links.js";

type ParentJoin = networks.ParentJoin;

/** An address without the length of its prefix. */
export function bare(address: string): string {
  return address.split("/")[0]!;
}

/** `index`: of the interface. */
export function setUp(join: ParentJoin, index: number): Request[] {
  return [
    links.setUp(links.LOOPBACK),
    ...(join.ipv6Address === "" ? [links.withoutIpv6(index)] : []),
    links.setUp(index),
    ...addresses(join, index),
    ...linkLocalRequests(join, index),
    ...routesOf(join, index, "add"),
  ];
}

function addresses({ address, ipv6Address }: ParentJoin, index: number): Request[] {
  const requests: Request[] = [];
  if (address !== "") {
    requests.push(links.addAddress(index, ipv4(bare(address)), prefixOf(address), broadcastOf(address)));
  }
  if (ipv6Address !== "") requests.push(links.addIpv6Address(index, ipv6(bare(ipv6Address)), prefixOf(ipv6Address)));
  return requests;
}

/** Its default routes. */
export function routesOf(
  { leads, gateway, ipv6Leads, ipv6Gateway }: ParentJoin,
  index: number,
  act: "add" | "remove",
): Request[] {
  const requests: Request[] = [];
  if (leads) requests.push(routeOf(index, links.AF_INET, gateway === "" ? undefined : ipv4(gateway), act));
  if (ipv6Leads) requests.push(routeOf(index, links.AF_INET6, ipv6Gateway === "" ? undefined : ipv6(ipv6Gateway), act));
  return requests;
}

/** `way`: undefined for a route to the interface itself. */
function routeOf(index: number, family: number, way: Uint8Array | undefined, act: "add" | "remove"): Request {
  if (way === undefined) return act === "add" ? addDirectRoute(index, family) : removeDirectRoute(index, family);
  return act === "add" ? addDefaultRoute(index, way) : removeDefaultRoute(index, way);
}
