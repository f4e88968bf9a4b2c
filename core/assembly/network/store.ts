// All networks, and the addresses of their containers.

import { containerStore } from "../container/store";
import { NETWORK_RECORDS } from "../records/kinds";
import { putRecord } from "../records/put";
import { setAside } from "../records/set-aside";
import { engine } from "../state";
import { isFullId } from "../text/hex";
import { formatAddress, parseAddress, parseSubnet, Subnet } from "./addresses";
import { Endpoint } from "./endpoint";
import { DEFAULT_INTERFACE, driverOf, Network, writeNetwork } from "./network";

export class NetworkStore {
  private readonly byId: Map<string, Network> = new Map<string, Network>();
  /** `NETWORK ADDRESS` → container. */
  private readonly taken: Map<string, string> = new Map<string, string>();

  add(network: Network): void {
    this.byId.set(network.id, network);
  }

  find(id: string): Network | null {
    return this.byId.has(id) ? this.byId.get(id) : null;
  }

  named(name: string): Network | null {
    const all = this.byId.values();
    for (let i = 0; i < all.length; i++) if (all[i].name == name) return all[i];
    return null;
  }

  all(): Network[] {
    return this.byId.values();
  }

  /** Makes the records of built-in networks where they are missing. */
  ensurePredefined(): void {
    this.ensure("bridge");
    this.ensure("host");
    this.ensure("none");
  }

  /** Reserves a free address for the container; 0 when the subnet is full. */
  takeAddress(network: Network, container: string): u32 {
    const subnet = parseSubnet(network.subnet);
    if (subnet === null) return 0;
    for (let address = subnet.base + 2; address < subnet.last; address++) {
      const key = `${network.id} ${formatAddress(address)}`;
      if (this.taken.has(key)) continue;
      this.taken.set(key, container);
      return address;
    }
    return 0;
  }

  /** Reserves the address of a running container. */
  keepAddress(network: string, address: string, container: string): void {
    this.taken.set(`${network} ${address}`, container);
  }

  /** Number of addresses that containers have on the network. */
  addressesOf(network: Network): i32 {
    const keys = this.taken.keys();
    let count = 0;
    for (let i = 0; i < keys.length; i++) if (keys[i].startsWith(network.id)) count += 1;
    return count;
  }

  /** Only the address's owner can free it. */
  freeAddress(network: string, address: string, container: string): void {
    const key = `${network} ${address}`;
    if (this.taken.has(key) && this.taken.get(key) == container) this.taken.delete(key);
  }

  /** Writes all records again. */
  putAll(): void {
    const networks = this.all();
    for (let i = 0; i < networks.length; i++) putRecord(NETWORK_RECORDS + networks[i].id, writeNetwork(networks[i]));
  }

  private ensure(name: string): void {
    if (this.named(name) !== null) return;
    const driver = driverOf(name);
    const place = this.lostPlace(name);
    const network = new Network(place === null ? this.lostId() : place.networkId, name, driver);
    network.created = engine.now.wall;
    if (driver == "bridge") {
      const subnet = place === null ? freeSubnet() : subnetOf(place);
      network.subnet = subnet.text;
      network.gateway = place === null ? formatAddress(subnet.base + 1) : place.gateway;
      network.interfaceName = DEFAULT_INTERFACE;
    }
    this.add(network);
    putRecord(NETWORK_RECORDS + network.id, writeNetwork(network));
  }

  /** Id of the first network whose record was set aside; a new id if there is none. */
  private lostId(): string {
    const lost = setAside.startingWith(NETWORK_RECORDS);
    for (let i = 0; i < lost.length; i++) if (isFullId(lost[i]) && this.find(lost[i]) === null) return lost[i];
    return engine.ids.next();
  }

  /**
   * An endpoint on a network of this name whose record is lost. The
   * network keeps its settings, so that running containers stay connected.
   */
  private lostPlace(name: string): Endpoint | null {
    const containers = containerStore.all();
    for (let i = 0; i < containers.length; i++) {
      const place = containers[i].endpoint;
      if (place === null || place.networkName != name || !isFullId(place.networkId)) continue;
      if (this.find(place.networkId) === null && parseAddress(place.gateway) > 0) return place;
    }
    return null;
  }
}

function subnetOf(place: Endpoint): Subnet {
  const bits = place.prefixLength;
  return new Subnet((<u32>parseAddress(place.gateway)) & new Subnet(0, bits).mask, bits);
}

/** The first of the default pools to which the machine has no route (surface §2.24). */
function freeSubnet(): Subnet {
  for (let second: u32 = 17; second < 32; second++) {
    const pool = new Subnet((172 << 24) | (second << 16), 16);
    if (!routed(pool)) return pool;
  }
  for (let third: u32 = 0; third < 256; third += 16) {
    const pool = new Subnet((192 << 24) | (168 << 16) | (third << 8), 20);
    if (!routed(pool)) return pool;
  }
  return new Subnet((172 << 24) | (17 << 16), 16);
}

function routed(pool: Subnet): bool {
  const routes = engine.options.machine.routes;
  for (let i = 0; i < routes.length; i++) {
    const route = parseSubnet(routes[i]);
    if (route !== null && route.prefixLength > 0 && route.overlaps(pool)) return true;
  }
  return false;
}

export const networkStore: NetworkStore = new NetworkStore();
