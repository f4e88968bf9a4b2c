// IPv6 on networks with real packets: who reaches whom, published ports, and what is left on the machine.
import { existsSync } from "node:fs";
import { expect, test } from "vitest";
import { must, run, until } from "../../support/commands.js";
import type { Json } from "../../support/engine-client.js";
import { missingLinux } from "../../support/engines.js";
import { openNetns, type Netns } from "../../support/netns.js";
import { describeUnless } from "../../support/on-engines.js";
import { NetworkDaemon, on } from "./network-daemon.js";

const withoutIpv6 = existsSync("/proc/net/if_inet6") ? null : "the kernel has no IPv6";

describeUnless(missingLinux() ?? withoutIpv6, "IPv6 on networks", () => {
  const own = new NetworkDaemon();

  test("containers reach those of their network by IPv6, and the outside, and no other network's", async () => {
    await makeBoth("left", "10.221.0", "fd00:221");
    await makeBoth("right", "10.222.0", "fd00:222");
    await own.engine.running(on("left"));
    await own.engine.running(on("right"));
    const there = await outside();
    try {
      expect(await reaches("left", "fd00:221::2")).toBe(true);
      expect(await reaches("left", "fd00:98::2")).toBe(true);
      expect(await reaches("left", "fd00:222::2", "1")).toBe(false);
      await makeBoth("inner", "10.223.0", "fd00:223", { Internal: true });
      expect(await reaches("inner", "fd00:98::2", "1")).toBe(false);
      // From elsewhere, a container is reached at published ports only, even by those who know the way.
      await must(there.inside(["ip", "-6", "route", "add", "fd00:221::/64", "via", "fd00:98::1"]));
      expect((await run(there.inside(["busybox", "ping", "-c", "1", "-W", AT_MOST, "fd00:98::1"]))).code).toBe(0);
      expect((await run(there.inside(["busybox", "ping", "-c", "1", "-W", "1", "fd00:221::2"]))).code).not.toBe(0);
    } finally {
      await there.close();
    }
  });

  test("on a network with IPv6 alone, a container has no other address, and its names lead there", async () => {
    const IPAM = { Config: [{ Subnet: "fd00:231::/64" }] };
    const six = { Name: "six", EnableIPv4: false, EnableIPv6: true, IPAM };
    await own.engine.must(201, "POST", "/networks/create", six, { version: "1.48" });
    const id = await own.engine.create({ ...on("six"), Cmd: ["sleep", "1000"], Hostname: "first" });
    await own.engine.start(id);
    const seen = await own.engine.run({
      ...on("six"),
      Cmd: ["sh", "-c", "ip addr show eth0; ip -6 route; cat /etc/hosts; ping -c 1 -W 30 first"],
    });
    expect(seen.code).toBe(0);
    expect(seen.stdout).toContain("inet6 fd00:231::3/64 scope global");
    expect(seen.stdout).toContain("default via fd00:231::1 dev eth0");
    expect(seen.stdout).toMatch(/^fd00:231::3\t[0-9a-f]{12}$/m);
    expect(seen.stdout).toContain("PING first (fd00:231::2)");
    expect(seen.stdout).not.toMatch(/inet [0-9]/);
  });

  test("the kernel leads published ports to the container's IPv6 address, also while the engine is dead", async () => {
    await makeBoth("both", "10.241.0", "fd00:241");
    const id = await own.serve("both", SERVER, "18541");
    const { NetworkSettings } = await own.engine.inspect<{ NetworkSettings: { Ports: Json } }>(id);
    expect(NetworkSettings.Ports).toEqual({
      "80/tcp": [
        { HostIp: "0.0.0.0", HostPort: "18541" },
        { HostIp: "::", HostPort: "18541" },
      ],
    });
    await until("an answer", async () => (await who("[fd00:241::1]")) === "[fd00:241::1]\n");
    expect(await who("[::1]")).toBe("[fd00:241::1]\n");
    // A container reaches its own port, and that of its neighbour, at the machine's address.
    const ask = "wget -q -O - http://[fd00:241::1]:18541/cgi-bin/who";
    expect((await own.engine.run({ ...on("both"), Cmd: ["sh", "-c", ask] })).stdout).toBe("[fd00:241::1]\n");
    await own.daemon.end("SIGKILL");
    expect(await who("[fd00:241::1]")).toBe("[fd00:241::1]\n");
    await own.daemon.start();
    expect(await who("[fd00:241::1]")).toBe("[fd00:241::1]\n");
    await own.engine.remove(id);
    expect(await who("[fd00:241::1]")).toBe("");
  });

  test("a running container gets IPv6 with a network, and loses it with the network", async () => {
    await makeBoth("both", "10.251.0", "fd00:251");
    const id = await own.engine.running({ ...on("bridge"), Cmd: ["sleep", "1000"] });
    await own.engine.must(200, "POST", "/networks/both/connect", { Container: id });
    expect(await inside(id, "ip -6 route")).toContain("default via fd00:251::1");
    // A network with both families leads outside in both.
    expect(await inside(id, "ip route")).toContain("default via 10.251.0.1");
    await own.engine.must(200, "POST", "/networks/both/disconnect", { Container: id });
    expect(await inside(id, "ip -6 route")).not.toContain("default");
    expect(await inside(id, "ip route")).toContain("default via 172.");
    expect(await must(own.daemon.netns.inside(["nft", "list", "tables"]))).toContain("table ip6 coracle-");
    await own.engine.must(204, "DELETE", "/networks/both");
    expect(await must(own.daemon.netns.inside(["nft", "list", "tables"]))).not.toContain("table ip6 coracle-");
  });

  /** Whom the container on port 18541 takes for its client; empty if it is not reached. */
  async function who(address: string): Promise<string> {
    return own.answer(address, "18541", "/cgi-bin/who", { seconds: Number(AT_MOST) });
  }

  async function makeBoth(name: string, net: string, net6: string, more: Json = {}): Promise<void> {
    const IPAM = { Config: [{ Subnet: `${net}.0/24` }, { Subnet: `${net6}::/64` }] };
    await own.engine.must(201, "POST", "/networks/create", { Name: name, EnableIPv6: true, IPAM, ...more });
  }

  /** Another machine, fd00:98::2, to which the daemon's is fd00:98::1. It knows no way to the containers. */
  async function outside(): Promise<Netns> {
    const there = await openNetns();
    const batch = [
      `link add out0 type veth peer name in0 netns ${own.daemon.netns.name}`,
      "addr add fd00:98::2/64 dev out0 nodad",
      "link set out0 up",
    ];
    await must(there.inside(["ip", "-batch", "-"]), { input: `${batch.join("\n")}\n` });
    const here = ["addr add fd00:98::1/64 dev in0 nodad", "link set in0 up"];
    await must(own.daemon.netns.inside(["ip", "-batch", "-"]), { input: `${here.join("\n")}\n` });
    return there;
  }

  async function inside(id: string, command: string): Promise<string> {
    const exec = { Cmd: ["sh", "-c", command], AttachStdout: true, Tty: true };
    const { Id } = (await own.engine.must(201, "POST", `/containers/${id}/exec`, exec)).json<{ Id: string }>();
    return (await own.engine.must(200, "POST", `/exec/${Id}/start`, { Tty: true })).text;
  }

  /** `seconds`: how long it waits for the answer. */
  async function reaches(network: string, address: string, seconds = AT_MOST): Promise<boolean> {
    return (await own.engine.run({ ...on(network), Cmd: ["ping", "-c", "1", "-W", seconds, address] })).code === 0;
  }
});

/** Seconds for an answer that must come: a busy machine may take long to run the program that gives it. */
const AT_MOST = "30";

const SERVER =
  "mkdir -p /www/cgi-bin; printf '#!/bin/sh\\necho; echo $REMOTE_ADDR' > /www/cgi-bin/who; chmod +x /www/cgi-bin/who; " +
  "exec httpd -f -p [::]:80 -h /www";
