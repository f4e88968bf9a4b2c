// What is wrong with the options of networks.

import { NetworkOptions } from "../../../build/bindings/types";
import { decimalOf } from "../text/decimal";
import { quoteText } from "../text/go-quote";
import { Address, parseAddress } from "./address/address";
import { ipv6SubnetProblem, parsePrefix, Prefix, Subnet } from "./address/subnet";
import { LARGEST_MTU } from "./bridge-settings";
import { bridgeWish, BridgeWish } from "./default-bridge";
import { poolsProblem } from "./ipam/default-pools";

/** Why the engine cannot open with these settings; empty if it can. */
export function networkOptionsProblem(given: NetworkOptions): string {
  const ipv4 = wishProblem(bridgeWish(given, false));
  if (ipv4.length > 0) return `default bridge: ${ipv4}`;
  // Without IPv6 only the range is looked at, as in Docker.
  const ipv6 = given.bridgeIpv6 ? wishProblem(bridgeWish(given, true)) : blockProblem(given.bridgeIpv6Range, true);
  if (ipv6.length > 0) return `default bridge: ${ipv6}`;
  const mtu = given.bridgeMtu;
  if (mtu.length > 0 && decimalOf(mtu, LARGEST_MTU) < 0) return `invalid MTU number: ${mtu}`;
  const binding = given.bridgeBinding;
  if (binding.length > 0 && parseAddress(binding) === null) return `${quoteText(binding)} is not an IP address`;
  return poolsProblem(given.addressPools);
}

function wishProblem(wish: BridgeWish): string {
  const address = blockProblem(wish.address, wish.ipv6);
  if (address.length > 0) return address;
  const bridge = parsePrefix(wish.address);
  if (bridge !== null && !isOfMachine(bridge)) return `${wish.address} is not the address of a machine`;
  const block = blockProblem(wish.range, wish.ipv6);
  if (block.length > 0) return block;
  const prefix = parsePrefix(wish.range);
  const range: Subnet | null = prefix === null ? null : prefix.subnet;
  if (bridge === null && range !== null && range.hostBits < 2) return `the range ${range.text} has too few addresses`;
  if (
    bridge !== null &&
    range !== null &&
    !(bridge.subnet.contains(range.base) && bridge.subnet.contains(range.last))
  ) {
    return `the range ${range.text} is not in the subnet ${bridge.subnet.text}`;
  }
  return gatewayProblem(wish.gateway, bridge === null ? range : bridge.subnet);
}

/** What is wrong with an address and the length of its prefix; empty if nothing is, and for an empty text. */
function blockProblem(text: string, ipv6: bool): string {
  if (text.length == 0) return "";
  const prefix = parsePrefix(text);
  if (prefix === null) return `invalid CIDR address: ${text}`;
  if (prefix.subnet.isIpv6 != ipv6) return ipv6 ? `${text} is not IPv6` : `${text} is not IPv4`;
  return ipv6SubnetProblem(prefix);
}

/** The first address of a subnet is nobody's, nor is the last one of IPv4. */
function isOfMachine(prefix: Prefix): bool {
  return !prefix.isMasked && (prefix.subnet.isIpv6 || !prefix.address.equals(prefix.subnet.last));
}

/** `subnet`: null if the options do not tell it. */
function gatewayProblem(text: string, subnet: Subnet | null): string {
  if (text.length == 0) return "";
  const gateway: Address | null = parseAddress(text);
  if (gateway === null) return `invalid gateway address: ${text}`;
  if (subnet === null) return `a gateway needs an address of the bridge, too: ${text}`;
  return subnet.contains(gateway) ? "" : `the gateway ${text} is not in the subnet ${subnet.text}`;
}
