// What containers of the simulated machine reach over IPv6. The rules are those of IPv4, except for what is said here.

import { afterAll, beforeAll, expect, test } from "vitest";
import type { SocketError } from "../../../hosts/simulated/index.js";
import { canonical, isWithin } from "../../../hosts/simulated/traffic/addresses.js";
import { TrafficWorld } from "./traffic-fixture.js";

type Json = Record<string, unknown>;

const SERVING = "mkdir /www; hostname > /www/index.html; exec httpd -f -p 80 -h /www";
const MODE = "com.docker.network.bridge.gateway_mode_ipv6";
let world: TrafficWorld;

beforeAll(async () => {
  world = await TrafficWorld.open();
  await both("shop", 1);
  await both("office", 2);
  await both("vault", 3, { Internal: true });
  await both("apart", 4, { Options: { "com.docker.network.bridge.enable_icc": "false" } });
  await both("public", 5, { Options: { [MODE]: "routed" } });
  await both("open", 6, { Options: { [MODE]: "nat-unprotected" } });
  await world.network("six", { EnableIPv4: false, EnableIPv6: true, IPAM: { Config: [{ Subnet: "fd00:7::/64" }] } });
  for (const network of ["shop", "office", "vault", "apart", "open", "six"])
    await world.start(`web-${network}`, SERVING, network, { Hostname: `host-of-${network}` });
});
afterAll(() => world.engine.close());

async function both(name: string, number: number, more: Json = {}): Promise<void> {
  const Config = [{ Subnet: `10.90.${number}.0/24` }, { Subnet: `fd00:${number}::/64` }];
  await world.network(name, { EnableIPv6: true, IPAM: { Config }, ...more });
}

const publishing = (HostIp: string, HostPort: string): Json => ({
  HostConfig: { PortBindings: { "80/tcp": [{ HostIp, HostPort }] } },
  ExposedPorts: { "80/tcp": {} },
});
const get = (address: string): string => `wget -T 3 -qO- http://${address}/`;
const outputOf = async (script: string, network: string): Promise<string> => (await world.run(script, network)).output;

test("containers of a network reach one another by address and by name", async () => {
  expect(await outputOf(`${get("[fd00:1::2]")}; ${get("[fd00:1:0::0002]")}`, "shop")).toBe("host-of-shop\n".repeat(2));
  const pinged = await outputOf("ping6 -c 1 web-shop; ping -6 -c 1 -q web-shop; ping -4 -c 1 -q web-shop", "shop");
  expect(pinged.match(/^(PING.*|64 bytes from .*: seq)/gm)).toEqual([
    "PING web-shop (fd00:1::2): 56 data bytes",
    "64 bytes from fd00:1::2: seq",
    "PING web-shop (fd00:1::2): 56 data bytes",
    "PING web-shop (10.90.1.2): 56 data bytes",
  ]);
  expect(
    await outputOf("ping -c 1 -q $(hostname); ping6 -c 1 -q $(hostname); ping6 -c 1 -q localhost", "shop"),
  ).toMatch(/\(10\.90\.1\.3\)[^]*\(fd00:1::3\)[^]*\(::1\)/);
  const server = 'nc -l -p 7000 -e cat & sleep 1; grep -c ":1B58 0*:0000 0A" /proc/net/tcp6; echo back | nc ::1 7000';
  expect(await outputOf(server, "shop")).toBe("1\nback\n");
});

test("names have only IPv6 where a network has no other, and its containers have no IPv4", async () => {
  expect(await outputOf(`${get("web-six")}; ping -c 1 -q 10.90.1.2`, "six")).toMatch(
    /^host-of-six\nPING .*\nping: sendto: Network is unreachable\n$/,
  );
  const server = "Server:\t\t127.0.0.11\nAddress:\t127.0.0.11:53\n\n";
  expect(await outputOf("nslookup -type=AAAA web-six; nslookup fd00:7::2", "six")).toBe(
    `${server}Non-authoritative answer:\nName:\tweb-six\nAddress: fd00:7::2\n\n` +
      `${server}Non-authoritative answer:\n` +
      "2.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.7.0.0.0.0.0.d.f.ip6.arpa\tname = web-six.six\n\n",
  );
});

test.each([
  ["another network", "shop", "fd00:2::2", "download timed out"],
  ["another network, from an internal one", "vault", "fd00:1::2", "Network is unreachable"],
  ["an internal network, from another", "shop", "fd00:3::2", "download timed out"],
  ["its own network without connections", "apart", "fd00:4::2", "download timed out"],
  ["a network with IPv6, from one without", "default", "fd00:1::2", "Network is unreachable"],
  ["an address that nobody has", "shop", "fd00:1::99", "No route to host"],
  ["what is outside", "shop", "2001:4860::1", "Network is unreachable"],
])("no way: to %s", async (_title, from, address, says) => {
  const wait = says === "No route to host" ? "-T 9" : "-T 3";
  const { output, code } = await world.run(`wget ${wait} -qO- http://[${address}]/`, from);
  expect([output, code]).toEqual([expect.stringContaining(says), 1]);
  expect((await world.run(`ping -c 1 -W 1 ${address}`, from)).code).toBe(1);
});

test("containers and the machine reach each other at their addresses", async () => {
  for (const network of ["shop", "vault", "apart", "six"]) {
    const number = { shop: 1, vault: 3, apart: 4, six: 7 }[network];
    expect(await outputOf(get(`[fd00:${number}::2]`), "host")).toBe(`host-of-${network}\n`);
  }
  await world.start("daemon", "exec nc -l -k -p 99 -e echo machine", "host");
  expect(await outputOf("nc fd00:1::1 99; nc 2001:db8::10 99", "shop")).toBe("machine\n".repeat(2));
  await world.send("DELETE", "/containers/daemon?force=1");
});

test("gateway modes of IPv6 let others in, and tell of senders; those of IPv4 stay as they are", async () => {
  const server = "nc -l -k -p 81 -e cat & nc -l -k -p 80 -e echo served";
  await world.start("routed", server, "public", publishing("", ""));
  expect(
    await outputOf("nc fd00:5::2 80; ping -c 1 -q fd00:5::2; nc -w 2 fd00:5::2 81; nc -w 2 10.90.5.2 80", "shop"),
  ).toMatch(/^served\n[^]* 0% packet loss\n[^]*nc: timed out\nnc: timed out\n$/);
  expect(await outputOf(`${get("[fd00:6::2]")}; ${get("10.90.6.2")}`, "shop")).toBe(
    "host-of-open\nwget: download timed out\n",
  );
  await world.send("DELETE", "/containers/routed?force=1");
});

test("a published port leads to the container's own IPv6 address, or is forwarded to its IPv4 address", async () => {
  await world.start("dual", SERVING, "shop", { Hostname: "dual", ...publishing("", "8081") });
  await world.start("four", SERVING, "default", { Hostname: "four", ...publishing("::", "8082") });
  for (const [from, address, says] of [
    ...[["host", "[::1]:8081", "dual"] as const, ["host", "[2001:db8::10]:8081", "dual"] as const],
    ...[["office", "[2001:db8::10]:8081", "dual"] as const, ["shop", "[fd00:1::1]:8081", "dual"] as const],
    ...[["host", "127.0.0.1:8081", "dual"] as const, ["host", "[::1]:8082", "four"] as const],
    ["office", "[fd00:2::1]:8082", "four"] as const,
  ])
    expect(`${from} ${address} ${await outputOf(get(address), from)}`).toBe(`${from} ${address} ${says}\n`);
  expect((await world.run(get("127.0.0.1:8082"), "host")).output).toContain("Connection refused");
  for (const name of ["dual", "four"]) await world.send("DELETE", `/containers/${name}?force=1`);
});

test("a program outside connects to a port that is published on ::1 alone", async () => {
  await world.start("inner", "exec nc -l -k -p 80 -e echo inner", "shop", publishing("::1", "8083"));
  const answer = async (): Promise<string> => {
    const { readable, writable } = await world.engine.connect(8083);
    await writable.close();
    return new Response(readable).text();
  };
  await expect.poll(() => answer().catch(({ code }: SocketError) => code)).toBe("inner\n");
  await world.send("DELETE", "/containers/inner?force=1");
});

test("an isolated network has no way to the machine, and its containers reach one another", async () => {
  await both("alone", 8, { Internal: true, Options: { [MODE]: "isolated" } });
  await world.start("first", SERVING, "alone", { Hostname: "first" });
  expect(await outputOf(`${get("[fd00:8::1]")}; nc fd00:8::2 99`, "alone")).toBe(
    "first\nnc: can't connect to remote host: Connection refused\n",
  );
  await world.send("DELETE", "/containers/first?force=1");
});

test("who is masqueraded is seen under the machine's address", async () => {
  await world.send("POST", "/images/create?fromImage=nginx&tag=latest");
  await world.start("page", "", "shop", { Image: "nginx", ...publishing("", "8084") });
  await outputOf(`${get("[2001:db8::10]:8084")}; ${get("192.0.2.10:8084")}`, "office");
  await outputOf(get("[fd00:1::3]"), "shop");
  const seen = await (await world.engine.fetch("/containers/page/logs?stdout=1")).text();
  expect(seen.match(/\S+(?= - - )/g)?.map((one) => one.replace(/^[^0-9a-f]+/, ""))).toEqual([
    ...["fd00:1::1", "10.90.1.1", "fd00:1::4"],
  ]);
  await world.send("DELETE", "/containers/page?force=1");
});

test("an address has one text, and is in the subnets that contain it", () => {
  const texts: [string, string | null][] = [
    ...[["FD00:0:0::01", "fd00::1"] as [string, string], ["0:0:0:0:0:0:0:0", "::"] as [string, string]],
    ...[
      ["1:0:0:2:0:0:0:3", "1:0:0:2::3"] as [string, string],
      ["1:0:2:0:3:0:4:0", "1:0:2:0:3:0:4:0"] as [string, string],
    ],
    ...[["10:0:0:1::", "10:0:0:1::"] as [string, string], ["::ffff:1.2.3.4", "1.2.3.4"] as [string, string]],
    ...["1::2::3", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "::g", ":::", "fe80::1%eth0", "1:2:3:4:5:6:7::8"].map(
      (text): [string, null] => [text, null],
    ),
  ];
  for (const [text, one] of texts) expect([text, canonical(text)]).toEqual([text, one]);
  expect(isWithin("fd00:1::ff", "fd00:1::/120")).toBe(true);
  expect(isWithin("fd00:1::1:0", "fd00:1::/113")).toBe(false);
  expect(isWithin("10.0.0.1", "fd00::/8")).toBe(false);
});
