// Networks that cannot be made: what each engine says about names, subnets, ranges, addresses and options of every kind.
import { expect, test } from "vitest";
import { COMMON_VERSION, messageOf, type Json } from "../../support/engine-client.js";
import { onEngines } from "../../support/on-engines.js";

const Subnet = "10.199.0.0/24";
const BRIDGE = "com.docker.network.bridge.";
const NETWORK = "com.docker.network.";

type Said = readonly [status: number, text: string];
/** `reference`: what it says instead; null: it is not asked, since it does not free the subnet after such a refusal. */
type Row = readonly [body: Json, status: number, text: string, reference?: Said | null];

const ROWS: readonly Row[] = [
  [{ Name: "bridge" }, 403, "operation is not permitted on predefined bridge network "],
  [{ Name: "host" }, 403, "operation is not permitted on predefined host network "],
  [{ Name: "none" }, 403, "operation is not permitted on predefined none network "],
  [
    ipam({ Subnet: "x" }),
    400,
    problem("invalid subnet x: invalid CIDR block notation"),
    [500, "Invalid subnet x : invalid CIDR address: x"],
  ],
  [
    ipam({ Subnet: "10.199.0.0" }),
    400,
    problem("invalid subnet 10.199.0.0: invalid CIDR block notation"),
    [500, "Invalid subnet 10.199.0.0 : invalid CIDR address: 10.199.0.0"],
  ],
  [
    ipam({ Subnet: "10.199.0.0/33" }),
    400,
    problem("invalid subnet 10.199.0.0/33: invalid CIDR block notation"),
    [500, "Invalid subnet 10.199.0.0/33 : invalid CIDR address: 10.199.0.0/33"],
  ],
  [
    ipam({ Subnet: "10.199.0.0/-1" }),
    400,
    problem("invalid subnet 10.199.0.0/-1: invalid CIDR block notation"),
    [500, "Invalid subnet 10.199.0.0/-1 : invalid CIDR address: 10.199.0.0/-1"],
  ],
  [ipam({ Subnet: "10.199.0.7/24" }), 400, problem("invalid subnet 10.199.0.7/24: it should be 10.199.0.0/24"), null],
  [
    ipam({ Subnet: "010.199.0.0/24" }),
    400,
    problem("invalid subnet 010.199.0.0/24: invalid CIDR block notation"),
    [500, "Invalid subnet 010.199.0.0/24 : invalid CIDR address: 010.199.0.0/24"],
  ],
  [
    ipam({ Subnet: "10.256.0.0/24" }),
    400,
    problem("invalid subnet 10.256.0.0/24: invalid CIDR block notation"),
    [500, "Invalid subnet 10.256.0.0/24 : invalid CIDR address: 10.256.0.0/24"],
  ],
  [
    ipam({ Subnet: " 10.199.0.0/24" }),
    400,
    problem("invalid subnet  10.199.0.0/24: invalid CIDR block notation"),
    [500, "Invalid subnet  10.199.0.0/24 : invalid CIDR address:  10.199.0.0/24"],
  ],
  [
    ipam({ Subnet: "10.199.0.0/255.255.255.0" }),
    400,
    problem("invalid subnet 10.199.0.0/255.255.255.0: invalid CIDR block notation"),
    [500, "Invalid subnet 10.199.0.0/255.255.255.0 : invalid CIDR address: 10.199.0.0/255.255.255.0"],
  ],
  [
    { EnableIPv6: true, IPAM: { Config: [{ Subnet: "fe80::%1/64" }] } },
    400,
    problem("invalid subnet fe80::%1/64: invalid CIDR block notation"),
    [500, "Invalid subnet fe80::%1/64 : invalid CIDR address: fe80::%1/64"],
  ],
  [
    ipam({}),
    400,
    problem("invalid subnet : invalid CIDR block notation"),
    [500, "Invalid subnet  : invalid CIDR address: "],
  ],
  [
    ipam({ Subnet, IPRange: "10.198.0.0/25" }),
    400,
    problem("invalid ip-range 10.198.0.0/25: parent subnet 10.199.0.0/24 doesn't contain ip-range"),
    [201, ""],
  ],
  [
    ipam({ Subnet, IPRange: "10.199.0.0/16" }),
    400,
    problem("invalid ip-range 10.199.0.0/16: CIDR block is bigger than its parent subnet 10.199.0.0/24"),
    [201, ""],
  ],
  [
    ipam({ Subnet, IPRange: "x" }),
    400,
    problem("invalid ip-range x: invalid CIDR block notation"),
    [
      500,
      'failed to parse pool request for address space "LocalDefault" pool "10.199.0.0/24" subpool "x": Invalid Address SubPool',
    ],
  ],
  [
    ipam({ Subnet, IPRange: "10.199.0.5" }),
    400,
    problem("invalid ip-range 10.199.0.5: invalid CIDR block notation"),
    [
      500,
      'failed to parse pool request for address space "LocalDefault" pool "10.199.0.0/24" subpool "10.199.0.5": Invalid Address SubPool',
    ],
  ],
  [
    ipam({ Subnet, IPRange: "10.199.0.5/28" }),
    400,
    problem("invalid ip-range 10.199.0.5/28: it should be 10.199.0.0/28"),
    [201, ""],
  ],
  [
    ipam({ Subnet, IPRange: "fd00::/64" }),
    400,
    problem("invalid ip-range fd00::/64: parent subnet is an IPv4 block"),
    null,
  ],
  [
    ipam({ Subnet, Gateway: "10.198.0.1" }),
    400,
    problem("invalid gateway 10.198.0.1: parent subnet 10.199.0.0/24 doesn't contain this address"),
    null,
  ],
  [
    ipam({ Subnet, Gateway: "x" }),
    400,
    problem("invalid gateway x: invalid address"),
    [500, "invalid gateway address x in Ipam configuration"],
  ],
  [
    ipam({ Subnet, Gateway: "10.199.0.1/24" }),
    400,
    problem("invalid gateway 10.199.0.1/24: invalid address"),
    [500, "invalid gateway address 10.199.0.1/24 in Ipam configuration"],
  ],
  [ipam({ Subnet, Gateway: "fd00::1" }), 400, problem("invalid gateway fd00::1: parent subnet is an IPv4 block"), null],
  [
    ipam({ Subnet, Gateway: "0.0.0.0" }),
    400,
    problem("invalid gateway 0.0.0.0: parent subnet 10.199.0.0/24 doesn't contain this address"),
    null,
  ],
  [
    ipam({ Subnet, AuxiliaryAddresses: { a: "10.198.0.5" } }),
    400,
    problem("invalid auxiliary address a: parent subnet 10.199.0.0/24 doesn't contain this address"),
    null,
  ],
  [
    ipam({ Subnet, AuxiliaryAddresses: { a: "x" } }),
    400,
    problem("invalid auxiliary address a: invalid address"),
    null,
  ],
  [
    ipam({ Subnet, AuxiliaryAddresses: { a: "" } }),
    400,
    "non parsable secondary ip address (a:) passed for network refused",
    null,
  ],
  [
    ipam({ Subnet, Gateway: "10.199.0.1", AuxiliaryAddresses: { a: "10.199.0.1" } }),
    500,
    "failed to allocate secondary ip address (a:10.199.0.1): Address already in use",
    null,
  ],
  [
    ipam({ Subnet, AuxiliaryAddresses: { a: "10.199.0.5", b: "10.199.0.5" } }),
    500,
    "failed to allocate secondary ip address (b:10.199.0.5): Address already in use",
    null,
  ],
  [
    ipam({ Subnet, AuxiliaryAddresses: { a: "10.199.0.0" } }),
    500,
    "failed to allocate secondary ip address (a:10.199.0.0): Address already in use",
    null,
  ],
  [{ IPAM: { Driver: "null" } }, 400, "ipv4 pool is empty", [500, "ipv4 pool is empty"]],
  [
    { IPAM: { Driver: "null", Config: [{ Subnet }] } },
    400,
    "null ipam driver does not handle specific address pool requests",
    [500, "null ipam driver does not handle specific address pool requests"],
  ],
  [{ IPAM: { Driver: "nope" } }, 404, 'plugin "nope" not found'],
  [{ Driver: "nope" }, 404, 'plugin "nope" not found'],
  [
    { Driver: "overlay" },
    403,
    'This node is not a swarm manager. Use "docker swarm init" or "docker swarm join" to connect this node to swarm and try again.',
    [
      500,
      'This node is not a swarm manager. Use "docker swarm init" or "docker swarm join" to connect this node to swarm and try again.',
    ],
  ],
  [
    { Options: { [BRIDGE + "enable_icc"]: "maybe" } },
    400,
    'failed to parse com.docker.network.bridge.enable_icc value: maybe (strconv.ParseBool: parsing "maybe": invalid syntax)',
    [
      500,
      'failed to parse com.docker.network.bridge.enable_icc value: maybe (strconv.ParseBool: parsing "maybe": invalid syntax)',
    ],
  ],
  [
    { Options: { [BRIDGE + "enable_ip_masquerade"]: "2" } },
    400,
    'failed to parse com.docker.network.bridge.enable_ip_masquerade value: 2 (strconv.ParseBool: parsing "2": invalid syntax)',
    [
      500,
      'failed to parse com.docker.network.bridge.enable_ip_masquerade value: 2 (strconv.ParseBool: parsing "2": invalid syntax)',
    ],
  ],
  [
    { Options: { "com.docker.network.driver.mtu": "x" } },
    400,
    'failed to parse com.docker.network.driver.mtu value: x (strconv.Atoi: parsing "x": invalid syntax)',
    [500, 'failed to parse com.docker.network.driver.mtu value: x (strconv.Atoi: parsing "x": invalid syntax)'],
  ],
  [
    { Options: { "com.docker.network.driver.mtu": "-5" } },
    400,
    "invalid MTU number: -5",
    [500, "invalid MTU number: -5"],
  ],
  [
    { Options: { [BRIDGE + "name"]: "averyveryverylongname" } },
    400,
    'invalid bridge name: "averyveryverylongname"',
    [500, "failed to check bridge interface existence: numerical result out of range"],
  ],
  [{ Options: { [BRIDGE + "name"]: "a/b" } }, 400, 'invalid bridge name: "a/b"', [500, "invalid argument"]],
  [{ Options: { [BRIDGE + "name"]: "." } }, 400, 'invalid bridge name: "."', [500, "invalid argument"]],
  [
    { Options: { [BRIDGE + "inhibit_ipv4"]: "x" } },
    400,
    'failed to parse com.docker.network.bridge.inhibit_ipv4 value: x (strconv.ParseBool: parsing "x": invalid syntax)',
    [
      500,
      'failed to parse com.docker.network.bridge.inhibit_ipv4 value: x (strconv.ParseBool: parsing "x": invalid syntax)',
    ],
  ],
  [
    { Options: { [BRIDGE + "default_bridge"]: "x" } },
    400,
    'failed to parse com.docker.network.bridge.default_bridge value: x (strconv.ParseBool: parsing "x": invalid syntax)',
    [
      500,
      'failed to parse com.docker.network.bridge.default_bridge value: x (strconv.ParseBool: parsing "x": invalid syntax)',
    ],
  ],
  [
    { Options: { [NETWORK + "enable_ipv4"]: "x" } },
    400,
    'driver-opt "com.docker.network.enable_ipv4" is not a valid bool',
    [201, ""],
  ],
  [
    { Options: { [NETWORK + "enable_ipv6"]: "" } },
    400,
    'driver-opt "com.docker.network.enable_ipv6" is not a valid bool',
    [500, 'failed to parse com.docker.network.enable_ipv6 value:  (strconv.ParseBool: parsing "": invalid syntax)'],
  ],
  [{ Options: { [NETWORK + "enable_ipv4"]: "false" } }, 400, "IPv4 or IPv6 must be enabled", [201, ""]],
  [
    { Options: { [NETWORK + "host_ipv4"]: "x" } },
    400,
    "failed to parse com.docker.network.host_ipv4 value: x (nil ip)",
    [500, "failed to parse com.docker.network.host_ipv4 value: x (nil ip)"],
  ],
  // The reference hands it to iptables, which fails, and leaves the bridge.
  [
    { Options: { [NETWORK + "host_ipv4"]: "fd00::1" } },
    400,
    "failed to parse com.docker.network.host_ipv4 value: fd00::1 (nil ip)",
    null,
  ],
  [
    { Options: { [NETWORK + "host_ipv6"]: "192.0.2.1" } },
    400,
    "failed to parse com.docker.network.host_ipv6 value: 192.0.2.1 (nil ip)",
    [201, ""],
  ],
  [
    { Options: { [BRIDGE + "trusted_host_interfaces"]: "eth0:eth+" } },
    400,
    'failed to parse com.docker.network.bridge.trusted_host_interfaces value: eth0:eth+ (invalid interface name "eth+")',
    [201, ""],
  ],
  // The kernel has none so large.
  [{ Options: { "com.docker.network.driver.mtu": "100000" } }, 400, "invalid MTU number: 100000", [201, ""]],
  [{ Options: { [BRIDGE + "host_binding_ipv4"]: "::1" } }, 201, ""],
  [
    { Options: { [BRIDGE + "host_binding_ipv4"]: "x" } },
    400,
    "failed to parse com.docker.network.bridge.host_binding_ipv4 value: x (nil ip)",
    [500, "failed to parse com.docker.network.bridge.host_binding_ipv4 value: x (nil ip)"],
  ],
];

onEngines("networks that cannot be made", (engine) => {
  test("are refused with the status and the text of the newest engine, or made by an older one", async () => {
    for (const [body, status, text, reference] of ROWS) {
      if (reference === null && engine().kind === "reference") continue;
      const wanted = reference
        ? engine().expected<Said>("network-bad-input", [status, text], reference)
        : [status, text];
      const asked = { Name: "refused", ...body };
      const answer = await engine().call("POST", "/networks/create", asked, { version: COMMON_VERSION });
      const said = [answer.status, answer.status < 300 ? "" : messageOf(answer)];
      expect(said, JSON.stringify(body)).toEqual(wanted);
      if (answer.status === 201) await engine().must(204, "DELETE", "/networks/refused");
    }
  });

  test("leave nothing", async () => {
    const networks = await engine().read<{ Name: string }[]>("/networks", { version: COMMON_VERSION });
    expect(networks.map(({ Name }) => Name)).not.toContain("refused");
  });
});

function ipam(...Config: Json[]): Json {
  return { IPAM: { Config } };
}

/** The newest engine tells all problems with addresses together. */
function problem(text: string): string {
  return `invalid network config:\n${text}`;
}
