// Datagrams in the simulated world: between containers, through published ports, from outside, and over broken cables.

import { afterAll, beforeAll, expect, test } from "vitest";
import type { Process } from "../../../hosts/simulated/index.js";
import { DatagramSocket } from "../../../hosts/simulated/traffic/datagram-socket.js";
import { NetworkNamespace } from "../../../hosts/simulated/traffic/namespace.js";
import { TrafficWorld } from "./traffic-fixture.js";

type Json = Record<string, unknown>;

/** Answers everybody, each sender apart from others. */
const ECHOING = "exec nc -u -lk -p 7 -e cat";
const MODE = "com.docker.network.bridge.gateway_mode_ipv6";
let world: TrafficWorld;

beforeAll(async () => {
  world = await TrafficWorld.open({ programs: { teller: tellSenders, twice: receiveTwice } });
  await both("shop", 1);
  await both("office", 2);
  await both("open", 3, { Options: { [MODE]: "nat-unprotected" } });
  await both("routed", 4, { Options: { [MODE]: "routed" } });
  await world.network("apart", { Options: { "com.docker.network.bridge.enable_icc": "false" } });
  for (const network of ["shop", "office", "open"]) await world.start(`echo-${network}`, ECHOING, network);
  await world.start("published", ECHOING, "shop", publishing("7/udp", "", "7007"));
  await world.start("own", `nc -u -lk -p 8 -e cat & ${ECHOING}`, "routed", publishing("7/udp", "", "7107"));
  await world.start("teller", "exec teller", "shop", publishing("9/udp", "", "7009"));
});
afterAll(() => world.engine.close());

async function both(name: string, number: number, more: Json = {}): Promise<void> {
  const Config = [{ Subnet: `10.70.${number}.0/24` }, { Subnet: `fd00:7${number}::/64` }];
  await world.network(name, { EnableIPv6: true, IPAM: { Config }, ...more });
}

function publishing(port: string, HostIp: string, HostPort: string): Json {
  return { HostConfig: { PortBindings: { [port]: [{ HostIp, HostPort }] } }, ExposedPorts: { [port]: {} } };
}

/** Tells each sender as whom it sees it. */
async function tellSenders({ network }: Process): Promise<number> {
  const socket = network.datagrams(9);
  for (;;) {
    const { from } = await socket.receive();
    await socket.send(from, new TextEncoder().encode(`${from.address} ${from.port}\n`));
  }
}

/** Two reads wait for the datagrams of one socket. */
async function receiveTwice(process: Process): Promise<number> {
  const { network, stdout } = process;
  const [socket, sender] = [network.datagrams(9), network.datagrams()];
  const both = Promise.all([socket.receive(), socket.receive()]);
  for (const text of ["one", "two"]) {
    await sender.send({ address: "127.0.0.1", port: 9 }, new TextEncoder().encode(text));
    await process.sleep(1_000_000_000n);
  }
  const texts = (await both).map(({ bytes }) => new TextDecoder().decode(bytes));
  await stdout.write(`${texts.sort().join(" ")}\n`);
  return 0;
}

/** Says one line, and shows what comes back within a second. */
const say = (address: string, port = 7, more = ""): string => `echo said | nc -u -w 1 ${more} ${address} ${port}`;
const outputOf = async (script: string, network: string): Promise<string> => (await world.run(script, network)).output;

test("containers of a network answer each other, by address, by name and over both families", async () => {
  for (const address of ["echo-shop", "10.70.1.2", "fd00:71::2"])
    expect(await outputOf(say(address), "shop")).toBe("said\n");
  expect(
    await outputOf("(nc -u -l -p 5 > got & sleep 1; echo in | nc -u -w 1 localhost 5; kill %1; cat got)", "none"),
  ).toBe("in\n");
});

test("each sender has its own answers, and each write is a datagram", async () => {
  const script = `for i in 1 2 3; do (echo $i; sleep 1; echo $i) | nc -u -w 2 echo-shop 7 & done; wait`;
  expect((await outputOf(script, "shop")).split("\n").sort().join("")).toBe("112233");
  expect(await outputOf("seq 5000 | nc -u -w 1 echo-shop 7 | tail -n 1", "shop")).toBe("5000\n");
});

test("of two reads that wait, each gets a datagram", async () => {
  expect(await outputOf("exec twice", "none")).toBe("one two\n");
});

test("where nobody listens a sender ends at once, where no way leads it hears nothing", async () => {
  const timed = (script: string): string => `s=$(date +%s); ${script}; c=$?; e=$(date +%s); echo $c $((e - s))`;
  expect(await outputOf(timed("echo x | nc -u -w 9 echo-shop 99"), "shop")).toBe("0 0\n");
  expect(await outputOf(timed("echo x | nc -u -w 9 10.70.1.99 7"), "shop")).toBe("0 3\n");
  expect(await outputOf(timed("echo x | nc -u 198.51.100.7 7"), "shop")).toBe(
    "nc: can't connect to remote host (198.51.100.7): Network is unreachable\n1 0\n",
  );
  for (const address of ["10.70.1.2", "fd00:71::2"])
    expect(await outputOf(timed(say(address)), "office")).toBe("0 1\n");
  expect(await outputOf(timed("nc -u -z echo-shop 99; echo $?; nc -u -z echo-shop 7"), "shop")).toBe("1\n0 2\n");
  expect(await outputOf("nc -u -l -p 5 -w 1; nc -u -l -p 5 & sleep 1; nc -u -l -p 5", "shop")).toBe(
    "nc: timed out\nnc: bind: Address already in use\n",
  );
});

test("a network without connections carries none, and gateway modes let them in as connections", async () => {
  await world.start("loner", ECHOING, "apart");
  expect(await outputOf(say(await world.addressOf("loner", "apart")), "apart")).toBe("");
  expect(await outputOf(`${say("fd00:73::2")}; ${say("10.70.3.2")}`, "shop")).toBe("said\n");
  expect(await outputOf(`${say("fd00:74::2")}; ${say("fd00:74::2", 8)}`, "shop")).toBe("said\n");
  await world.send("DELETE", "/containers/loner?force=1");
});

test("a published port is reached from everywhere, and answers from the address that was asked", async () => {
  for (const [from, address] of [
    ...[["office", "192.0.2.10"] as const, ["office", "10.70.2.1"] as const, ["office", "2001:db8::10"] as const],
    ...[["shop", "10.70.1.1"] as const, ["host", "127.0.0.1"] as const, ["host", "::1"] as const],
    ["host", "192.0.2.10"] as const,
  ])
    expect(`${from} ${address} ${await outputOf(say(address, 7007), from)}`).toBe(`${from} ${address} said\n`);
  // The same number of TCP is another port.
  expect(await outputOf("nc 192.0.2.10 7007", "office")).toContain("Connection refused");
});

test("senders behind one address are told apart, and keep their ports", async () => {
  const tell = `(echo x; sleep 1; echo x) | nc -u -w 2 -p 5000 192.0.2.10 7009`;
  await world.start("first", `exec sh -c '${tell}'`, "office");
  const second = (await outputOf(tell, "office")).trim().split("\n");
  await world.send("POST", "/containers/first/wait");
  const log = await (await world.engine.fetch("/containers/first/logs?stdout=1")).text();
  const first = log.match(/10\.70\.1\.1 \d+/g)!;
  expect([first.length, second.length, new Set(first).size, new Set(second).size]).toEqual([2, 2, 1, 1]);
  expect(new Set([...first, ...second]).size).toBe(2);
  expect([...first, ...second]).toContain("10.70.1.1 5000");
  expect(await outputOf(`echo x | nc -u -w 1 -p 5001 teller 9`, "shop")).toMatch(/^10\.70\.1\.\d+ 5001\n$/);
  await world.send("DELETE", "/containers/first");
});

test("a program outside sends datagrams to a published port, large ones too", async () => {
  const { readable, writable } = await world.engine.connect(7007, "udp");
  const [reader, writer] = [readable.getReader(), writable.getWriter()];
  for (const size of [3, 20_000, 65_507]) {
    await writer.write(new Uint8Array(size).fill(size % 256));
    const { value } = await reader.read();
    expect([value?.length, value?.at(-1)]).toEqual([size, size % 256]);
  }
  await Promise.all([reader.cancel(), writer.close()]);
  const told = await world.engine.connect(7009, "udp");
  const [answers, asks] = [told.readable.getReader(), told.writable.getWriter()];
  await asks.write(new Uint8Array());
  expect(new TextDecoder().decode((await answers.read()).value)).toMatch(/^10\.70\.1\.1 \d+\n$/);
  await expect(asks.write(new Uint8Array(65_508))).rejects.toMatchObject({ code: "EMSGSIZE" });
  await answers.cancel();
  const unheard = await world.engine.connect(7999, "udp");
  await unheard.writable.getWriter().write(new Uint8Array(1));
  expect(await unheard.readable.getReader().read()).toEqual({ done: true, value: undefined });
});

test("broken cables lose datagrams for good, and slow ones delay them in their order", async () => {
  const cable = { container: "echo-shop" };
  const cut = world.host.faults.inject({ kind: "network-cut", ...cable });
  expect(await outputOf(say("echo-shop"), "shop")).toBe("");
  cut();
  const lose = world.host.faults.inject({ kind: "network-loss", percent: 50, ...cable });
  const lines = (await outputOf("for i in $(seq 40); do echo $i; sleep 0.1; done | nc -u -w 1 echo-shop 7", "shop"))
    .trim()
    .split("\n");
  expect(lines.length).toBeGreaterThan(1);
  expect(lines.length).toBeLessThan(30);
  lose();
  const slow = world.host.faults.inject({ kind: "network-slow", bytesPerSecond: 1000, ...cable });
  const script =
    "s=$(date +%s); (head -c 2000 /dev/zero | tr '\\0' x; sleep 0.1; echo; sleep 0.1; echo end) | nc -u -w 9 echo-shop 7 > got";
  expect(await outputOf(`${script} & sleep 6; cut -c 1-3 < got`, "shop")).toBe("xxx\nend\n");
  slow();
  expect(await outputOf(say("echo-shop"), "shop")).toBe("said\n");
});

test("/proc/net/udp shows sockets; who has a name server's port answers no look-up", async () => {
  const script =
    'nc -u -l -p 53 & sleep 1; grep -c ":0035 0*:0000 07" /proc/net/udp6; nslookup x 127.0.0.1; nslookup x ::1';
  const silent = ";; connection timed out; no servers could be reached\n\n";
  expect(await outputOf(script, "shop")).toBe(`1\n${silent}${silent}`);
  expect(await outputOf("nc -u -l -s 127.0.0.1 -p 54 & sleep 1; grep -c 0100007F:0036 /proc/net/udp", "shop")).toBe(
    "1\n",
  );
});

test("a socket keeps what fits, and the rest is lost", () => {
  const socket = new DatagramSocket(new NetworkNamespace("one"), "::", 7);
  const from = { address: "10.0.0.1", port: 1 };
  for (let count = 0; count < 4; count++) socket.offer({ bytes: new Uint8Array(65_507), from, address: "10.0.0.2" });
  let taken = 0;
  while (socket.take()) taken++;
  expect(taken).toBe(3);
});
