// A network: its settings, its addresses, and its record. Three are built in: bridge, host and none.

import { Bridge, ParentNetwork } from "../../../build/bindings/types";
import { Call } from "../call";
import { FieldReader } from "../records/field-reader";
import { FieldWriter } from "../records/field-writer";
import { Fields, optionalListOf } from "../records/fields";
import { engine } from "../state";
import { Address, parseAddress } from "./address/address";
import { AddressPool } from "./address/address-pool";
import { parseSubnet } from "./address/subnet";
import { BridgeSettings, bridgeSettingsOf } from "./bridge-settings";
import { IpamConfig, ipamConfigFields } from "./ipam/ipam-config";
import { isParentDriver, ParentSettings } from "./parent/parent-settings";
import { Vlan, vlanOf } from "./parent/vlan";

/** Initial buffer size for a record. */
const RECORD_BYTES: i32 = 512;

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
  /** A client gave the subnet, so containers may ask for a fixed address in it. */
  subnetsGiven: bool = false;
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
  private opened: AddressPool | null = null;

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

  /** Its containers' default route may lead to it. */
  get leadsOutside(): bool {
    if (this.internal || !this.isOnParent) return this.driver == "bridge" && !this.internal;
    const settings = this.parentSettings;
    return settings.isRouter || this.containersGateway.length > 0;
  }

  /** For macvlan and ipvlan. */
  get parentSettings(): ParentSettings {
    return new ParentSettings(this.driver, this.optionKeys, this.optionValues);
  }

  /** The configuration whose addresses containers get; null for a network without addresses. */
  get ipv4(): IpamConfig | null {
    for (let i = 0; i < this.ipam.length; i++) if (!this.ipam[i].isIpv6) return this.ipam[i];
    return null;
  }

  /** Its IPv4 addresses; null if it has none, or is only a configuration. */
  get pool(): AddressPool | null {
    if (this.opened === null && !this.configOnly) {
      const config = this.ipv4;
      if (config !== null) this.opened = config.pool();
    }
    return this.opened;
  }

  /** The machine's address on it; empty if it has none. */
  get gateway(): string {
    const config = this.ipv4;
    return config === null ? "" : config.gateway;
  }

  /** Where its containers' default route leads; empty if nowhere. */
  get containersGateway(): string {
    const config = this.ipv4;
    if (config === null || this.internal) return "";
    return this.isOnParent && !this.parentSettings.hasGateway ? "" : config.containersGateway;
  }

  /** Replaces its IPv4 addresses. No container may have one of them. */
  setIpv4(config: IpamConfig): void {
    this.ipam.length = 0;
    this.ipam.push(config);
    this.opened = config.pool();
  }

  get settings(): BridgeSettings {
    return bridgeSettingsOf(this.optionKeys, this.optionValues);
  }

  asBridge(): Bridge {
    const config = this.ipv4!;
    const settings = this.settings;
    return new Bridge(
      this.id,
      this.name,
      this.interfaceName,
      config.subnet,
      config.gateway,
      this.internal,
      settings.connectsContainers,
      settings.masquerades,
      engine.options.networks.forwards,
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

function networkFields(fields: Fields, given: Network | null): Network {
  const id = fields.text("id", given === null ? "" : given.id);
  const name = fields.text("name", given === null ? "" : given.name);
  const driver = fields.text("driver", given === null ? "" : given.driver);
  const network = given === null ? new Network(id, name, driver) : given;
  network.created = fields.number("created", network.created);
  network.interfaceName = fields.text("interfaceName", network.interfaceName);
  optionalListOf<IpamConfig>(fields, "ipam", network.ipam, ipamConfigFields);
  network.internal = fields.optionalBool("internal", network.internal);
  network.subnetsGiven = fields.optionalBool("subnetsGiven", network.subnetsGiven);
  network.attachable = fields.optionalBool("attachable", network.attachable);
  network.configOnly = fields.optionalBool("configOnly", network.configOnly);
  network.configFrom = fields.optionalText("configFrom", network.configFrom);
  network.creating = fields.optionalBool("creating", network.creating);
  network.removing = fields.optionalBool("removing", network.removing);
  fields.optionalTextMap("ipamOptions", network.ipamOptionKeys, network.ipamOptionValues);
  fields.optionalTextMap("options", network.optionKeys, network.optionValues);
  fields.optionalTextMap("labels", network.labelKeys, network.labelValues);
  return network;
}

export function writeNetwork(network: Network): Uint8Array {
  const fields = new FieldWriter(RECORD_BYTES);
  networkFields(fields, network);
  return fields.take();
}

/** Reads the network `id`; sets a problem if the record is invalid. */
export function readNetwork(fields: FieldReader, id: string): Network {
  const network = networkFields(fields, null);
  fields.refuse(problemOf(network, id));
  return network;
}

/** What is inconsistent in the record; empty if nothing is. */
function problemOf(network: Network, id: string): string {
  if (network.id != id) return "it is another network's";
  const driver = driverOf(network.name);
  if (driver.length > 0 && driver != network.driver) return "its driver is another one's";
  for (let i = 0; i < network.ipam.length; i++) {
    if (!network.ipam[i].isValid) return "one of its subnets is invalid";
  }
  if (network.driver == "bridge" && !isBridge(network)) return "its subnet, gateway or interface is invalid";
  return "";
}

/** Driver of a built-in network; empty for any other name. */
export function driverOf(name: string): string {
  if (name == "none") return "null";
  return name == "bridge" || name == "host" ? name : "";
}

function isBridge(network: Network): bool {
  const config = network.ipv4;
  if (config === null || network.interfaceName.length == 0) return false;
  const gateway: Address | null = parseAddress(config.gateway);
  return gateway !== null && parseSubnet(config.subnet)!.contains(gateway);
}
