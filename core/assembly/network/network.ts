// A network: its settings and its addresses. Three are built in: bridge, host and none.

import { Bridge, ParentNetwork } from "../../../build/bindings/types";
import { Call } from "../call";
import { engine } from "../state";
import { Address, parseAddress } from "./address/address";
import { AddressPool } from "./address/address-pool";
import { parseSubnet } from "./address/subnet";
import { BridgeSettings, bridgeSettingsOf, ISOLATED } from "./bridge-settings";
import { IpamConfig } from "./ipam/ipam-config";
import { isParentDriver, ParentSettings } from "./parent/parent-settings";
import { Vlan, vlanOf } from "./parent/vlan";

export class Network {
  created: i64 = 0;
  /** For a bridge; else empty. At most 15 bytes. */
  interfaceName: string = "";
  readonly ipam: IpamConfig[] = [];
  internal: bool = false;
  attachable: bool = false;
  /** It is only a configuration for other networks. */
  configOnly: bool = false;
  /** Name of the network whose configuration it has; empty for its own. */
  configFrom: string = "";
  /** It has no IPv4, whatever `ipam` has of it. */
  withoutIpv4: bool = false;
  /** It has IPv6. Without, what `ipam` has of it is only shown. */
  withIpv6: bool = false;
  /** Its `IPAM.Driver` is `null`, which only a configuration can have. */
  withoutAddresses: bool = false;
  /** A client gave the IPv4 subnet, so containers may ask for a fixed address in it. */
  subnetsGiven: bool = false;
  /** The same for IPv6. */
  ipv6SubnetsGiven: bool = false;
  readonly ipamOptionKeys: string[] = [];
  readonly ipamOptionValues: string[] = [];
  readonly optionKeys: string[] = [];
  readonly optionValues: string[] = [];
  readonly labelKeys: string[] = [];
  readonly labelValues: string[] = [];
  /** Its removal has begun, and is completed even if the engine ends meanwhile. No client finds the network any more. */
  removing: bool = false;
  /** The host has made it since the engine opened. */
  made: bool = false;
  /** It is still being made for the client that asked for it, and goes again if that fails. */
  creating: bool = false;
  /** Requests that wait until its creation or removal is over. */
  queue: Call[] = [];
  private opened: AddressPool[] | null = null;

  constructor(
    readonly id: string,
    readonly name: string,
    readonly driver: string,
  ) {}

  get isBuiltIn(): bool {
    return driverOf(this.name).length > 0;
  }

  /** Its driver is macvlan or ipvlan. */
  get isOnParent(): bool {
    return isParentDriver(this.driver);
  }

  /** Containers on it have an interface and an address there. */
  get hasPlaces(): bool {
    return this.driver == "bridge" || this.isOnParent;
  }

  /** Its containers' default route of this family may lead to it. */
  leadsOutside(ipv6: bool): bool {
    if (this.internal || (ipv6 ? this.ipv6 : this.ipv4) === null) return false;
    if (!this.isOnParent) return this.driver == "bridge";
    const settings = this.parentSettings;
    if (settings.isRouter || !settings.hasGateway) return settings.isRouter;
    // With several subnets, containers in one of them may have a gateway, and others not.
    for (let i = 0; i < this.ipam.length; i++) {
      const config = this.ipam[i];
      if (config.isIpv6 == ipv6 && config.containersGateway.length > 0) return true;
    }
    return false;
  }

  /** For macvlan and ipvlan. */
  get parentSettings(): ParentSettings {
    return new ParentSettings(this.driver, this.optionKeys, this.optionValues);
  }

  /** Its first IPv4 subnet. Only networks on a parent can have several. Null for a network without IPv4. */
  get ipv4(): IpamConfig | null {
    return this.withoutIpv4 ? null : this.firstOf(false);
  }

  /** The same for IPv6. */
  get ipv6(): IpamConfig | null {
    return this.withIpv6 ? this.firstOf(true) : null;
  }

  private firstOf(ipv6: bool): IpamConfig | null {
    for (let i = 0; i < this.ipam.length; i++) if (this.ipam[i].isIpv6 == ipv6) return this.ipam[i];
    return null;
  }

  /** Its addresses, one pool for each subnet of its families, in the order of `ipam`. Empty if it is only a configuration. */
  get pools(): AddressPool[] {
    const before = this.opened;
    if (before !== null) return before;
    const pools: AddressPool[] = [];
    if (this.configOnly) return pools;
    for (let i = 0; i < this.ipam.length; i++) {
      if (this.uses(this.ipam[i])) pools.push(this.ipam[i].pool());
    }
    this.opened = pools;
    return pools;
  }

  /** It has the family of this entry of `ipam`. What other entries say was not checked, and is only shown. */
  uses(config: IpamConfig): bool {
    return config.isIpv6 ? this.withIpv6 : !this.withoutIpv4;
  }

  /** The pools of one family. */
  poolsOf(ipv6: bool): AddressPool[] {
    const pools = this.pools;
    const found: AddressPool[] = [];
    for (let i = 0; i < pools.length; i++) if (pools[i].subnet.isIpv6 == ipv6) found.push(pools[i]);
    return found;
  }

  /** The pool in whose subnet the address is; null if there is none. */
  poolWith(address: Address): AddressPool | null {
    const pools = this.pools;
    for (let i = 0; i < pools.length; i++) if (pools[i].subnet.contains(address)) return pools[i];
    return null;
  }

  /** The machine has an address on it, if it has this family. */
  private hasMachine(ipv6: bool): bool {
    const settings = this.settings;
    if (!ipv6 && settings.inhibitsIpv4) return false;
    return (ipv6 ? settings.ipv6GatewayMode : settings.gatewayMode) != ISOLATED && !this.isOnParent;
  }

  /**
   * An address of this family is set aside as the gateway, if the network has the family. It is the machine's, or, if
   * that has none, a router's.
   */
  hasGateway(ipv6: bool): bool {
    const settings = this.settings;
    const isRouters = !ipv6 && settings.inhibitsIpv4 && settings.gatewayMode != ISOLATED && !this.isOnParent;
    return isRouters ? !this.internal : this.hasMachine(ipv6);
  }

  /** The machine's address on it; empty if it has none. */
  private machineAddress(ipv6: bool): string {
    const config = ipv6 ? this.ipv6 : this.ipv4;
    return config === null || !this.hasMachine(ipv6) ? "" : config.gateway;
  }

  /** The machine's IPv4 address on it; empty if it has none. */
  get gateway(): string {
    return this.machineAddress(false);
  }

  /** Where the default route of a container with this address leads; empty if nowhere. `address`: empty for none. */
  containersGateway(address: string): string {
    const parsed: Address | null = parseAddress(address);
    if (parsed === null) return "";
    for (let i = 0; i < this.ipam.length; i++) {
      if (parseSubnet(this.ipam[i].subnet)!.contains(parsed)) return this.gatewayIn(this.ipam[i]);
    }
    return "";
  }

  private gatewayIn(config: IpamConfig): string {
    if (this.internal) return "";
    return this.isOnParent && !this.parentSettings.hasGateway ? "" : config.containersGateway;
  }

  /** Replaces all its addresses. No container may have one of them. `ipv6`: null for a network without IPv6. */
  setAddresses(ipv4: IpamConfig, ipv6: IpamConfig | null): void {
    this.ipam.length = 0;
    this.ipam.push(ipv4);
    if (ipv6 !== null) this.ipam.push(ipv6);
    this.withIpv6 = ipv6 !== null;
    this.opened = null;
  }

  get settings(): BridgeSettings {
    return bridgeSettingsOf(this.optionKeys, this.optionValues);
  }

  asBridge(): Bridge {
    const ipv4 = this.ipv4;
    const ipv6 = this.ipv6;
    const settings = this.settings;
    return new Bridge(
      this.id,
      this.name,
      this.interfaceName,
      ipv4 === null ? "" : ipv4.subnet,
      this.machineAddress(false),
      settings.gatewayMode,
      ipv6 === null ? "" : ipv6.subnet,
      this.machineAddress(true),
      settings.ipv6GatewayMode,
      this.internal,
      settings.connectsContainers,
      settings.masquerades,
      settings.sourceAddress,
      settings.ipv6SourceAddress,
      settings.trustedInterfaces,
      engine.options.networks.forwards,
      engine.options.networks.firewall,
      engine.options.networks.proxies,
      settings.mtu,
    );
  }

  /** Without a parent of the machine, it gets one that leads nowhere. */
  asParentNetwork(): ParentNetwork {
    const settings = this.parentSettings;
    const parent = settings.parent;
    const vlan: Vlan | null = vlanOf(parent);
    return new ParentNetwork(
      this.id,
      this.name,
      this.driver,
      settings.mode,
      settings.flag,
      parent.length > 0 ? parent : settings.dummyName(this.id),
      vlan === null ? "" : vlan.link,
      vlan === null ? 0 : vlan.id,
      parent.length == 0,
    );
  }
}

/** Driver of a built-in network; empty for any other name. */
export function driverOf(name: string): string {
  if (name == "none") return "null";
  return name == "bridge" || name == "host" ? name : "";
}
