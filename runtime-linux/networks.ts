// Bridge networks and the containers on them. Containers on one bridge reach each other, and the world beyond the
// machine under the machine's address; the world reaches the ports that they publish. All of it happens in the network
// namespace in which the engine itself runs.
//
// Links, addresses and routes are asked of the kernel directly (rtnetlink): about 1.5 ms for a container, where the
// usual programs take 30 to 40. One nft transaction is added when ports are published.

import { randomBytes } from "node:crypto";
import { setMaxListeners } from "node:events";
import { closeSync, openSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import type { engine, networks, Outcome, Perform } from "../hosts/host.js";
import { HostFailure } from "../hosts/failure.js";
import type { Kernel } from "./kernel.js";
import { broadcastOf, ipv4, mac, prefixOf } from "./networks/addresses.js";
import { forgetDatagrams } from "./networks/conntrack.js";
import { acceptForwarding, forgetForwarding, routeThrough } from "./networks/forwarding.js";
import { KeptFiles } from "./networks/kept.js";
import * as links from "./networks/links.js";
import { enterNamespace, isNamespace, makeNamespace, releaseNamespace } from "./networks/namespace.js";
import { Netlink, type Request } from "./networks/netlink.js";
import { HeldPorts } from "./networks/ports.js";
import { nft, noTable, publish, tableOf, unpublish } from "./networks/rules.js";
import type { Paths } from "./paths.js";

/** What the code needs of its surroundings. */
export interface NetworksNeeds {
  kernel: Kernel;
  paths: Paths;
}

/** Networks, and containers on them. */
export interface LinuxNetworks {
  perform: Perform<networks.NetworkCommand>;
  /** Containers on networks. What was left half-made, or half taken down, is taken down first. */
  joins(): Promise<engine.FoundJoin[]>;
  /** Networks made. */
  networks(): Promise<string[]>;
  /** Lets go of what this process holds; networks and containers' places on them stay. */
  close(): Promise<void>;
}

/** Reads what an earlier engine left. Call it in the network namespace in which the engine is to work. */
export function linuxNetworks(needs: NetworksNeeds): LinuxNetworks {
  const linux = new Networks(needs);
  return {
    perform: async (_op, command) => linux.perform(command),
    joins: () => linux.joins(),
    networks: async () => linux.made(),
    close: () => linux.close(),
  };
}

/** A network as made. */
interface Made {
  bridge: networks.Bridge;
  /** The interface was made by us, not found. */
  ours: boolean;
}

/** A container's place on a network. Its name is that of the outer end of its veth pair. */
interface Place {
  join: networks.Join;
  /** Name of the interface in the container. */
  inner: string;
}

const DONE: Outcome = { tag: "done" };

/** How long the kernel is given to remove the interfaces of a namespace that is gone, before it is asked to. */
const LINGER_MS = 250;

class Networks {
  readonly #kernel: Kernel;
  readonly #paths: Paths;
  readonly #networks: KeptFiles<Made>;
  readonly #places: KeptFiles<Place>;
  readonly #ports: HeldPorts;
  readonly #lingering = new Map<string, Promise<void>>();
  readonly #closing = new AbortController();

  constructor({ kernel, paths }: NetworksNeeds) {
    this.#kernel = kernel;
    this.#paths = paths;
    this.#networks = new KeptFiles(paths.networks("made"));
    this.#places = new KeptFiles(paths.networks("joined"));
    this.#ports = new HeldPorts(kernel);
    setMaxListeners(0, this.#closing.signal);
    for (const [name, { value }] of this.#places.entries()) this.#holdAgain(name, value);
  }

  async perform(command: networks.NetworkCommand): Promise<Outcome> {
    if (command.tag === "make") await this.#make(command.val);
    else if (command.tag === "drop") await this.#drop(command.val);
    else if (command.tag === "join") await this.#join(command.val);
    else await this.#leave(command.val);
    return DONE;
  }

  async joins(): Promise<engine.FoundJoin[]> {
    for (const [name, { value, whole }] of this.#places.entries()) {
      if (!whole || !this.#stands(name, value)) await this.#takeDown(name, value);
    }
    return this.#places.entries().map(([, { value }]) => ({
      container: value.join.container,
      network: value.join.bridge.network,
    }));
  }

  made(): string[] {
    const standing = this.#networks.entries().filter(([, { value, whole }]) => {
      return whole && this.#kernel.interfaceIndex(value.bridge.interfaceName) !== 0;
    });
    return standing.map(([network]) => network);
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.all(this.#lingering.values());
    this.#ports.releaseAll();
  }

  async #make(bridge: networks.Bridge): Promise<void> {
    const { interfaceName, subnet, network } = bridge;
    const gateway = ipv4(bridge.gateway);
    const prefix = prefixOf(subnet);
    if (!INTERFACE_NAME.test(interfaceName))
      throw new HostFailure("invalid", `not a name for an interface: ${interfaceName}`);
    const ours = this.#networks.find(network)?.value.ours || this.#kernel.interfaceIndex(interfaceName) === 0;
    this.#networks.begin(network, { bridge, ours });
    await this.#request(links.makeBridge(interfaceName, Uint8Array.from([0x02, 0x42, ...gateway])));
    const index = this.#kernel.interfaceIndex(interfaceName);
    await this.#request(
      links.addAddress(index, gateway, prefix, broadcastOf(subnet)),
      links.withoutIpv6(interfaceName),
      links.setUp(interfaceName),
    );
    routeThrough(interfaceName);
    // A firewall that was flushed gets the ports of running containers back.
    const published = this.#on(network).map(([, { join }]) => publish(network, join.address, join.ports));
    await nft([tableOf(bridge), ...published].join("\n"));
    await acceptForwarding(interfaceName);
    this.#networks.finish(network);
  }

  async #drop(network: string): Promise<void> {
    const kept = this.#networks.find(network);
    if (!kept) return;
    const { bridge, ours } = kept.value;
    const others = this.#networks.entries().filter(([id]) => id !== network);
    const shared = others.some(([, other]) => other.value.bridge.interfaceName === bridge.interfaceName);
    if (ours && !shared) await this.#request(links.removeLink(bridge.interfaceName));
    await nft(noTable(network));
    await forgetForwarding(bridge.interfaceName);
    this.#networks.erase(network);
  }

  async #join(join: networks.Join): Promise<void> {
    const { container, bridge, ports } = join;
    for (const [name, { value, whole }] of this.#of(container, bridge.network)) {
      if (whole && this.#stands(name, value)) return;
      await this.#takeDown(name, value);
    }
    const name = `veth${randomBytes(5).toString("hex")}`;
    const taken = this.#of(container).map(([, { value }]) => value.inner);
    let number = 0;
    while (taken.includes(`eth${number}`)) number++;
    const place: Place = { join, inner: `eth${number}` };
    this.#ports.take(name, ports);
    this.#places.begin(name, place);
    try {
      await Promise.all([this.#connect(name, place, number), this.#publish(join)]);
    } catch (error) {
      await this.#takeDown(name, place);
      throw error;
    }
    this.#places.finish(name);
  }

  async #leave({ container, network }: networks.Leave): Promise<void> {
    for (const [name, { value }] of this.#of(container, network)) await this.#takeDown(name, value);
    if (this.#of(container).length === 0) releaseNamespace(this.#kernel, this.#paths.namespace(container));
  }

  /** Connects the container's namespace, made if it has none, to the bridge. */
  async #connect(name: string, { join, inner }: Place, number: number): Promise<void> {
    const file = this.#paths.namespace(join.container);
    const reach = isNamespace(file) ? enterNamespace : makeNamespace;
    const inside = reach(this.#kernel, file, () => Netlink.open(this.#kernel));
    const namespace = openSync(file, "r");
    try {
      const bridge = this.#kernel.interfaceIndex(join.bridge.interfaceName);
      const index = links.LOOPBACK + 1 + number;
      const end = { namespace, name: inner, index, mac: mac(join.mac) };
      const outside = [links.reflect(name), links.withoutIpv6(name), links.setUp(name)];
      await this.#request(links.makeVeth(name, bridge, end), ...outside);
      await inside.request(...insideRequests(join, index, number === 0));
    } finally {
      closeSync(namespace);
      inside.close();
    }
  }

  /**
   * Takes a place down, whatever of it is there. Its interfaces fall silent at once. The kernel removes them with the
   * container's namespace, all those of one moment together, some 40 ms later; nobody needs to wait for that.
   */
  async #takeDown(name: string, { join }: Place): Promise<void> {
    const { container } = join;
    this.#places.undo(name);
    await Promise.all([this.#request(links.silence(name)), this.#unpublish(join)]);
    this.#ports.release(name);
    if (this.#of(container).length > 0) {
      await this.#request(links.removeLink(name));
      this.#places.erase(name);
    } else {
      releaseNamespace(this.#kernel, this.#paths.namespace(container));
      this.#lingering.set(name, this.#seeOff(name));
    }
  }

  async #publish({ bridge, address, ports }: networks.Join): Promise<void> {
    if (ports.length === 0) return;
    await nft(publish(bridge.network, address, ports));
    await forgetDatagrams(this.#kernel, ports);
  }

  async #unpublish({ bridge, address, ports }: networks.Join): Promise<void> {
    if (ports.length === 0) return;
    await unpublish(bridge.network, address, ports);
    await forgetDatagrams(this.#kernel, ports);
  }

  /** Makes sure that a silent interface goes, even if something else still holds its namespace. */
  async #seeOff(name: string): Promise<void> {
    await sleep(LINGER_MS, undefined, { ref: false, signal: this.#closing.signal }).catch(() => {});
    await this.#request(links.removeLink(name));
    this.#places.erase(name);
    this.#lingering.delete(name);
  }

  #on(network: string): [string, Place][] {
    const all = this.#places.entries().filter(([, { value }]) => value.join.bridge.network === network);
    return all.map(([name, { value }]) => [name, value]);
  }

  #of(container: string, network?: string): ReturnType<KeptFiles<Place>["entries"]> {
    return this.#places.entries().filter(
      ([
        ,
        {
          value: { join },
        },
      ]) => {
        return join.container === container && (network === undefined || join.bridge.network === network);
      },
    );
  }

  /** Whether a place is still there: a reboot takes all of them. */
  #stands(name: string, { join }: Place): boolean {
    return this.#kernel.interfaceIndex(name) !== 0 && isNamespace(this.#paths.namespace(join.container));
  }

  /** A port that another program took while no engine ran is not ours to hold; the rules go on as they are. */
  #holdAgain(name: string, { join }: Place): void {
    try {
      this.#ports.take(name, join.ports);
    } catch (error) {
      if (!(error instanceof HostFailure)) throw error;
    }
  }

  async #request(...requests: Request[]): Promise<void> {
    const netlink = Netlink.open(this.#kernel);
    try {
      await netlink.request(...requests);
    } finally {
      netlink.close();
    }
  }
}

/** What the kernel takes for a name, short of what nft's syntax would stumble over. */
const INTERFACE_NAME = /^(?!\.{1,2}$)[^\s/:"\\]{1,15}$/;

/** What is done inside the namespace. The default route leads through the container's first network. */
function insideRequests({ bridge, address }: networks.Join, index: number, first: boolean): Request[] {
  return [
    links.setUp(links.LOOPBACK),
    links.withoutIpv6(index),
    links.setUp(index),
    links.addAddress(index, ipv4(address), prefixOf(bridge.subnet), broadcastOf(bridge.subnet)),
    ...(first ? [links.addDefaultRoute(index, ipv4(bridge.gateway))] : []),
  ];
}
