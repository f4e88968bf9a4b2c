// The flags of networks. The core checks what they say.

import type { engine } from "../../shared/index.js";
import type { Values } from "./options.js";

export function networksOf(values: Values): Partial<engine.NetworkOptions> {
  const text = (flag: string): string => (values.get(flag) as string | undefined) ?? "";
  return {
    bridgeAddress: text("bip"),
    bridgeRange: text("fixed-cidr"),
    bridgeGateway: text("default-gateway"),
    bridgeIpv6: values.get("ipv6") === true,
    bridgeIpv6Address: text("bip6"),
    bridgeIpv6Range: text("fixed-cidr-v6"),
    bridgeIpv6Gateway: text("default-gateway-v6"),
    bridgeMtu: text("mtu"),
    bridgeBinding: text("ip"),
    bridgeConnects: values.get("icc") !== false,
    bridgeMasquerades: values.get("ip-masq") !== false,
    forwards: values.get("ip-forward") !== false,
    firewall: values.get("iptables") !== false,
    proxies: values.get("userland-proxy") !== false,
    addressPools: (values.get("default-address-pool") as string[] | undefined) ?? [],
  };
}
