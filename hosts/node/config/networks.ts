// The flags of networks. The core checks what they say.

import type { engine } from "../../shared/index.js";
import { ConfigError } from "./options.js";
import type { Value, Values } from "./options.js";

/** Throws `ConfigError` for a flag whose value would need something that does not exist yet. */
export function networksOf(values: Values): Partial<engine.NetworkOptions> {
  const lacking = LACKING.find(([flag, value]) => values.has(flag) && (value === null || values.get(flag) === value));
  if (lacking !== undefined) throw new ConfigError(`${shown(lacking)} is not implemented yet`);
  const text = (flag: string): string => (values.get(flag) as string | undefined) ?? "";
  return {
    bridgeAddress: text("bip"),
    bridgeRange: text("fixed-cidr"),
    bridgeGateway: text("default-gateway"),
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

/** Flags that do not work yet, and with which value; null: with any. */
const LACKING: readonly [flag: string, value: Value | null][] = [
  ["ipv6", true],
  ["fixed-cidr-v6", null],
  ["default-gateway-v6", null],
];

function shown([flag, value]: (typeof LACKING)[number]): string {
  return value === false ? `--${flag}=false` : `--${flag}`;
}
