// All networks.

import { deleteRecord } from "../ask";
import { Container } from "../container/container";
import { containerStore } from "../container/store";
import { NETWORK_RECORDS } from "../records/kinds";
import { putRecord } from "../records/put";
import { setAside } from "../records/set-aside";
import { engine } from "../state";
import { isFullId } from "../text/hex";
import { decodeUtf8 } from "../text/utf8";
import { Address, parseAddress } from "./address/address";
import { AddressPool } from "./address/address-pool";
import { Subnet } from "./address/subnet";
import { configOf, machineConfig, setBridgeAddresses, setBridgeOptions } from "./default-bridge";
import { Endpoint, Place } from "./endpoint/endpoint";
import { anySubnet, forgetRoute } from "./ipam/default-pools";
import { IpamConfig } from "./ipam/ipam-config";
import { driverOf, Network } from "./network";
import { writeNetwork } from "./network-record";

export class NetworkStore {
  private readonly byId: Map<string, Network> = new Map<string, Network>();
  private readonly byName: Map<string, Network> = new Map<string, Network>();
  /** Containers that were leaving a network when the prune that waits began to, and that it has not waited for yet. */
  leavingBeforePrune: Container[] = [];

  add(network: Network): void {
    this.byId.set(network.id, network);
    this.byName.set(network.name, network);
  }

  put(network: Network): void {
    putRecord(NETWORK_RECORDS + network.id, writeNetwork(network));
    if (!network.isBuiltIn) showContainersAnew(network);
  }

  remove(network: Network): void {
    this.byId.delete(network.id);
    this.byName.delete(network.name);
    deleteRecord(NETWORK_RECORDS + network.id);
    const pools = network.pools;
    // A parent's route to its network stays.
    for (let i = 0; i < pools.length; i++) if (!network.isOnParent) forgetRoute(pools[i].subnet);
    showContainersAnew(network);
  }

  /** Also networks that are just being made or removed. */
  find(id: string): Network | null {
    return this.byId.has(id) ? this.byId.get(id) : null;
  }

  /** Also networks that are just being made or removed. */
  named(name: string): Network | null {
    return this.byName.has(name) ? this.byName.get(name) : null;
  }

  /** Also networks that are just being made or removed. */
  all(): Network[] {
    return this.byId.values();
  }

  /** The subnets of all networks. */
  subnets(): Subnet[] {
    const subnets: Subnet[] = [];
    const all = this.all();
    for (let i = 0; i < all.length; i++) {
      const pools = all[i].pools;
      for (let j = 0; j < pools.length; j++) subnets.push(pools[j].subnet);
    }
    return subnets;
  }

  /** The network with this interface; null if there is none. */
  withInterface(name: string): Network | null {
    const all = this.all();
    for (let i = 0; i < all.length; i++) if (all[i].interfaceName == name) return all[i];
    return null;
  }

  /** Makes the records of built-in networks where they are missing. */
  ensurePredefined(): void {
    this.ensure("bridge");
    this.ensure("host");
    this.ensure("none");
    this.configureBridge();
  }

  /** Gives the default bridge the settings of the options. Its record is only written if that changes it. */
  private configureBridge(): void {
    const network = this.named("bridge")!;
    const before = decodeUtf8(writeNetwork(network));
    setBridgeOptions(network);
    setBridgeAddresses(network, this.subnets());
    if (decodeUtf8(writeNetwork(network)) != before) this.put(network);
  }

  /** Reserves the address of a container that is connected already. */
  keepAddress(network: string, address: string, container: string): void {
    const parsed: Address | null = parseAddress(address);
    const pool = this.poolWith(network, parsed);
    if (pool !== null) pool.keep(parsed!, container);
  }

  /** Only the address's owner can free it. */
  freeAddress(network: string, address: string, container: string): void {
    const parsed: Address | null = parseAddress(address);
    const pool = this.poolWith(network, parsed);
    if (pool !== null) pool.free(parsed!, container);
  }

  /** The addresses of the network among which this one is; null if there are none. */
  private poolWith(network: string, address: Address | null): AddressPool | null {
    const found = this.find(network);
    return found === null || address === null ? null : found.poolWith(address);
  }

  /** Writes all records again. */
  putAll(): void {
    const networks = this.all();
    for (let i = 0; i < networks.length; i++) this.put(networks[i]);
  }

  private ensure(name: string): void {
    if (this.named(name) !== null) return;
    const driver = driverOf(name);
    const lost = this.lostEndpoint(name);
    const place: Place | null = lost === null ? null : lost.place;
    const network = new Network(lost === null ? this.lostId() : lost.networkId, name, driver);
    network.created = engine.now.wall;
    this.add(network);
    if (driver == "bridge") this.setUpBridge(network, place);
    this.put(network);
  }

  /** Gives a new default bridge its settings. `place`: of a container on the lost one; null if there was none. */
  private setUpBridge(network: Network, place: Place | null): void {
    const chosen = anySubnet(this.subnets(), false);
    const ipv4 = place === null ? configOf(chosen, chosen.base.plus(1).text) : ipv4Of(place);
    network.setAddresses(ipv4, place === null ? null : ipv6Of(place));
    network.interfaceName = engine.options.machine.defaultBridge;
    setBridgeOptions(network);
    setBridgeAddresses(network, this.subnets());
  }

  /** Id of the one network whose record was set aside. A new id if there is none, or if it is unknown which one it is. */
  private lostId(): string {
    const lost = setAside.startingWith(NETWORK_RECORDS);
    const isOne = lost.length == 1 && isFullId(lost[0]) && this.find(lost[0]) === null;
    return isOne ? lost[0] : engine.ids.next();
  }

  /**
   * An endpoint on a network of this name whose record is lost. The
   * network keeps its settings, so that running containers stay connected.
   */
  private lostEndpoint(name: string): Endpoint | null {
    const containers = containerStore.all();
    for (let i = 0; i < containers.length; i++) {
      const all = containers[i].endpoints;
      for (let j = 0; j < all.length; j++) if (all[j].network == name && this.hasLost(all[j])) return all[j];
    }
    return null;
  }

  /** Whether the container is on a network whose record is lost. */
  private hasLost(endpoint: Endpoint): bool {
    const place = endpoint.place;
    if (place === null || !isFullId(endpoint.networkId) || this.find(endpoint.networkId) !== null) return false;
    return hasSubnet(place);
  }
}

/** Lists of containers show the ids of their networks. */
function showContainersAnew(network: Network): void {
  const containers = containerStore.all();
  for (let i = 0; i < containers.length; i++) {
    if (mayBeOn(containers[i], network)) containers[i].listed = null;
  }
}

function mayBeOn(container: Container, network: Network): bool {
  const all = container.endpoints;
  for (let i = 0; i < all.length; i++) {
    const name = all[i].network;
    if (name == network.name || network.id.startsWith(name) || all[i].networkId == network.id) return true;
  }
  return false;
}

/** A damaged record may name any gateway. */
function hasSubnet(place: Place): bool {
  const gateway: Address | null = parseAddress(place.gateway);
  return gateway !== null && !gateway.isIpv6 && place.prefixLength > 0;
}

function ipv4Of(place: Place): IpamConfig {
  return machineConfig(parseAddress(place.gateway)!, place.prefixLength);
}

/** The IPv6 addresses of the network that the container is on; null if it has none there. */
function ipv6Of(place: Place): IpamConfig | null {
  const gateway: Address | null = parseAddress(place.ipv6Gateway);
  if (gateway === null || !gateway.isIpv6 || place.ipv6PrefixLength == 0) return null;
  return machineConfig(gateway, place.ipv6PrefixLength);
}

export const networkStore: NetworkStore = new NetworkStore();
