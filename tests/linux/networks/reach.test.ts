// Who reaches whom by TCP and UDP on networks of both families: containers of one network, of another one, the machine,
// and the server itself, at the server's own addresses and at the machine's.
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { afterEach, expect, test } from "vitest";
import { must } from "../../support/commands.js";
import type { Json } from "../../support/engine-client.js";
import { missingLinux } from "../../support/engines.js";
import { describeUnless } from "../../support/on-engines.js";
import { pastTheRules } from "./bridged-packets.js";
import { NetworkDaemon, on } from "./network-daemon.js";

/** `tcp ADDRESS PORT`. */
type Target = string;

const withoutIpv6 = existsSync("/proc/net/if_inet6") ? null : "the kernel has no IPv6";
/** Of the server, and of the machine on the networks. */
const OWN = ["10.224.0.2", "fd00:224::2"];
const GATEWAYS = ["10.225.0.1", "fd00:225::1"];

describeUnless(missingLinux() ?? withoutIpv6, "TCP and UDP on networks of both families", () => {
  const own = new NetworkDaemon();
  const servers: ChildProcess[] = [];
  afterEach(() => {
    for (const server of servers.splice(0)) server.kill("SIGKILL");
  });

  test("another network reaches published ports at the machine's addresses, and nothing else", async () => {
    await keepsStrangersOut();
  });

  test("so it is where bridged packets pass no rules, and there, too, containers can be kept from each other", async () => {
    await pastTheRules([own.daemon.netns], async () => {
      await keepsStrangersOut();
      await makeBoth("apart", "226", { "com.docker.network.bridge.enable_icc": "false" });
      const server = await serving("apart", { "80/tcp": [{ HostPort: "18566" }] });
      const published = [`tcp ${own.daemon.netns.address} 18566`, "tcp fd00:226::1 18566"];
      const neighbour = await own.engine.running(on("apart"));
      expect(await reached(neighbour, [...published, "tcp 10.226.0.2 80", "tcp fd00:226::2 80"])).toEqual(published);
      expect(await reached(server, published)).toEqual(published);
    });
  });

  test("the machine reaches them at its loopback addresses, and an address binds its port to itself", async () => {
    await makeBoth("left", "224");
    const PortBindings = {
      "80/tcp": [{ HostPort: "18562" }, { HostIp: "127.0.0.1", HostPort: "18563" }],
      "53/udp": [{ HostPort: "18562" }, { HostIp: "::1", HostPort: "18563" }],
    };
    await serving("left", PortBindings);
    const loopback = ["127.0.0.1", "::1"].flatMap((address) => [`tcp ${address} 18562`, `udp ${address} 18562`]);
    expect(await reached(null, loopback)).toEqual(loopback);
    const bound = ["tcp 127.0.0.1 18563", "udp ::1 18563"];
    const elsewhere = ["tcp ::1 18563", "udp 127.0.0.1 18563", `tcp ${own.daemon.netns.address} 18563`];
    expect(await reached(null, [...bound, ...elsewhere, "udp fd00:224::1 18563"])).toEqual(bound);
  });

  test("of a range, each container has the next port, for both families", async () => {
    await makeBoth("left", "224");
    for (const port of ["18564", "18565"]) {
      const id = await serving("left", { "80/tcp": [{ HostPort: "18564-18565" }] });
      const { NetworkSettings } = await own.engine.inspect<{ NetworkSettings: { Ports: Json } }>(id);
      const shown = ["0.0.0.0", "::"].map((HostIp) => ({ HostIp, HostPort: port }));
      expect(NetworkSettings.Ports).toEqual({ "80/tcp": shown });
      const targets = [`tcp ${own.daemon.netns.address} ${port}`, `tcp fd00:224::1 ${port}`];
      expect(await reached(null, targets)).toEqual(targets);
    }
  });

  async function keepsStrangersOut(): Promise<void> {
    await makeBoth("left", "224");
    await makeBoth("right", "225");
    const server = await serving("left", { "80/tcp": [{ HostPort: "18560" }], "53/udp": [{ HostPort: "18561" }] });
    const machine = [own.daemon.netns.address, ...GATEWAYS];
    const published = machine.flatMap((address) => [`tcp ${address} 18560`, `udp ${address} 18561`]);
    const served = OWN.flatMap((address) => [`tcp ${address} 80`, `udp ${address} 53`]);
    const hidden = OWN.flatMap((address) => [`tcp ${address} 81`, `udp ${address} 54`]);
    const stranger = await own.engine.running(on("right"));
    expect(await reached(stranger, [...published, ...served, ...hidden])).toEqual(published);
    const usual = await own.engine.running(on("bridge"));
    const ofIpv4 = published.filter((target) => target.includes(own.daemon.netns.address));
    expect(await reached(usual, [...ofIpv4, ...served, ...hidden])).toEqual(ofIpv4);
    const neighbour = await own.engine.running(on("left"));
    const all = [...published, ...served, ...hidden];
    expect(await reached(neighbour, all)).toEqual(all);
    expect(await reached(server, published)).toEqual(published);
    expect(
      await reached(
        stranger,
        machine.flatMap((address) => [`tcp ${address} 81`, `udp ${address} 54`]),
      ),
    ).toEqual([]);
  }

  async function makeBoth(name: string, number: string, Options: Json = {}): Promise<void> {
    const IPAM = { Config: [{ Subnet: `10.${number}.0.0/24` }, { Subnet: `fd00:${number}::/64` }] };
    await own.engine.must(201, "POST", "/networks/create", { Name: name, EnableIPv6: true, IPAM, Options });
  }

  /** A container whose ports 80 and 81 of TCP and 53 and 54 of UDP answer on both families. */
  async function serving(network: string, PortBindings: Json): Promise<string> {
    const id = await own.engine.running({ HostConfig: { NetworkMode: network, PortBindings } });
    const server = spawn("nsenter", [...(await within(id)), process.execPath, "-e", SERVER]);
    servers.push(server);
    await once(server.stdout, "data");
    return id;
  }

  /** Which of them answer to a container, or to the machine. */
  async function reached(from: string | null, targets: readonly Target[]): Promise<Target[]> {
    const ask = [process.execPath, "-e", CLIENT, ...targets];
    const command = from === null ? own.daemon.netns.inside(ask) : ["nsenter", ...(await within(from)), ...ask];
    return (await must(command)).split("\n").filter((line) => line !== "");
  }

  async function within(id: string): Promise<string[]> {
    const { State } = await own.engine.inspect<{ State: { Pid: number } }>(id);
    return [`--net=/proc/${State.Pid}/ns/net`, "--"];
  }
});

const SERVER = `
  const [net, dgram] = [require("net"), require("dgram")];
  let left = 4;
  const up = () => --left === 0 && console.log("up");
  for (const port of [80, 81]) net.createServer((socket) => socket.on("error", () => {}).end("here")).listen(port, "::", up);
  for (const port of [53, 54])
    dgram.createSocket("udp6").on("message", function (_, from) { this.send("here", from.port, from.address); }).bind(port, up);
`;

/** Asks all at once. Who has not answered after a second is not reached. */
const CLIENT = `
  const [net, dgram] = [require("net"), require("dgram")];
  const byTcp = (host, port, told) =>
    net.connect({ host, port }).on("error", () => {}).on("data", told).setTimeout(1000, function () { this.destroy(); });
  const byUdp = (host, port, told) => {
    const socket = dgram.createSocket(host.includes(":") ? "udp6" : "udp4");
    socket.on("error", () => {}).on("message", told).send("who", port, host, () => {});
  };
  const targets = process.argv.slice(1);
  const reached = new Set();
  for (const target of targets) {
    const [protocol, host, port] = target.split(" ");
    (protocol === "tcp" ? byTcp : byUdp)(host, Number(port), () => {
      reached.add(target);
      if (reached.size === targets.length) end();
    });
  }
  const end = () => {
    process.stdout.write(targets.filter((target) => reached.has(target)).join("\\n"));
    process.exit();
  };
  setTimeout(end, 1000);
`;
