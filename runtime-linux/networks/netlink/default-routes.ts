// rtnetlink(7) requests for the default routes of a network namespace.

import { attribute, fields, NLM_F_CREATE, NLM_F_EXCL, RTM_DELROUTE, RTM_NEWROUTE, type Request } from "./netlink.js";
import { AF_INET, familyOf, request, RT_SCOPE_UNIVERSE } from "./links.js";

/** Adds a default route through a gateway. */
export function addDefaultRoute(index: number, gateway: Uint8Array): Request {
  const about = `add default route via ${gateway.join(".")}`;
  return request(about, RTM_NEWROUTE, NLM_F_CREATE | NLM_F_EXCL, defaultRoute(index, gateway), ["EEXIST"]);
}

/** Removes a default route through a gateway. */
export function removeDefaultRoute(index: number, gateway: Uint8Array): Request {
  const about = `remove default route via ${gateway.join(".")}`;
  return request(about, RTM_DELROUTE, 0, defaultRoute(index, gateway), ["ESRCH"]);
}

/** `gateway`: the family for a route to the link itself. */
export function defaultRoute(index: number, gateway: Uint8Array | number): Uint8Array[] {
  const isDirect = typeof gateway === "number";
  const family = fields([isDirect ? gateway : familyOf(gateway), 1], [0, 1], [0, 1], [0, 1]);
  // IPv6 routes have no scope.
  const scope = gateway === AF_INET ? RT_SCOPE_LINK : RT_SCOPE_UNIVERSE;
  const route = fields([RT_TABLE_MAIN, 1], [RTPROT_BOOT, 1], [scope, 1], [RTN_UNICAST, 1], [0, 4]);
  const via = isDirect ? [] : [attribute(RTA_GATEWAY, gateway)];
  return [family, route, ...via, attribute(RTA_OIF, index)];
}

const RTA_GATEWAY = 5;
const RTA_OIF = 4;
const RT_TABLE_MAIN = 254;
const RTPROT_BOOT = 3;
const RT_SCOPE_LINK = 253;
const RTN_UNICAST = 1;
