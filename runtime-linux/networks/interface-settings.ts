// What an interface of a container has besides its address: kernel settings and link-local addresses.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { malformed } from "../../hosts/shared/index.js";
import type { networks } from "../../hosts/shared/index.js";
import type { Kernel } from "../kernel.js";
import { broadcastOf, ipv4, ipv6, isIpv6 } from "./addresses.js";
import { addAddress, addIpv6Address } from "./netlink/links.js";
import { enterNamespace } from "./namespace.js";
import type { Request } from "./netlink/netlink.js";

type Wish = Partial<Pick<networks.Join, "linkLocal" | "sysctls">>;

/** Length of the prefix of link-local addresses (RFC 3927, RFC 4291), which Docker gives to any address among them. */
const LINK_LOCAL_PREFIX = 16;
const IPV6_LINK_LOCAL_PREFIX = 64;

/** An earlier version wrote no such addresses. */
export function linkLocalRequests({ linkLocal = [] }: Wish, index: number): Request[] {
  return linkLocal.map((address) => {
    if (isIpv6(address)) return addIpv6Address(index, ipv6(address), IPV6_LINK_LOCAL_PREFIX);
    const broadcast = broadcastOf(`${address}/${LINK_LOCAL_PREFIX}`);
    return addAddress(index, ipv4(address), LINK_LOCAL_PREFIX, broadcast);
  });
}

/** `file`: holds the container's network namespace. The kernel shows the settings of the calling thread's namespace. */
export function setSysctls(kernel: Kernel, file: string, { sysctls = [] }: Wish): void {
  if (sysctls.length === 0) return;
  enterNamespace(kernel, file, () => {
    for (const [name, value] of sysctls) writeFileSync(pathOf(name), value);
  });
}

/** Only settings of networks belong to a network namespace. */
function pathOf(name: string): string {
  if (!name.startsWith("net/") || name.split("/").includes("..")) throw malformed("interface-name", name);
  return join("/proc/sys", name);
}
