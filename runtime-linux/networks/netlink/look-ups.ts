// What the kernel tells about links and their addresses (rtnetlink(7)), in the calling thread's network namespace.

import type { Kernel } from "../../kernel.js";
import { familyOf, IFA_ADDRESS, IFA_LOCAL, IFLA_ADDRESS, IFLA_IFNAME, IFLA_INFO_KIND, IFLA_LINKINFO } from "./links.js";
import {
  attribute,
  fields,
  findAttribute,
  Netlink,
  numberAt,
  RTM_GETADDR,
  RTM_GETLINK,
  type Request,
} from "./netlink.js";

/** A network interface. */
export interface Link {
  index: number;
  name: string;
  /** The type of a virtual interface, such as `bridge`. Empty for a device. */
  kind: string;
  mac: Uint8Array;
}

/**
 * The interface of that name, or the one that has it as an alternative name (IFLA_ALT_IFNAME). That there is none is known
 * at once: the look-up of an index knows both kinds of names, and waits for no lock.
 */
export async function findLink(kernel: Kernel, name: string): Promise<Link | undefined> {
  if (kernel.interfaceIndex(name) === 0) return undefined;
  const body = Buffer.concat([new Uint8Array(LINK_HEADER), attribute(IFLA_IFNAME, name)]);
  const found = await asking(kernel, (netlink) => netlink.find(question(`find ${name}`, RTM_GETLINK, body)));
  if (found === undefined) return undefined;
  const attributes = found.subarray(LINK_HEADER);
  const info = findAttribute(attributes, IFLA_LINKINFO) ?? NONE;
  return {
    index: numberAt(found, 4),
    name: textOf(findAttribute(attributes, IFLA_IFNAME) ?? NONE),
    kind: textOf(findAttribute(info, IFLA_INFO_KIND) ?? NONE),
    mac: findAttribute(attributes, IFLA_ADDRESS) ?? NONE,
  };
}

/** Whether a link has an address, of either family, with exactly this prefix length. */
export async function hasAddress(kernel: Kernel, index: number, address: Uint8Array, prefix: number): Promise<boolean> {
  const body = fields([familyOf(address), 1], [0, 1], [0, 1], [0, 1], [0, 4]);
  const all = await asking(kernel, (netlink) => netlink.list(question("list addresses", RTM_GETADDR, body)));
  return all.some((found) => {
    const attributes = found.subarray(ADDRESS_HEADER);
    // The kernel tells IPv6 addresses as IFA_ADDRESS only.
    const local = findAttribute(attributes, IFA_LOCAL) ?? findAttribute(attributes, IFA_ADDRESS) ?? NONE;
    return found[1] === prefix && numberAt(found, 4) === index && Buffer.compare(local, address) === 0;
  });
}

const NONE = new Uint8Array(0);

/** Sizes of struct ifinfomsg and struct ifaddrmsg. Both have the link's index at offset 4. */
const LINK_HEADER = 16;
const ADDRESS_HEADER = 8;

async function asking<T>(kernel: Kernel, ask: (netlink: Netlink) => Promise<T>): Promise<T> {
  const netlink = Netlink.open(kernel);
  try {
    return await ask(netlink);
  } finally {
    netlink.close();
  }
}

function question(about: string, type: number, body: Uint8Array): Request {
  return { about, type, flags: 0, body, settled: [] };
}

/** A text that ends in NUL. */
function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString().replace(/\0$/, "");
}
