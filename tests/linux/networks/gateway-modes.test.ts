// Gateway modes and other options of bridge networks, with real packets: who reaches a container, and under which
// address it leaves.
import { existsSync } from "node:fs";
import { expect, test } from "vitest";
import { must, run, until } from "../../support/commands.js";
import type { Json } from "../../support/engine-client.js";
import { missingLinux } from "../../support/engines.js";
import { openNetns, type Netns } from "../../support/netns.js";
import { describeUnless } from "../../support/on-engines.js";
import { NetworkDaemon, on } from "./network-daemon.js";

const withoutIpv6 = existsSync("/proc/net/if_inet6") ? null : "the kernel has no IPv6";
const BRIDGE = "com.docker.network.bridge.";
const MODE = "com.docker.network.bridge.gateway_mode_ipv";

describeUnless(missingLinux() ?? withoutIpv6, "gateway modes", () => {
  const own = new NetworkDaemon();

  test("routed: published ports are reached at the container's own address only, and it leaves under that", async () => {
    await make("routed", "10.203.1", "fd00:203:1", { [`${MODE}4`]: "routed", [`${MODE}6`]: "routed" });
    const there = await elsewhere();
    try {
      const id = await own.serve("routed", SERVER, "18561");
      await until("an answer", async () => (await asks(there, "10.203.1.2:80")) === "10.99.0.2");
      expect(await asks(there, "[fd00:203:1::2]:80")).toBe("fd00:99::2");
      // Its other port is closed to others, and no port of the machine leads to it.
      expect(await asks(there, "10.203.1.2:81")).toBe("");
      expect(await asks(there, "10.99.0.1:18561")).toBe("");
      expect(await pings(there, "10.203.1.2")).toBe(true);
      expect(await pings(there, "fd00:203:1::2")).toBe(true);
      // Containers of other networks reach the port, too.
      await own.make("other", "10.204.1");
      expect(await gets("other", "http://10.203.1.2:80/cgi-bin/who")).toBe(true);
      expect(await gets("other", "http://10.203.1.2:81/cgi-bin/who")).toBe(false);
      // It leaves under its own address: a server elsewhere sees it.
      expect(await seenFrom(there, "routed", "10.99.0.2")).toBe("10.203.1.3");
      await own.daemon.end("SIGKILL");
      expect(await asks(there, "10.203.1.2:80")).toBe("10.99.0.2");
      await own.daemon.start();
      expect(await asks(there, "10.203.1.2:80")).toBe("10.99.0.2");
      await own.engine.remove(id);
      expect(await own.answer("10.203.1.2", "80")).toBe("");
      expect(await must(own.daemon.netns.inside(["nft", "list", "ruleset"]))).not.toContain("10.203.1.2 . ");
    } finally {
      await there.close();
    }
  });

  test("nat-unprotected: all ports are reached at the container's own address, and at the machine's", async () => {
    await make("open", "10.203.2", "fd00:203:2", { [`${MODE}4`]: "nat-unprotected" });
    const there = await elsewhere();
    try {
      await own.serve("open", SERVER, "18562");
      await until("an answer", async () => (await asks(there, "10.203.2.2:81")) === "10.99.0.2");
      expect(await asks(there, "10.99.0.1:18562")).toBe("10.99.0.2");
      // IPv6 is as usual.
      expect(await asks(there, "[fd00:203:2::2]:81")).toBe("");
      expect(await asks(there, "[fd00:99::1]:18562")).toBe("fd00:99::2");
      expect(await seenFrom(there, "open", "10.99.0.2")).toBe("10.99.0.1");
    } finally {
      await there.close();
    }
  });

  test("isolated: containers reach one another, and the machine has no address there", async () => {
    const modes = { [`${MODE}4`]: "isolated", [`${MODE}6`]: "isolated" };
    await make("alone", "10.203.3", "fd00:203:3", modes, { Internal: true });
    await own.engine.running(on("alone"));
    const { Id } = await own.engine.read<{ Id: string }>("/networks/alone");
    const Cmd = ["sh", "-c", "ping -c 1 -W 2 10.203.3.1 && ping -c 1 -W 2 fd00:203:3::1"];
    const look = (): Promise<string> => must(own.daemon.netns.inside(["ip", "-o", "addr", "show"]));
    for (let starts = 0; starts < 2; starts++) {
      expect((await own.engine.run({ ...on("alone"), Cmd })).code).toBe(0);
      expect(await look()).not.toContain(`br-${Id.slice(0, 12)}`);
      await own.daemon.end("SIGKILL");
      await own.daemon.start();
    }
    expect(await must(own.daemon.netns.inside(["ip", "link"]))).toContain(`br-${Id.slice(0, 12)}`);
  });

  test("trusted interfaces reach published ports at the container's own address, and nothing else", async () => {
    const trusting = (interfaces: string): Json => ({ [`${BRIDGE}trusted_host_interfaces`]: interfaces });
    await make("trusting", "10.203.4", "fd00:203:4", trusting("wg0:in0"));
    await make("wary", "10.203.5", "fd00:203:5", trusting("wg0"));
    const there = await elsewhere();
    try {
      const id = await own.serve("trusting", SERVER, "18564");
      await own.serve("wary", SERVER, "18565");
      const tryAll = async (): Promise<void> => {
        await until("an answer", async () => (await asks(there, "10.203.4.2:80")) === "10.99.0.2");
        expect(await asks(there, "[fd00:203:4::2]:80")).toBe("fd00:99::2");
        expect(await asks(there, "10.99.0.1:18564")).toBe("10.99.0.2");
        expect(await asks(there, "10.203.4.2:81")).toBe("");
        expect(await pings(there, "10.203.4.2")).toBe(false);
        expect(await asks(there, "10.203.5.2:80")).toBe("");
      };
      await tryAll();
      await own.daemon.end("SIGKILL");
      await own.daemon.start();
      await tryAll();
      await own.engine.remove(id);
      expect(await must(own.daemon.netns.inside(["nft", "list", "ruleset"]))).not.toContain("10.203.4.2 . ");
    } finally {
      await there.close();
    }
  });

  test("packets leave under the address that the network's options name", async () => {
    const [host4, host6] = ["com.docker.network.host_ipv4", "com.docker.network.host_ipv6"];
    await make("named", "10.203.6", "fd00:203:6", { [host4]: "10.99.0.7", [host6]: "fd00:99::7" });
    await make("quiet", "10.203.7", "fd00:203:7", { [host4]: "10.99.0.7", [`${BRIDGE}enable_ip_masquerade`]: "false" });
    const there = await elsewhere();
    const more = "addr add 10.99.0.7/24 dev in0\naddr add fd00:99::7/64 dev in0 nodad\n";
    await must(own.daemon.netns.inside(["ip", "-batch", "-"]), { input: more });
    try {
      expect(await seenFrom(there, "named", "10.99.0.2")).toBe("10.99.0.7");
      expect(await seenFrom(there, "named", "fd00:99::2")).toBe("fd00:99::7");
      expect(await seenFrom(there, "quiet", "10.99.0.2")).toBe("10.203.7.2");
    } finally {
      await there.close();
    }
  });

  test("without an address of the machine, packets leave by a router on the bridge", async () => {
    await make("plain", "10.203.8", "fd00:203:8", { [`${BRIDGE}inhibit_ipv4`]: "true", [`${BRIDGE}name`]: "plain0" });
    const router = await openNetns();
    try {
      const { netns } = own.daemon;
      await must(
        netns.inside(["ip", "link", "add", "port1", "type", "veth", "peer", "name", "way0", "netns", router.name]),
      );
      await must(netns.inside(["ip", "link", "set", "port1", "master", "plain0", "up"]));
      const batch = ["addr add 10.203.8.1/24 dev way0", "link set way0 up", "addr add 192.0.2.9/32 dev lo"];
      await must(router.inside(["ip", "-batch", "-"]), { input: `${batch.join("\n")}\n` });
      expect(await must(netns.inside(["ip", "-4", "-o", "addr", "show", "plain0"]))).toBe("");
      expect(await must(netns.inside(["ip", "-6", "-o", "addr", "show", "plain0"]))).toContain("fd00:203:8::1/64");
      expect(await seenFrom(router, "plain", "192.0.2.9")).toBe("10.203.8.2");
    } finally {
      await router.close();
    }
  });

  async function make(name: string, net: string, net6: string, Options: Json, more: Json = {}): Promise<void> {
    const IPAM = { Config: [{ Subnet: `${net}.0/24` }, { Subnet: `${net6}::/64` }] };
    await own.engine.must(201, "POST", "/networks/create", { Name: name, EnableIPv6: true, IPAM, Options, ...more });
  }

  /** Another machine, 10.99.0.2 and fd00:99::2, that knows the way to the containers by the daemon's, 10.99.0.1. */
  async function elsewhere(): Promise<Netns> {
    const there = await openNetns();
    const batch = [
      `link add out0 type veth peer name in0 netns ${own.daemon.netns.name}`,
      ...["addr add 10.99.0.2/24 dev out0", "addr add fd00:99::2/64 dev out0 nodad", "link set out0 up"],
    ];
    await must(there.inside(["ip", "-batch", "-"]), { input: `${batch.join("\n")}\n` });
    const here = ["addr add 10.99.0.1/24 dev in0", "addr add fd00:99::1/64 dev in0 nodad", "link set in0 up"];
    await must(own.daemon.netns.inside(["ip", "-batch", "-"]), { input: `${here.join("\n")}\n` });
    const ways = ["route add 10.203.0.0/16 via 10.99.0.1", "route add fd00:203::/32 via fd00:99::1"];
    await must(there.inside(["ip", "-batch", "-"]), { input: `${ways.join("\n")}\n` });
    return there;
  }

  /** Whom a container's web server takes for its client; empty if it is not reached. */
  async function asks(there: Netns, server: string): Promise<string> {
    const [address, port] = server.split(/:(?=\d+$)/) as [string, string];
    const answer = await own.answer(address, port, "/cgi-bin/who", { asking: there });
    return answer.replace(/^\[(::ffff:)?(.*)\]\n$/, "$2");
  }

  /** Whether a container of the network gets an answer. */
  async function gets(network: string, url: string): Promise<boolean> {
    const Cmd = ["sh", "-c", `timeout 2 wget -q -O - ${url}; exit $?`];
    return (await own.engine.run({ ...on(network), Cmd })).code === 0;
  }

  async function pings(there: Netns, address: string): Promise<boolean> {
    return (await run(there.inside(["busybox", "ping", "-c", "1", "-W", "2", address]))).code === 0;
  }

  /** The address under which a container of the network reaches a server elsewhere. */
  async function seenFrom(there: Netns, network: string, address: string): Promise<string> {
    const seen = run(there.inside([process.execPath, "-e", WATCH, address]));
    const host = address.includes(":") ? `[${address}]` : address;
    const knock = `for i in $(seq 100); do wget -q -O - http://${host}:8099/ && break; sleep 0.1; done`;
    await own.engine.run({ ...on(network), Cmd: ["sh", "-c", knock] });
    return (await seen).stdout;
  }
});

/** Prints the address of the first client at port 8099. */
const WATCH = `
  const server = require("node:net").createServer((socket) => {
    process.stdout.write(socket.remoteAddress);
    socket.end("HTTP/1.0 200 OK\\r\\n\\r\\nseen");
    server.close();
  });
  server.listen(8099, process.argv[1]);
  setTimeout(() => process.exit(), 20_000).unref();
`;
const SERVER =
  "mkdir -p /www/cgi-bin; printf '#!/bin/sh\\necho; echo $REMOTE_ADDR' > /www/cgi-bin/who; chmod +x /www/cgi-bin/who; " +
  "httpd -p [::]:81 -h /www; exec httpd -f -p [::]:80 -h /www";
