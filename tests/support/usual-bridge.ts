// A bridge network as the core describes it to a host, with the usual settings.

import type { networks } from "../../hosts/shared/host.js";

export const NETWORK = "ab".repeat(32);
export const bridge: networks.Bridge = {
  network: NETWORK,
  name: "bridge",
  interfaceName: "docker0",
  subnet: "172.17.0.0/16",
  gateway: "172.17.0.1",
  ipv6Subnet: "",
  ipv6Gateway: "",
  gatewayMode: "nat",
  ipv6GatewayMode: "nat",
  internal: false,
  connectsContainers: true,
  masquerades: true,
  sourceAddress: "",
  ipv6SourceAddress: "",
  trustedInterfaces: [],
  forwards: true,
  firewall: true,
  proxies: true,
  mtu: 0,
};
