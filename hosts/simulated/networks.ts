// Networks of the simulated machine: which containers are on them, with which addresses and published ports.

import { interrupted, malformed, noSuch, refusedPort } from "../shared/index.js";
import type { Outcome, Perform, engine, networks } from "../shared/index.js";
import { MACHINE } from "./machine.js";
import type { SimulatedTime } from "./time.js";

/** Making or removing an interface and its rules takes about as long as on Linux. */
const DELAY_NS = 3_000_000n;

/** A port of the machine on which a program outside containers listens. */
export type TakenPort = Pick<networks.PortMapping, "hostAddress" | "hostPort" | "protocol">;

export interface WorldNetworksNeeds {
  time: Pick<SimulatedTime, "now" | "at">;
  /** Addresses of the machine, in addition to those of its bridges. */
  addresses?: readonly string[];
  taken?: readonly TakenPort[];
}

export class WorldNetworks {
  readonly #time: Pick<SimulatedTime, "now" | "at">;
  readonly #addresses: readonly string[];
  readonly #taken: readonly TakenPort[];
  readonly #bridges = new Map<string, networks.Bridge>();
  readonly #joins = new Map<string, networks.Join>();
  /** Containers' names on their networks, and how names are resolved in them. */
  readonly #tables = new Map<string, networks.EndpointNames>();
  readonly #resolvers = new Map<string, networks.Resolver>();
  /** Containers with a network namespace. */
  readonly #sandboxes = new Set<string>();
  /** Names outlive joins, because a container may be mentioned after its end. */
  readonly #names = new Map<string, string>();
  /** Counts engines. Operations that an earlier engine began are dropped. */
  #engine = 0;

  constructor({ time, addresses = MACHINE_ADDRESSES, taken = [] }: WorldNetworksNeeds) {
    this.#time = time;
    this.#addresses = addresses;
    this.#taken = taken;
  }

  readonly perform: Perform<networks.NetworkCommand> = async (_op, command) => {
    const engine = this.#engine;
    await this.#delay();
    if (engine !== this.#engine) throw interrupted("engine-gone");
    switch (command.tag) {
      case "make":
        this.#make(command.val);
        break;
      case "drop":
        this.#bridges.delete(command.val);
        break;
      case "join":
        this.#join(command.val);
        break;
      case "name":
        this.#requireJoined(command.val.container);
        this.#tables.set(placeOf(command.val), command.val);
        break;
      case "serve-names":
        this.#requireJoined(command.val.container);
        this.#resolvers.set(command.val.container, command.val);
        break;
      case "leave":
        this.#leave(command.val);
        break;
      case "leave-all":
        this.#leaveAll(command.val);
        break;
      case "routes":
        return { tag: "names", val: [...MACHINE.routes, ...[...this.#bridges.values()].map(({ subnet }) => subnet)] };
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
    for (const made of [this.#bridges, this.#joins, this.#sandboxes, this.#tables, this.#resolvers]) made.clear();
  }

  /** Existing networks. */
  networks(): string[] {
    return [...this.#bridges.keys()];
  }

  /** Containers on networks. */
  joins(): engine.FoundJoin[] {
    const joins = [...this.#joins.values()];
    return joins.map(({ container, bridge, address }) => ({ container, network: bridge.network, address }));
  }

  /** Containers with a network namespace. It may be on no network. */
  sandboxes(): string[] {
    return [...this.#sandboxes];
  }

  /** A container's networks, in the order in which it joined them: `eth0` first. */
  placesOf(container: string): networks.Join[] {
    return [...this.#joins.values()].filter((join) => join.container === container);
  }

  /** What a name means in a container: addresses, or undefined if nobody on its networks has the name. */
  lookUp(container: string, name: string): string[] | undefined {
    for (const { network, links } of this.#resolvers.get(container)?.networks ?? []) {
      const wanted = links.find(({ alias }) => sameName(alias, name))?.name ?? name;
      const owners = [...this.#tables.values()].filter((table) => table.network === network && has(table, wanted));
      if (owners.length > 0) return owners.flatMap(({ addresses }) => addresses);
    }
    return undefined;
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
    checkAddress(bridge.gateway);
    checkSubnet(bridge.subnet);
    this.#bridges.set(bridge.network, bridge);
  }

  #leave(leave: networks.Leave): void {
    this.#joins.delete(placeOf(leave));
    this.#tables.delete(placeOf(leave));
  }

  #requireJoined(container: string): void {
    if (!this.#sandboxes.has(container)) throw noSuch("network-interface", container);
  }

  #join(join: networks.Join): void {
    checkAddress(join.address);
    const place = placeOf({ container: join.container, network: join.bridge.network });
    if (!this.#bridges.has(join.bridge.network)) {
      throw noSuch("network-interface", join.bridge.interfaceName);
    }
    this.#takePorts(place, join.ports);
    this.#sandboxes.add(join.container);
    this.#joins.set(place, join);
    this.#names.set(join.container, join.containerName);
  }

  #leaveAll(container: string): void {
    for (const [place, join] of this.#joins) if (join.container === container) this.#joins.delete(place);
    for (const place of this.#tables.keys()) if (place.startsWith(container)) this.#tables.delete(place);
    this.#sandboxes.delete(container);
    this.#resolvers.delete(container);
  }

  /**
   * Assigns ports as the kernel does: one after the other, each checked against all that are taken. `place`: its own
   * earlier ports do not count.
   */
  #takePorts(place: string, ports: readonly networks.PortMapping[]): void {
    const taken = new Map<string, TakenPort[]>();
    const take = (port: TakenPort): void => {
      const others = taken.get(numberOf(port));
      if (others === undefined) taken.set(numberOf(port), [port]);
      else others.push(port);
    };
    for (const port of this.#taken) take(port);
    for (const [other, join] of this.#joins) if (other !== place) join.ports.forEach(take);
    for (const port of ports) {
      if (!this.#hasAddress(port.hostAddress)) throw refusedPort(port, "EADDRNOTAVAIL");
      const others = taken.get(numberOf(port)) ?? [];
      if (others.some((other) => excludes(port.hostAddress, other.hostAddress))) throw refusedPort(port, "EADDRINUSE");
      take(port);
    }
  }

  #hasAddress(address: string): boolean {
    if (isEvery(address) || address.startsWith("127.") || address === "::1") return true;
    if (this.#addresses.includes(address)) return true;
    return [...this.#bridges.values()].some(({ gateway }) => gateway === address);
  }

  #delay(): Promise<void> {
    return new Promise((resolve) => this.#time.at(this.#time.now().monotonic + DELAY_NS, resolve));
  }
}

const DONE: Outcome = { tag: "done" };
/** From the ranges that RFC 5737 and RFC 3849 reserve for documentation. */
const MACHINE_ADDRESSES = ["192.0.2.10", "2001:db8::10"];

function placeOf({ container, network }: networks.Leave): string {
  return `${container} ${network}`;
}

/** Whether a container has the name, alone or with the network's behind it. */
function has({ names, domain }: networks.EndpointNames, wanted: string): boolean {
  return names.some((name) => sameName(name, wanted) || sameName(`${name}.${domain}`, wanted));
}

function sameName(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}

/** Ports with the same key conflict if their addresses overlap. */
function numberOf({ protocol, hostPort }: TakenPort): string {
  return `${protocol} ${hostPort}`;
}

/** Whether two addresses conflict: a port cannot be bound on all addresses of a family and also on one of them. */
function excludes(a: string, b: string): boolean {
  return isIpv6(a) === isIpv6(b) && (isEvery(a) || isEvery(b) || a === b);
}

function isIpv6(address: string): boolean {
  return address.includes(":");
}

function isEvery(address: string): boolean {
  return address === "0.0.0.0" || address === "::";
}

function checkAddress(address: string): void {
  const parts = address.split(".");
  if (parts.length === 4 && parts.every((part) => /^(0|[1-9][0-9]{0,2})$/.test(part) && Number(part) < 256)) return;
  throw malformed("ipv4-address", address);
}

function checkSubnet(subnet: string): void {
  const [address = "", prefix = ""] = subnet.split("/");
  checkAddress(address);
  if (!/^([12]?[0-9]|3[0-2])$/.test(prefix)) {
    throw malformed("subnet", subnet);
  }
}
