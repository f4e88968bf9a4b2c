// The daemon's flags for the default bridge and for address pools.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { run } from "../support/commands.js";
import { CORACLE } from "../support/engines.js";
import { onEngines } from "../support/on-engines.js";

interface Network {
  EnableIPv6: boolean;
  IPAM: { Config: object[] };
  Options: Record<string, string>;
}

interface Inspected {
  NetworkSettings: {
    Networks: Record<string, { IPAddress: string; IPPrefixLen: number; Gateway: string }>;
    Ports: object;
    GlobalIPv6Address: string;
    GlobalIPv6PrefixLen: number;
    IPv6Gateway: string;
  };
}

const FLAGS = [
  ...["--bip", "10.91.0.5/24", "--fixed-cidr", "10.91.0.128/25", "--default-gateway", "10.91.0.254"],
  ...["--ipv6", "--fixed-cidr-v6", "fd00:91::/96", "--default-gateway-v6", "fd00:91::fe"],
  ...["--mtu", "1400", "--icc=false", "--ip-masq=false", "--ip", "127.0.0.1"],
  ...["--default-address-pool", "base=10.92.0.0/23,size=24", "--default-address-pool=base=10.94.0.0/16,size=26"],
];

onEngines(
  "bridge flags",
  (engine) => {
    test("the default bridge shows them", async () => {
      const { EnableIPv6, IPAM, Options } = await engine().read<Network>("/networks/bridge", { version: "1.41" });
      expect(EnableIPv6).toBe(true);
      expect(IPAM.Config).toMatchObject([
        {
          Subnet: "10.91.0.0/24",
          IPRange: "10.91.0.128/25",
          Gateway: "10.91.0.5",
          AuxiliaryAddresses: { DefaultGatewayIPv4: "10.91.0.254" },
        },
        { Subnet: "fd00:91::/96", AuxiliaryAddresses: { DefaultGatewayIPv6: "fd00:91::fe" } },
      ]);
      expect(Options).toEqual({
        "com.docker.network.bridge.default_bridge": "true",
        "com.docker.network.bridge.enable_icc": "false",
        "com.docker.network.bridge.enable_ip_masquerade": "false",
        "com.docker.network.bridge.host_binding_ipv4": "127.0.0.1",
        "com.docker.network.bridge.name": expect.stringMatching(/^(docker|coracle)/),
        "com.docker.network.driver.mtu": "1400",
      });
    });

    test("its containers get their addresses, gateway and ports by them", async () => {
      const HostConfig = { PortBindings: { "80/tcp": [{ HostPort: "18540" }] } };
      const id = await engine().running({ HostConfig, ExposedPorts: { "80/tcp": {} } });
      const { NetworkSettings } = await engine().inspect<Inspected>(id);
      const { IPAddress, IPPrefixLen, Gateway } = NetworkSettings.Networks["bridge"]!;
      expect([IPAddress, IPPrefixLen, Gateway]).toEqual(["10.91.0.128", 24, "10.91.0.254"]);
      const { GlobalIPv6Address, GlobalIPv6PrefixLen, IPv6Gateway } = NetworkSettings;
      expect([GlobalIPv6Address, GlobalIPv6PrefixLen, IPv6Gateway]).toEqual(["fd00:91::2", 96, "fd00:91::fe"]);
      expect(NetworkSettings.Ports).toEqual({ "80/tcp": [{ HostIp: "127.0.0.1", HostPort: "18540" }] });
      await engine().remove(id);
    });

    test("a network of one's own can have another gateway, too", async () => {
      const AuxiliaryAddresses = { DefaultGatewayIPv4: "10.96.0.9" };
      const IPAM = { Config: [{ Subnet: "10.96.0.0/24", AuxiliaryAddresses }] };
      await engine().must(201, "POST", "/networks/create", { Name: "led", IPAM });
      const id = await engine().running({ HostConfig: { NetworkMode: "led" } });
      const { NetworkSettings } = await engine().inspect<Inspected>(id);
      expect(NetworkSettings.Networks["led"]!.Gateway).toBe("10.96.0.9");
      await engine().remove(id);
      await engine().must(204, "DELETE", "/networks/led");
    });

    test("other networks get subnets of the pools, one pool after the other", async () => {
      const subnets: object[] = [];
      const names = ["one", "two", "three"];
      for (const Name of names) {
        await engine().must(201, "POST", "/networks/create", { Name });
        const { IPAM, Options } = await engine().read<Network>(`/networks/${Name}`);
        subnets.push(IPAM.Config[0]!);
        expect(Options).toEqual({});
      }
      for (const name of names) await engine().must(204, "DELETE", `/networks/${name}`);
      expect(subnets).toMatchObject(["10.92.0.0/24", "10.92.1.0/24", "10.94.0.0/26"].map((Subnet) => ({ Subnet })));
    });
  },
  { flags: FLAGS },
);

test.each([
  [["--bip", "10.9.0.5"], "default bridge: invalid CIDR address: 10.9.0.5"],
  [["--bip", "10.9.0.0/24"], "default bridge: 10.9.0.0/24 is not the address of a machine"],
  [["--bip", "fd00::1/64"], "default bridge: fd00::1/64 is not IPv4"],
  [["--ipv6", "--bip6", "10.9.0.5/24"], "default bridge: 10.9.0.5/24 is not IPv6"],
  [["--ipv6", "--bip6", "fd00::/64"], "default bridge: fd00::/64 is not the address of a machine"],
  [["--ipv6", "--fixed-cidr-v6", "fd00::/127"], "default bridge: the range fd00::/127 has too few addresses"],
  [["--fixed-cidr-v6", "ff02::/64"], "default bridge: multicast subnet 'ff02::/64' is not allowed"],
  [["--fixed-cidr-v6", "fe80::/80"], "default bridge: 'fe80::/80' clashes with the Link-Local prefix 'fe80::/64'"],
  [
    ["--ipv6", "--bip6", "fd00:9::1/64", "--default-gateway-v6", "fd00:8::1"],
    "default bridge: the gateway fd00:8::1 is not in the subnet fd00:9::/64",
  ],
  [
    ["--bip", "10.9.0.5/24", "--fixed-cidr", "10.8.0.0/24"],
    "default bridge: the range 10.8.0.0/24 is not in the subnet 10.9.0.0/24",
  ],
  [["--fixed-cidr", "x"], "default bridge: invalid CIDR address: x"],
  [
    ["--bip", "10.9.0.5/24", "--default-gateway", "10.8.0.1"],
    "default bridge: the gateway 10.8.0.1 is not in the subnet 10.9.0.0/24",
  ],
  [["--default-gateway", "10.8.0.1"], "default bridge: a gateway needs an address of the bridge, too: 10.8.0.1"],
  [["--default-gateway", "x"], "default bridge: invalid gateway address: x"],
  [["--mtu", "-5"], "invalid MTU number: -5"],
  [["--mtu", "many"], "invalid MTU number: many"],
  [["--ip", "300.1.1.1"], '"300.1.1.1" is not an IP address'],
  [
    ["--default-address-pool", "10.0.0.0/8"],
    'invalid address pool "10.0.0.0/8": it must be like base=10.10.0.0/16,size=24',
  ],
  [
    ["--default-address-pool", "base=10.50.0.0/16,size=8"],
    'invalid address pool "base=10.50.0.0/16,size=8": its size must be from 16 to 32',
  ],
  [
    ["--default-address-pool", "base=fd00::/48,size=40"],
    'invalid address pool "base=fd00::/48,size=40": its size must be from 48 to 128',
  ],
])("%j is refused at the start", async (flags, why) => {
  const directory = await mkdtemp(join(tmpdir(), "coracle-flags-"));
  const daemon = [...CORACLE, "daemon", "--simulated", "-H", `unix://${join(directory, "x.sock")}`];
  const { code, stderr } = await run([...daemon, ...flags]);
  await rm(directory, { recursive: true });
  expect([code, stderr]).toEqual([1, `coracle: ${why}\n`]);
});
