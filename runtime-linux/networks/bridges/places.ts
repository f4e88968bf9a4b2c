// Containers' connections to networks. Each has a network namespace with one end of a veth pair, whose other end is a
// port of the bridge, and ports of the machine that lead to it.

import { randomBytes } from "node:crypto";
import { setMaxListeners } from "node:events";
import { closeSync, openSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { noSuch } from "../../../hosts/shared/index.js";
import type { engine, networks } from "../../../hosts/shared/index.js";
import type { Kernel } from "../../kernel.js";
import type { Paths } from "../../paths.js";
import { addressBytes, broadcastOf, ipv4, ipv6, mac, prefixOf } from "../addresses.js";
import { completed as completedBridge } from "./bridge-interface.js";
import { namesIn } from "../../directories.js";
import type { Swept } from "../../swept.js";
import { together } from "../../together.js";
import { forgetDatagrams } from "../ports/conntrack.js";
import { linkLocalRequests, setSysctls } from "../interface-settings.js";
import { KeptFiles } from "../kept.js";
import * as links from "../netlink/links.js";
import { ownTurn } from "../../launch/turns.js";
import { enterNamespace, isNamespace, releaseNamespace } from "../namespace.js";
import { carryOut, Netlink, type Request } from "../netlink/netlink.js";
import { HeldPorts } from "../ports/ports.js";
import { Forwards } from "../forward/forwards.js";
import { publish, unpublish } from "../ports/published.js";
import type { RuleTurns } from "../rules/rule-turns.js";
import { ensureNamespace } from "../sandbox.js";

/** Kept under the name of the veth's outer end, which is never reused: one may be removed while the next is made. */
interface Place {
  join: networks.Join;
}

/** The only interface of a container before version 3 of the records. */
const FIRST = "eth0";

/** How long the kernel may take to remove the interfaces of a removed namespace. Then it is asked to. */
const LINGER_MS = 250;

export class Places {
  readonly #kernel: Kernel;
  readonly #paths: Paths;
  readonly #places: KeptFiles<Place>;
  readonly #forwards: Forwards;
  readonly #ports: HeldPorts;
  /** Resolves when the ports that an earlier engine had published are held again. */
  readonly #held: Promise<unknown>;
  /** Those whose ports are, or soon will be, unpublished. */
  readonly #leaving = new Set<string>();
  readonly #lingering = new Map<string, Promise<void>>();
  readonly #closing = new AbortController();

  constructor(
    kernel: Kernel,
    paths: Paths,
    private readonly swept: Swept,
    private readonly turns: RuleTurns,
  ) {
    this.#kernel = kernel;
    this.#paths = paths;
    this.#places = new KeptFiles(
      paths.networks("joined"),
      ({ join }) => join?.bridge !== undefined && Array.isArray(join.ports),
    );
    this.#forwards = new Forwards(kernel, paths);
    this.#ports = new HeldPorts(kernel, this.#forwards);
    setMaxListeners(0, this.#closing.signal);
    for (const [, { value }] of this.#places.entries()) value.join = completed(value.join);
    const again = this.#places.entries().map(([name, { value }]) => this.#ports.takeAgain(name, value.join));
    this.#held = Promise.all(again);
    // The error is thrown where this promise is awaited.
    this.#held.catch(() => {});
  }

  /** The existing connections. First removes incomplete ones. A reboot removes everything except the files. */
  async found(): Promise<engine.FoundJoin[]> {
    await this.#held;
    this.#places.sweep();
    for (const [name, { value, whole }] of this.#places.entries()) {
      const stands = this.#stands(name, value);
      if (whole && stands) continue;
      const why = stands ? "it was half made, or half taken down" : "its interface or its namespace is gone";
      this.swept(`container ${value.join.container} on network ${value.join.bridge.network}`, why);
      await this.#remove(name, value);
    }
    await this.#forwards.found(this.#places.entries().map(([name]) => name));
    return this.#places.entries().map(([, { value }]) => {
      const { container, bridge, address, ipv6Address } = value.join;
      return { container, network: bridge.network, address, ipv6Address };
    });
  }

  /** Containers with a namespace. First removes files on which none is mounted: a reboot leaves them. */
  async sandboxes(): Promise<string[]> {
    const containers: string[] = [];
    for (const container of namesIn(this.#paths.networks("ns"))) {
      if (isNamespace(this.#paths.namespace(container))) containers.push(container);
      else await releaseNamespace(this.#kernel, this.#paths.namespace(container));
    }
    return containers;
  }

  /**
   * The connections to a network whose ports shall be published now: also those under way, which may have published theirs
   * already, but none that is being taken down.
   */
  withPorts(network: string): networks.Join[] {
    const staying = this.#places.entries().filter(([name]) => !this.#leaving.has(name));
    const joins = staying.map(([, { value }]) => value.join);
    return joins.filter(({ bridge, ports }) => bridge.network === network && ports.length > 0);
  }

  /** Ids of the networks that the container is on. */
  networksOf(container: string): string[] {
    return this.#of(container).map(([, { join }]) => join.bridge.network);
  }

  async join(join: networks.Join): Promise<void> {
    check(join);
    for (const [name, place, whole] of this.#of(join.container, join.bridge.network)) {
      if (whole && this.#stands(name, place) && isSameEndpoint(place.join, join)) return this.#alter(name, place, join);
      await this.#remove(name, place);
    }
    const name = `veth${randomBytes(5).toString("hex")}`;
    const place = { join };
    const hadNamespace = isNamespace(this.#paths.namespace(join.container));
    this.#ports.hold(name, join);
    try {
      this.#places.begin(name, place);
      // No packet is led to the container by rules before all of its ports are known to be free.
      const ports = this.#ports.forward(name, join).then(async () => this.#publish(join));
      await together(this.#connect(name, place), ports);
    } catch (error) {
      await this.#remove(name, place);
      if (!hadNamespace) await releaseNamespace(this.#kernel, this.#paths.namespace(join.container));
      throw error;
    }
    this.#places.finish(name);
  }

  /** The network is served in another way now: its ports are forwarded accordingly. */
  async serveAs(bridge: networks.Bridge): Promise<void> {
    for (const [name] of this.#places.entries()) {
      // While the ports of others were taken, this connection may have changed, or gone.
      const kept = this.#places.find(name);
      if (!kept?.whole) continue;
      const { join } = kept.value;
      if (join.bridge.network !== bridge.network || isDeepStrictEqual(join.bridge, bridge)) continue;
      const served = { ...join, bridge };
      this.#places.replace(name, { join: served });
      await this.#ports.release(name);
      // The container may have left meanwhile, and a port that is taken now would stay taken.
      if (this.#places.find(name) && !this.#leaving.has(name)) await this.#ports.takeAgain(name, served);
    }
  }

  async leave({ container, network }: networks.Leave): Promise<void> {
    for (const [name, place] of this.#of(container, network)) await this.#remove(name, place);
  }

  /**
   * The kernel removes interfaces along with their namespace some 40 ms later, several at a time. Nobody needs to wait
   * for that.
   */
  async leaveAll(container: string): Promise<void> {
    const places = this.#of(container);
    try {
      await together(...places.map(([name, place]) => this.#takeDown(name, place, links.silence(name))));
    } finally {
      await releaseNamespace(this.#kernel, this.#paths.namespace(container));
      for (const [name] of places) if (!this.#places.find(name)) this.#lingering.set(name, this.#seeOff(name));
    }
  }

  /** Changes a connection to what it shall be now: where the default route leads, and the published ports. */
  async #alter(name: string, place: Place, join: networks.Join): Promise<void> {
    const before = place.join;
    if (isDeepStrictEqual(before, join)) return;
    // Until the end, a removal takes down what was there before, too.
    const added = join.ports.filter((port) => !before.ports.some((other) => isDeepStrictEqual(other, port)));
    this.#places.replace(name, { join: { ...join, ports: [...before.ports, ...added] } });
    try {
      if (before.gateway !== join.gateway) await this.#route(join, before.gateway, join.gateway);
      if (before.ipv6Gateway !== join.ipv6Gateway) await this.#route(join, before.ipv6Gateway, join.ipv6Gateway);
      if (!isDeepStrictEqual(before.ports, join.ports)) await this.#movePorts(name, before, join);
    } catch (error) {
      this.#places.replace(name, place);
      throw error;
    }
    this.#places.replace(name, { join });
  }

  /** The kernel's index of the container's interface. */
  #indexInside({ container, interfaceName }: networks.Join): number {
    const file = this.#paths.namespace(container);
    const index = enterNamespace(this.#kernel, file, () => this.#kernel.interfaceIndex(interfaceName));
    if (index === 0) throw noSuch("network-interface", interfaceName);
    return index;
  }

  /** If a port is not available, the container keeps its earlier ones. */
  async #movePorts(name: string, before: networks.Join, join: networks.Join): Promise<void> {
    await this.#unpublish(before);
    await this.#ports.release(name);
    try {
      await this.#ports.take(name, join);
    } catch (error) {
      await this.#ports.takeAgain(name, before);
      // A repair of the network may have published them meanwhile.
      await this.#unpublish(join);
      await this.#publish(before);
      throw error;
    }
    await this.#publish(join);
  }

  /** Moves the default route of one family. `before` and `gateway`: empty for none. */
  async #route(join: networks.Join, before: string, gateway: string): Promise<void> {
    const { container } = join;
    const index = this.#indexInside(join);
    const inside = enterNamespace(this.#kernel, this.#paths.namespace(container), () => Netlink.open(this.#kernel));
    try {
      if (before !== "") await inside.request(links.removeDefaultRoute(index, addressBytes(before)));
      if (gateway !== "") await inside.request(links.addDefaultRoute(index, addressBytes(gateway)));
    } finally {
      inside.close();
    }
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.all(this.#lingering.values());
    await this.#held.catch(() => {});
    this.#ports.releaseOwn();
    await this.#forwards.close();
  }

  /** Connects the container's namespace to the bridge. Makes the namespace if the container has none. */
  async #connect(name: string, { join }: Place): Promise<void> {
    await ownTurn();
    const bridge = this.#kernel.interfaceIndex(join.bridge.interfaceName);
    if (bridge === 0) throw noSuch("network-interface", join.bridge.interfaceName);
    const file = this.#paths.namespace(join.container);
    const isFresh = await ensureNamespace(this.#kernel, this.#paths, join.container);
    const inside = enterNamespace(this.#kernel, file, () => Netlink.open(this.#kernel));
    const namespace = openSync(file, "r");
    try {
      // A container may have made interfaces of its own, so only in a new namespace it is known which index is free.
      const wanted = isFresh ? links.LOOPBACK + 1 : 0;
      const inner = { namespace, name: join.interfaceName, index: wanted, mac: mac(join.mac) };
      await carryOut(
        this.#kernel,
        links.makeVeth(name, bridge, inner, join.bridge.mtu),
        ...outsideRequests(name, join),
      );
      await inside.request(...insideRequests(join, isFresh ? wanted : this.#indexInside(join)));
      setSysctls(this.#kernel, file, join);
    } finally {
      closeSync(namespace);
      inside.close();
    }
  }

  async #publish(join: networks.Join): Promise<void> {
    if (join.ports.length === 0) return;
    const { firewall, network } = join.bridge;
    if (firewall !== false) await this.turns.take(network, () => publish(this.#kernel, join));
    await forgetDatagrams(this.#kernel, join);
  }

  async #unpublish(join: networks.Join): Promise<void> {
    if (join.ports.length === 0) return;
    const { firewall, network } = join.bridge;
    if (firewall !== false) await this.turns.take(network, () => unpublish(this.#kernel, join));
    await forgetDatagrams(this.#kernel, join);
  }

  /** Takes a connection down, or whatever part of it exists. `cut`: how its interface ends to send. */
  async #takeDown(name: string, { join }: Place, cut: Request): Promise<void> {
    this.#leaving.add(name);
    this.#places.undo(name);
    await together(carryOut(this.#kernel, cut), this.#unpublish(join));
    await this.#ports.release(name);
    this.#places.forget(name);
    this.#leaving.delete(name);
  }

  /** Removes a connection. */
  async #remove(name: string, place: Place): Promise<void> {
    await this.#takeDown(name, place, links.removeLink(name));
    await this.#places.erase(name);
  }

  /** Makes sure that a silenced interface is removed, even if something else still holds its namespace. */
  async #seeOff(name: string): Promise<void> {
    try {
      await sleep(LINGER_MS, undefined, { ref: false, signal: this.#closing.signal }).catch(() => {});
      if (this.#kernel.interfaceIndex(name) !== 0) await carryOut(this.#kernel, links.removeLink(name));
      await this.#places.erase(name);
    } catch {
      // Its file stays and is marked as incomplete, so the next engine tries again.
    } finally {
      this.#lingering.delete(name);
    }
  }

  #of(container: string, network?: string): [name: string, place: Place, whole: boolean][] {
    const all = this.#places.entries().filter(([, { value }]) => value.join.container === container);
    const on = all.filter(([, { value }]) => network === undefined || value.join.bridge.network === network);
    return on.map(([name, { value, whole }]) => [name, value, whole]);
  }

  #stands(name: string, { join }: Place): boolean {
    return this.#kernel.interfaceIndex(name) !== 0 && isNamespace(this.#paths.namespace(join.container));
  }
}

/** Whether both are the same interface with the same addresses: only its routes and its ports may differ. */
function isSameEndpoint(one: networks.Join, other: networks.Join): boolean {
  const [first, second] = [one, other].map(({ interfaceName, address, ipv6Address, mac: hardware }) =>
    [interfaceName, address, ipv6Address, hardware].join(" "),
  );
  return first === second;
}

/** Earlier versions had neither names of interfaces nor IPv6. */
function completed(join: Partial<networks.Join>): networks.Join {
  const made = { interfaceName: FIRST, ipv6Address: "", ipv6Gateway: "", ...join } as networks.Join;
  return { ...made, bridge: completedBridge(made.bridge) };
}

/** Checks the arguments before anything is made. Ports are checked when they are taken. */
function check({ address, ipv6Address, bridge, mac: hardware }: networks.Join): void {
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

/** The requests for the veth's end on the bridge. */
function outsideRequests(name: string, { bridge }: networks.Join): Request[] {
  return [links.setPort(name, !bridge.connectsContainers), links.withoutIpv6(name), links.setUp(name)];
}

/** The requests inside the namespace. */
function insideRequests(join: networks.Join, index: number): Request[] {
  const gateways = [join.gateway, join.ipv6Gateway].filter((gateway) => gateway !== "");
  return [
    links.setUp(links.LOOPBACK),
    ...(join.ipv6Address === "" ? [links.withoutIpv6(index)] : []),
    links.setUp(index),
    ...addresses(join, index),
    ...linkLocalRequests(join, index),
    ...gateways.map((gateway) => links.addDefaultRoute(index, addressBytes(gateway))),
  ];
}

function addresses({ bridge, address, ipv6Address }: networks.Join, index: number): Request[] {
  const { subnet, ipv6Subnet } = bridge;
  const requests: Request[] = [];
  if (address !== "") requests.push(links.addAddress(index, ipv4(address), prefixOf(subnet), broadcastOf(subnet)));
  if (ipv6Address !== "") requests.push(links.addIpv6Address(index, ipv6(ipv6Address), prefixOf(ipv6Subnet)));
  return requests;
}
