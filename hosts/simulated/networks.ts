// Networks of the simulated machine: which containers are on them, with which addresses and published ports. What they
// carry is in `traffic/`.

import { interrupted, malformed, noSuch, refusedPort } from "../shared/index.js";
import type { Outcome, Perform, engine, networks } from "../shared/index.js";
import type { FaultSource } from "./faults.js";
import { MACHINE } from "./machine.js";
import type { PacketAim, PortDoors } from "./options.js";
import { PublishedPorts } from "./published-ports.js";
import type { SimulatedTime } from "./time.js";
import { canonical, isEvery, isIpv6, isLoopback } from "./traffic/addresses.js";
import { addressesOf, allAddressesOf } from "./traffic/families.js";
import { NameTables } from "./traffic/name-answers.js";
import { NetworkNamespace } from "./traffic/namespace.js";
import { routeTo, type Service, type Topology } from "./traffic/routes.js";
import { Traffic, type KernelNetwork } from "./traffic/traffic.js";
import { Wire } from "./traffic/wire.js";

/** Making or removing an interface and its rules takes about as long as on Linux. */
const DELAY_NS = 3_000_000n;

/** A port of the machine on which a program outside containers listens. */
export type TakenPort = Pick<networks.PortMapping, "hostAddress" | "hostPort" | "protocol">;

export interface WorldNetworksNeeds {
  time: Pick<SimulatedTime, "now" | "at">;
  /** Addresses of the machine, in addition to those of its bridges. */
  addresses?: readonly string[];
  taken?: readonly TakenPort[];
  /** Without it no packet is late or gets lost. */
  faults?: FaultSource;
  /** A number from 0 up to 1, from the world's seed: which packets get lost. */
  random?: () => number;
  doors?: PortDoors;
}

export class WorldNetworks implements Topology {
  readonly machine = new NetworkNamespace("");
  readonly subnets = MACHINE.routes;
  readonly traffic: Traffic;
  readonly #time: Pick<SimulatedTime, "now" | "at">;
  readonly addresses: readonly string[];
  readonly #taken: readonly TakenPort[];
  readonly #published: PublishedPorts;
  readonly #bridges = new Map<string, networks.Bridge>();
  readonly #joins = new Map<string, networks.Join>();
  /** Containers' names on their networks. */
  readonly #tables = new NameTables();
  /** The network namespaces of containers. */
  readonly #sandboxes = new Map<string, NetworkNamespace>();
  /** Names outlive joins, because a container may be mentioned after its end. */
  readonly #names = new Map<string, string>();
  /** Counts engines. Operations that an earlier engine began are dropped. */
  #engine = 0;

  constructor(needs: WorldNetworksNeeds) {
    const { time, addresses = MACHINE_ADDRESSES, taken = [], faults = NO_FAULTS, random = () => 0 } = needs;
    this.#time = time;
    this.addresses = addresses;
    this.#taken = taken;
    this.#published = new PublishedPorts(needs.doors);
    const wire = new Wire(faults, random);
    this.traffic = new Traffic({ clock: time, wire, topology: this, names: this.#tables });
  }

  readonly perform: Perform<networks.NetworkCommand> = async (_op, command) => {
    const engine = this.#engine;
    await this.#delay();
    if (engine !== this.#engine) throw interrupted("engine-gone");
    switch (command.tag) {
      case "make":
        this.#make(command.val);
        break;
      case "make-parent-network":
        this.#makeOnParent(command.val);
        break;
      case "join-parent":
        await this.#join(asJoin(command.val));
        break;
      case "drop":
        this.#bridges.delete(command.val);
        break;
      case "join":
        await this.#join(command.val);
        if (engine !== this.#engine) throw interrupted("engine-gone");
        break;
      case "name":
        this.#sandbox(command.val.container);
        this.#tables.put(placeOf(command.val), command.val);
        break;
      case "serve-names":
        this.#sandbox(command.val.container).resolver = command.val;
        break;
      case "leave":
        this.#leave(command.val);
        break;
      case "leave-all":
        this.#leaveAll(command.val);
        break;
      case "routes":
        return { tag: "names", val: this.#routes() };
    }
    return DONE;
  };

  /** A new engine takes over: operations under way are cancelled. */
  restart(): void {
    this.#engine++;
  }

  /** The machine restarts: interfaces and rules are gone. */
  reboot(): void {
    this.restart();
    this.#published.close();
    for (const namespace of this.#sandboxes.values()) namespace.clear();
    for (const made of [this.#bridges, this.#joins, this.#sandboxes, this.#tables]) made.clear();
  }

  /** The world ends: nothing listens on real ports any more. */
  close(): void {
    this.#published.close();
  }

  /** Existing networks. */
  networks(): string[] {
    return [...this.#bridges.keys()];
  }

  /** Containers on networks. */
  joins(): engine.FoundJoin[] {
    const joins = [...this.#joins.values()];
    return joins.map(({ container, bridge, address, ipv6Address }) => {
      return { container, network: bridge.network, address, ipv6Address };
    });
  }

  /** Containers with a network namespace. It may be on no network. */
  sandboxes(): string[] {
    return [...this.#sandboxes.keys()];
  }

  /** A container's networks, in the order in which it joined them: `eth0` first. */
  placesOf(container: string): networks.Join[] {
    return [...this.#joins.values()].filter((join) => join.container === container);
  }

  /** The network namespace of a container, while it is on a network or was since its start. */
  namespaceOf(container: string): NetworkNamespace | undefined {
    return this.#sandboxes.get(container);
  }

  bridges(): Iterable<networks.Bridge> {
    return [...this.#bridges.values()].filter(({ subnet, ipv6Subnet }) => subnet !== "" || ipv6Subnet !== "");
  }

  ownerOf(network: string, address: string): NetworkNamespace | undefined {
    const joins = [...this.#joins.values()];
    const join = joins.find((one) => one.bridge.network === network && allAddressesOf(one).includes(address));
    return join && this.#sandboxes.get(join.container);
  }

  publishedAt(address: string, service: Service): ReturnType<Topology["publishedAt"]> {
    if (service.protocol === "icmp") return undefined;
    const isHere = ({ protocol, hostAddress, hostPort }: networks.PortMapping): boolean =>
      protocol === service.protocol && hostPort > 0 && hostPort === service.port && excludes(hostAddress, address);
    for (const join of this.#joins.values()) {
      const mapping = join.ports.find(isHere);
      const to = mapping && this.#sandboxes.get(join.container);
      if (to) return { join, to, port: mapping.containerPort };
    }
    return undefined;
  }

  /** Where the machine reaches a port of its own: at `::1` if it is published there alone. */
  loopbackOf(port: number, protocol: "tcp" | "udp" = "tcp"): string {
    const isThere = (address: string): boolean => this.publishedAt(address, { protocol, port }) !== undefined;
    return !isThere(IPV4_LOOPBACK) && isThere(IPV6_LOOPBACK) ? IPV6_LOOPBACK : IPV4_LOOPBACK;
  }

  isOpened(network: string, address: string, service: Service): boolean {
    if (service.protocol === "icmp") return false;
    const joins = [...this.#joins.values()];
    const join = joins.find((one) => one.bridge.network === network && addressesOf(one).includes(address));
    const isIt = ({ hostAddress, containerPort }: networks.PortMapping): boolean =>
      containerPort === service.port && isIpv6(hostAddress) === isIpv6(address);
    return join?.ports.some((port) => port.protocol === service.protocol && isIt(port)) ?? false;
  }

  /** What a name means in a container: addresses, or undefined if nobody on its networks has the name. */
  lookUp(container: string, name: string): string[] | undefined {
    const resolver = this.#sandboxes.get(container)?.resolver;
    return resolver ? this.#tables.owners(resolver, name)?.flatMap(({ addresses }) => addresses) : undefined;
  }

  /** Where a packet of a container gets, or of the machine. */
  arrival(from: string, { address, ...service }: PacketAim): { container: string; port: number } | null {
    const sender = from === "" ? this.machine : this.#sandboxes.get(from);
    const route = sender && routeTo(this, sender, address, service);
    if (route === undefined || typeof route === "string" || "error" in route) return null;
    return { container: route.to.container, port: route.port };
  }

  /** The name under which a container last joined a network. */
  nameOf(container: string): string | undefined {
    return this.#names.get(container);
  }

  /** The container was removed: its name is no longer needed. */
  forget(container: string): void {
    this.#names.delete(container);
  }

  #make(bridge: networks.Bridge): void {
    const { subnet, gateway, ipv6Subnet, ipv6Gateway } = bridge;
    if (subnet !== "" || ipv6Subnet === "") checkPlace(subnet, gateway);
    if (ipv6Subnet !== "") checkPlace(ipv6Subnet, ipv6Gateway);
    this.#bridges.set(bridge.network, bridge);
    // In place: a join that is under way must find itself again.
    for (const join of this.#joins.values()) if (join.bridge.network === bridge.network) join.bridge = bridge;
  }

  #makeOnParent(network: networks.ParentNetwork): void {
    const { parent, vlanLink, isDummy } = network;
    if (!INTERFACES.includes(parent) && !isDummy) {
      if (!INTERFACES.includes(vlanLink)) throw noSuch("network-interface", vlanLink || parent);
    }
    this.#bridges.set(network.network, asBridge(network, "", ""));
  }

  #leave(leave: networks.Leave): void {
    this.#joins.delete(placeOf(leave));
    this.#published.close((place) => place === placeOf(leave));
    this.#tables.delete(placeOf(leave));
    this.#sandboxes.get(leave.container)?.leave(leave.network);
  }

  #sandbox(container: string): NetworkNamespace {
    const namespace = this.#sandboxes.get(container);
    if (!namespace) throw noSuch("network-interface", container);
    return namespace;
  }

  async #join(asked: networks.Join): Promise<void> {
    const join = { ...asked };
    checkAddresses(join.address, join.ipv6Address);
    const place = placeOf({ container: join.container, network: join.bridge.network });
    if (!this.#bridges.has(join.bridge.network)) {
      throw noSuch("network-interface", join.bridge.interfaceName);
    }
    const mapped = join.ports.filter(({ hostPort }) => hostPort > 0);
    this.#takePorts(place, mapped);
    const before = this.#joins.get(place);
    this.#put(place, join);
    try {
      await this.#published.set(place, mapped);
    } catch (error) {
      // It left meanwhile, or joined anew.
      if (this.#joins.get(place) !== join) throw error;
      // Its network may have been made anew.
      if (before) this.#put(place, join.bridge === asked.bridge ? before : { ...before, bridge: join.bridge });
      else this.#takeBack(join);
      throw error;
    }
  }

  #put(place: string, join: networks.Join): void {
    const namespace = this.#sandboxes.get(join.container) ?? new NetworkNamespace(join.container);
    this.#sandboxes.set(join.container, namespace);
    namespace.join(join);
    this.#joins.set(place, join);
    this.#names.set(join.container, join.containerName);
  }

  /** A join that failed leaves nothing behind. */
  #takeBack({ container, bridge }: networks.Join): void {
    this.#leave({ container, network: bridge.network });
    if (this.placesOf(container).length === 0) this.#leaveAll(container);
  }

  #leaveAll(container: string): void {
    this.#published.close((place) => place.startsWith(container));
    for (const [place, join] of this.#joins) if (join.container === container) this.#joins.delete(place);
    this.#tables.deleteOf(container);
    this.#sandboxes.get(container)?.clear();
    this.#sandboxes.delete(container);
  }

  /**
   * Assigns ports as the kernel does: one after the other, each checked against all that are taken. `place`: its own
   * earlier ports do not count.
   */
  #takePorts(place: string, ports: readonly networks.PortMapping[]): void {
    const taken = new Map<string, TakenPort[]>();
    const take = (port: TakenPort): void => {
      const others = taken.get(slotOf(port));
      if (others === undefined) taken.set(slotOf(port), [port]);
      else others.push(port);
    };
    for (const port of this.#taken) take(port);
    for (const [other, join] of this.#joins)
      if (other !== place) join.ports.filter(({ hostPort }) => hostPort > 0).forEach(take);
    for (const port of ports) {
      if (!this.#hasAddress(port.hostAddress)) throw refusedPort(port, "EADDRNOTAVAIL");
      const others = taken.get(slotOf(port)) ?? [];
      if (others.some((other) => excludes(port.hostAddress, other.hostAddress))) throw refusedPort(port, "EADDRINUSE");
      take(port);
    }
  }

  #routes(): string[] {
    const subnets = [...this.bridges()].flatMap(({ subnet, ipv6Subnet }) => [subnet, ipv6Subnet]);
    return [...MACHINE.routes, ...subnets.filter((subnet) => subnet !== "")];
  }

  #hasAddress(address: string): boolean {
    if (isEvery(address) || isLoopback(address)) return true;
    if (this.addresses.includes(address)) return true;
    return [...this.#bridges.values()].some(({ gateway, ipv6Gateway }) => [gateway, ipv6Gateway].includes(address));
  }

  #delay(): Promise<void> {
    return new Promise((resolve) => this.#time.at(this.#time.now().monotonic + DELAY_NS, resolve));
  }
}

/** A namespace that reaches only itself. */
export function loopbackOnly(time: Pick<SimulatedTime, "now" | "at">): KernelNetwork {
  const { traffic } = new WorldNetworks({ time });
  return { namespace: new NetworkNamespace("alone"), traffic };
}

const IPV4_LOOPBACK = "127.0.0.1";
const IPV6_LOOPBACK = "::1";
const DONE: Outcome = { tag: "done" };
const NO_FAULTS: FaultSource = { strike: () => null };
/** From the ranges that RFC 5737 and RFC 3849 reserve for documentation. */
const MACHINE_ADDRESSES = ["192.0.2.10", "2001:db8::10"];

/** Interfaces of the machine that may be parents of networks. */
const INTERFACES = ["eth0"];

/** A network on a parent is like an internal bridge, since nothing else is on it here. The machine has no address there. */
function asBridge(
  { network, name, parent, mode, ipvlanFlag }: networks.ParentNetwork,
  subnet: string,
  ipv6Subnet: string,
): networks.Bridge {
  const connectsContainers = ![mode, ipvlanFlag].some((one) => one === "private" || one === "vepa");
  const made = { network, name, interfaceName: parent, subnet, gateway: "", connectsContainers };
  const off = { masquerades: false, forwards: false, firewall: true, proxies: true, trustedInterfaces: [] };
  const isolated = { gatewayMode: "isolated", ipv6GatewayMode: "isolated", sourceAddress: "", ipv6SourceAddress: "" };
  return { ...made, ...off, ...isolated, ipv6Subnet, ipv6Gateway: "", internal: true, mtu: 0 };
}

function asJoin({ network, leads, ipv6Leads, ...join }: networks.ParentJoin): networks.Join {
  const [gateway, ipv6Gateway] = [leads ? join.gateway : "", ipv6Leads ? join.ipv6Gateway : ""];
  const [address = "", ipv6Address = ""] = [join.address, join.ipv6Address].map((text) => text.split("/")[0]);
  const bridge = asBridge(network, join.address, join.ipv6Address);
  return { ...join, address, gateway, ipv6Address, ipv6Gateway, bridge, ports: [] };
}

function placeOf({ container, network }: networks.Leave): string {
  return `${container} ${network}`;
}

/** Ports with the same key conflict if their addresses overlap. */
function slotOf({ protocol, hostPort }: TakenPort): string {
  return `${protocol} ${hostPort}`;
}

/** Whether two addresses conflict: a port cannot be bound on all addresses of a family and also on one of them. */
function excludes(a: string, b: string): boolean {
  return isIpv6(a) === isIpv6(b) && (isEvery(a) || isEvery(b) || a === b);
}

/** `gateway`: the machine's address; empty if it has none. */
function checkPlace(subnet: string, gateway: string): void {
  if (gateway !== "") checkAddress(gateway);
  checkSubnet(subnet);
}

/** Either may be empty; both are only on a network that is on a parent. */
function checkAddresses(ipv4: string, ipv6: string): void {
  if (ipv4 !== "") checkAddress(ipv4);
  if (ipv6 !== "") checkAddress(ipv6);
}

function checkAddress(address: string): void {
  if (canonical(address) === null) throw malformed("ip-address", address);
}

function checkSubnet(subnet: string): void {
  const [address = "", prefix = ""] = subnet.split("/");
  checkAddress(address);
  if (!/^(0|[1-9][0-9]{0,2})$/.test(prefix) || Number(prefix) > (isIpv6(address) ? 128 : 32)) {
    throw malformed("subnet", subnet);
  }
}
