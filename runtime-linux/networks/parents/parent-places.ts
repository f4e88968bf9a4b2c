// Containers' connections to macvlan and ipvlan networks: an interface in the container's network namespace, on the
// parent. It has no end outside, so nothing of it is left once the namespace is gone.

import { randomBytes } from "node:crypto";
import { closeSync, openSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import { noSuch } from "../../../hosts/shared/index.js";
import type { engine, networks } from "../../../hosts/shared/index.js";
import type { Kernel } from "../../kernel.js";
import { ownTurn } from "../../launch/turns.js";
import type { Paths } from "../../paths.js";
import type { Swept } from "../../swept.js";
import { ipv4, ipv6, mac, prefixOf } from "../addresses.js";
import { setSysctls } from "../interface-settings.js";
import { KeptFiles } from "../kept.js";
import { enterNamespace, isNamespace, releaseNamespace } from "../namespace.js";
import { removeLink } from "../netlink/links.js";
import { carryOut, Netlink, type Request } from "../netlink/netlink.js";
import { bare, routesOf, setUp } from "./parent-interface.js";
import { makeOnParent, rename } from "./parent-links.js";
import { ensureNamespace } from "../sandbox.js";

type ParentJoin = networks.ParentJoin;

/** Kept under the name that the interface has until it is moved and gets its own. */
interface ParentPlace {
  join: ParentJoin;
  /** The kernel's index of the interface in the namespace, once it is made: the container may name it anew. */
  index?: number;
}

export class ParentPlaces {
  readonly #places: KeptFiles<ParentPlace>;

  constructor(
    private readonly kernel: Kernel,
    private readonly paths: Paths,
    private readonly swept: Swept,
  ) {
    this.#places = new KeptFiles(paths.networks("on-parents"), ({ join }) => join?.network !== undefined);
    for (const [, { value }] of this.#places.entries()) value.join = completed(value.join);
  }

  /** The existing connections. First removes incomplete ones. A reboot removes everything except the files. */
  async found(): Promise<engine.FoundJoin[]> {
    this.#places.sweep();
    for (const [name, { value, whole }] of this.#places.entries()) {
      const stands = this.#stands(value);
      if (whole && stands) continue;
      const why = stands ? "it was half made, or half taken down" : "its interface or its namespace is gone";
      this.swept(`container ${value.join.container} on network ${value.join.network.network}`, why);
      await this.#remove(name, value);
    }
    return this.#places.entries().map(([, { value }]) => {
      const { container, network, address, ipv6Address } = value.join;
      return { container, network: network.network, address: bare(address), ipv6Address: bare(ipv6Address) };
    });
  }

  /** Ids of the networks that the container is on. */
  networksOf(container: string): string[] {
    return this.#of(container).map(([, { join }]) => join.network.network);
  }

  async join(join: ParentJoin): Promise<void> {
    check(join);
    for (const [name, place, whole] of this.#of(join.container, join.network.network)) {
      if (whole && this.#stands(place) && isSameEndpoint(place.join, join)) return this.#alter(name, place, join);
      await this.#remove(name, place);
    }
    const name = `on${randomBytes(5).toString("hex")}`;
    const place = { join };
    const hadNamespace = isNamespace(this.paths.namespace(join.container));
    this.#places.begin(name, place);
    try {
      await this.#connect(name, join);
    } catch (error) {
      await this.#remove(name, this.#places.find(name)?.value ?? place);
      if (!hadNamespace) await releaseNamespace(this.kernel, this.paths.namespace(join.container));
      throw error;
    }
    this.#places.finish(name);
  }

  async leave({ container, network }: networks.Leave): Promise<void> {
    for (const [name, place] of this.#of(container, network)) await this.#remove(name, place);
  }

  /** Call it before the namespace is released. */
  async leaveAll(container: string): Promise<void> {
    for (const [name, place] of this.#of(container)) await this.#remove(name, place);
  }

  async #connect(name: string, join: ParentJoin): Promise<void> {
    await ownTurn();
    const parent = this.kernel.interfaceIndex(join.network.parent);
    if (parent === 0) throw noSuch("network-interface", join.network.parent);
    await ensureNamespace(this.kernel, this.paths, join.container);
    const namespace = openSync(this.paths.namespace(join.container), "r");
    try {
      const hardware = join.mac === "" ? undefined : mac(join.mac);
      await carryOut(this.kernel, makeOnParent(name, join.network, parent, namespace, hardware));
    } finally {
      closeSync(namespace);
    }
    const index = this.#indexInside(join.container, name);
    this.#places.replace(name, { join, index }, false);
    await this.#inside(join.container, rename(index, join.interfaceName), ...setUp(join, index));
    setSysctls(this.kernel, this.paths.namespace(join.container), join);
  }

  /** Changes only where the default route leads. */
  async #alter(name: string, place: ParentPlace, join: ParentJoin): Promise<void> {
    const before = place.join;
    if (isDeepStrictEqual(before, join)) return;
    if (waysOf(before) !== waysOf(join)) {
      const index = place.index ?? this.#indexInside(join.container, join.interfaceName);
      await this.#inside(join.container, ...routesOf(before, index, "remove"), ...routesOf(join, index, "add"));
    }
    this.#places.replace(name, { ...place, join });
  }

  /** Removes a connection, or whatever part of it exists. Without an index it has at most its first name. */
  async #remove(name: string, { join, index }: ParentPlace): Promise<void> {
    this.#places.undo(name);
    if (isNamespace(this.paths.namespace(join.container))) {
      await this.#inside(join.container, removeLink(index ?? name));
    }
    await this.#places.erase(name);
  }

  async #inside(container: string, ...requests: Request[]): Promise<void> {
    const inside = enterNamespace(this.kernel, this.paths.namespace(container), () => Netlink.open(this.kernel));
    try {
      await inside.request(...requests);
    } finally {
      inside.close();
    }
  }

  #indexInside(container: string, name: string): number {
    const index = this.#find(container, name);
    if (index === 0) throw noSuch("network-interface", name);
    return index;
  }

  /** The kernel's index of an interface of the container; 0 if there is none. */
  #find(container: string, name: string): number {
    return enterNamespace(this.kernel, this.paths.namespace(container), () => this.kernel.interfaceIndex(name));
  }

  #of(container: string, network?: string): [name: string, place: ParentPlace, whole: boolean][] {
    const all = this.#places.entries().filter(([, { value }]) => value.join.container === container);
    const on = all.filter(([, { value }]) => network === undefined || value.join.network.network === network);
    return on.map(([name, { value, whole }]) => [name, value, whole]);
  }

  #stands({ join }: ParentPlace): boolean {
    const isThere = isNamespace(this.paths.namespace(join.container));
    return isThere && this.#find(join.container, join.interfaceName) !== 0;
  }
}

/**
 * Earlier versions had no IPv6 here, and wrote the subnet next to the address. A damaged subnet is no reason not to
 * start: an address with such a prefix is not the one that the core asks for, so the connection is made anew.
 */
function completed(join: ParentJoin & { subnet?: string }): ParentJoin {
  const { subnet, ...rest } = join;
  const [, length] = subnet?.split("/") ?? [];
  const address = length === undefined ? join.address : `${join.address}/${length}`;
  return {
    ...rest,
    address,
    ipv6Address: join.ipv6Address ?? "",
    ipv6Leads: join.ipv6Leads ?? false,
    ipv6Gateway: join.ipv6Gateway ?? "",
  };
}

/** Checks the arguments before anything is made. */
function check(join: ParentJoin): void {
  if (join.address !== "") ipv4(bare(join.address));
  if (join.ipv6Address !== "") ipv6(bare(join.ipv6Address));
  for (const address of [join.address, join.ipv6Address]) if (address !== "") prefixOf(address);
  if (join.gateway !== "") ipv4(join.gateway);
  if (join.ipv6Gateway !== "") ipv6(join.ipv6Gateway);
  if (join.mac !== "") mac(join.mac);
}

/** Whether both are the same interface with the same address: only its route may differ. */
function isSameEndpoint(one: ParentJoin, other: ParentJoin): boolean {
  const kept = [one, other].map(({ interfaceName, address, ipv6Address, mac: hardware, network }) => {
    return [interfaceName, address, ipv6Address, hardware, network.parent, network.mode, network.ipvlanFlag];
  });
  return isDeepStrictEqual(kept[0], kept[1]);
}

function waysOf({ leads, gateway, ipv6Leads, ipv6Gateway }: ParentJoin): string {
  return [leads ? `to ${gateway}` : "", ipv6Leads ? `to ${ipv6Gateway}` : ""].join();
}
