// One entry of a network's `IPAM.Config`: a subnet, and what is set aside in it.

import { Fields } from "../../records/fields";
import { Address, parseAddress } from "../address/address";
import { AddressPool } from "../address/address-pool";
import { parseSubnet, Subnet } from "../address/subnet";

/** Docker's names for an address that is the containers' gateway instead of the machine's own. */
export const OTHER_GATEWAY: string = "DefaultGatewayIPv4";
export const OTHER_IPV6_GATEWAY: string = "DefaultGatewayIPv6";

export class IpamConfig {
  /** The part of the subnet from which the engine chooses addresses; empty for all of it. */
  range: string = "";
  /** The machine's address on the network. Empty in a configuration that other networks only copy. */
  gateway: string = "";
  /** The gateway is the engine's choice in a subnet that the client gave. Clients are not shown such a gateway. */
  gatewayHidden: bool = false;
  /** Names and addresses that no container gets. */
  auxiliaryKeys: string[] = [];
  auxiliaryValues: string[] = [];

  /** `subnet`: as in `172.17.0.0/16` or `fd00::/64`. */
  constructor(readonly subnet: string) {}

  /** Where containers' default route leads. */
  get containersGateway(): string {
    const other = this.auxiliaryKeys.indexOf(this.isIpv6 ? OTHER_IPV6_GATEWAY : OTHER_GATEWAY);
    return other < 0 ? this.gateway : this.auxiliaryValues[other];
  }

  get isIpv6(): bool {
    return this.subnet.includes(":");
  }

  /** False for one from a damaged record. */
  get isValid(): bool {
    const subnet = parseSubnet(this.subnet);
    return subnet !== null && subnet.isIpv6 == this.isIpv6;
  }

  /** Whether a network can have these addresses, among them one of the machine. */
  get isUsable(): bool {
    return this.gateway.length > 0 && this.isUsableWithoutGateway;
  }

  /** Whether a network can have these addresses on which the machine need not have one. */
  get isUsableWithoutGateway(): bool {
    const subnet = parseSubnet(this.subnet)!;
    const gateway: Address | null = parseAddress(this.gateway);
    if (this.gateway.length > 0 && (gateway === null || !subnet.contains(gateway))) return false;
    const range = parseSubnet(this.range);
    return this.range.length == 0 || (range !== null && subnet.contains(range.base));
  }

  /** Its addresses, with none given to a container yet. */
  pool(): AddressPool {
    const subnet = parseSubnet(this.subnet)!;
    const range: Subnet | null = this.range.length > 0 ? parseSubnet(this.range) : null;
    const pool = new AddressPool(subnet, range === null ? subnet : range);
    reserve(pool, this.gateway);
    for (let i = 0; i < this.auxiliaryValues.length; i++) reserve(pool, this.auxiliaryValues[i]);
    return pool;
  }
}

function reserve(pool: AddressPool, text: string): void {
  const address: Address | null = parseAddress(text);
  if (address !== null) pool.reserve(address);
}

export function ipamConfigFields(fields: Fields, given: IpamConfig | null): IpamConfig {
  const subnet = fields.text("subnet", given === null ? "" : given.subnet);
  const config = given === null ? new IpamConfig(subnet) : given;
  config.range = fields.optionalText("range", config.range);
  config.gateway = fields.optionalText("gateway", config.gateway);
  config.gatewayHidden = fields.optionalBool("gatewayHidden", config.gatewayHidden);
  fields.optionalTextMap("auxiliary", config.auxiliaryKeys, config.auxiliaryValues);
  return config;
}
