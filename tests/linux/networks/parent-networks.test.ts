// macvlan and ipvlan networks with real packets. The parent is one end of a veth pair, and the machine, at the other
// end, acts as the router of that network.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { lackedInterfaces } from "../../support/allowed-skips.js";
import { must, run } from "../../support/commands.js";
import { messageOf, type Json } from "../../support/engine-client.js";
import { missingLinux } from "../../support/engines.js";
import { describeUnless } from "../../support/on-engines.js";
import { NetworkDaemon, on } from "./network-daemon.js";

const ROUTER = "10.231.0.1";

describeUnless(missingLinux(), "networks on a parent", () => {
  const own = new NetworkDaemon();

  beforeAll(async () => {
    await ip("link add p0 type veth peer name p1");
    await ip(`addr add ${ROUTER}/24 dev p1`);
    for (const name of ["p0", "p1"]) await ip(`link set ${name} up`);
  });

  test("containers reach each other by name, and the world through the router", async () => {
    await lan("macvlan", { parent: "p0" });
    const first = await own.engine.running(on("lan"), "?name=first");
    const second = await own.engine.running(on("lan"), "?name=second");
    expect(await reaches(first, "second")).toBe(true);
    expect(await reaches(second, ROUTER)).toBe(true);
    expect(await reaches(second, "192.0.2.77")).toBe(false);
    await ip("addr add 192.0.2.77/32 dev lo");
    expect(await reaches(second, "192.0.2.77")).toBe(true);
    await ip("addr del 192.0.2.77/32 dev lo");
    expect((await run(inNetns(["busybox", "ping", "-c1", "-w5", "10.231.0.2"]))).code).toBe(0);
  });

  test("with IPv6, containers reach each other and the world by it, also past a killed engine", async (context) => {
    if (!existsSync("/proc/net/if_inet6")) context.skip("the kernel has no IPv6");
    await ip("addr add fd00:231::1/64 dev p1 nodad");
    const IPAM = { Config: [{ Subnet: "10.231.0.0/24" }, { Subnet: "fd00:231::/64", Gateway: "fd00:231::1" }] };
    await lan("macvlan", { parent: "p0" }, { EnableIPv6: true, IPAM });
    await own.make("wide", "10.232.0");
    const first = await own.engine.running(on("wide"));
    await wire("connect", first);
    await own.engine.running(on("lan"), "?name=second");
    // The bridge leads outside in IPv4, and the parent in IPv6.
    expect(await inside(first, "ip route | grep default")).toBe("default via 10.232.0.1 dev eth0 \n");
    expect(await inside(first, "ip -6 route | grep default")).toContain("default via fd00:231::1 dev eth1");
    expect(await inside(first, "ip -6 addr show eth1")).toContain("inet6 fd00:231::2/64 scope global");
    expect(await inside(first, "ip -6 addr show eth1")).toContain("inet6 fe80::");
    await ip("addr add fd00:99::77/128 dev lo nodad");
    expect(await reaches(first, "fd00:99::77")).toBe(true);
    await ip("addr del fd00:99::77/128 dev lo");
    expect(await reaches(first, "fd00:231::3")).toBe(true);
    await own.daemon.end("SIGKILL");
    await own.daemon.start();
    expect(await reaches(first, "fd00:231::1")).toBe(true);
    await wire("disconnect", first);
    expect(await inside(first, "ip -6 route")).not.toContain("default");
    await ip("addr del fd00:231::1/64 dev p1");
  });

  test("what their mode keeps apart does not reach each other", async () => {
    await lan("macvlan", { parent: "p0", macvlan_mode: "private" });
    const first = await own.engine.running(on("lan"));
    await own.engine.running(on("lan"), "?name=second");
    expect(await reaches(first, ROUTER)).toBe(true);
    expect(await reaches(first, "10.231.0.3")).toBe(false);
  });

  test("an internal network leads to its own addresses only", async () => {
    await lan("macvlan", { parent: "p0" }, { Internal: true });
    const id = await own.engine.running(on("lan"));
    expect(await inside(id, "ip route")).toBe("10.231.0.0/24 dev eth0 scope link  src 10.231.0.2 \n");
  });

  test("a running container comes and goes, together with a bridge, also past a killed engine", async () => {
    await lan("macvlan", { parent: "p0" });
    await own.make("wide", "10.232.0");
    const id = await own.engine.running(on("wide"));
    await wire("connect", id);
    expect(await inside(id, "ip route | grep default")).toBe(`default via ${ROUTER} dev eth1 \n`);
    await own.daemon.end("SIGKILL");
    await own.daemon.start();
    expect(await reaches(id, ROUTER)).toBe(true);
    await wire("disconnect", id);
    expect(await inside(id, "ls -1 /sys/class/net; ip route | grep default")).toBe(
      "eth0\nlo\ndefault via 10.232.0.1 dev eth0 \n",
    );
    await wire("connect", id);
    expect(await reaches(id, ROUTER)).toBe(true);
  });

  test("an interface that a container has named anew goes, and one that it has made itself stays", async () => {
    await lan("macvlan", { parent: "p0" });
    await own.make("wide", "10.232.0");
    const id = await own.engine.running(on("wide"));
    await wire("connect", id);
    for (const words of ["set eth1 down", "set eth1 name lan0"]) await insideIp(id, `link ${words}`);
    await wire("disconnect", id);
    expect(await inside(id, "ls -1 /sys/class/net")).toBe("eth0\nlo\n");
    await insideIp(id, "link add eth1 type veth peer name own0");
    expect((await own.engine.call("POST", "/networks/lan/connect", { Container: id })).status).toBe(500);
    expect(await inside(id, "ls -1 /sys/class/net")).toBe("eth0\neth1\nlo\nown0\n");
  });

  test("after its end nothing is left, and the parent stays", async () => {
    const before = await ip("-br link");
    await lan("macvlan", { parent: "p0" });
    const id = await own.engine.running(on("lan"));
    await own.engine.remove(id);
    await own.engine.must(204, "DELETE", "/networks/lan");
    expect(await ip("-br link")).toBe(before);
  });

  test("what an engine left half made goes with the next one", async () => {
    await lan("macvlan", { parent: "p0" });
    const id = await own.engine.running({ ...on("lan"), Cmd: ["sleep", "1000"] });
    await own.daemon.end("SIGKILL");
    await insideIp(id, "link del eth0");
    await own.daemon.start();
    const { State } = await own.engine.inspect<{ State: { Running: boolean } }>(id);
    expect(State.Running).toBe(true);
    await own.engine.remove(id);
    await own.engine.must(204, "DELETE", "/networks/lan");
  });

  describe("parents that the engine makes", () => {
    beforeEach(({ task, skip }) => {
      const kind = task.name.split(" ", 1)[0]!;
      const missing = lacking.get(kind);
      if (missing !== undefined) skip(missing);
    });

    const lacking = new Map<string, string>();
    beforeAll(async () => {
      const tries = { vlan: "link p0 name try0 type vlan id 10", dummy: "name try0 type dummy" };
      const ipvlan = "link p0 name try0 type ipvlan mode l2";
      for (const [kind, words] of Object.entries({ ...tries, ipvlan })) {
        const made = await run(inNetns(["ip", "link", "add", ...words.split(" ")]));
        if (made.code === 0) await ip("link del try0");
        else lacking.set(kind, lackedInterfaces(kind));
      }
    });

    test("vlan 10 of an interface is made with its first network, and goes with its last", async () => {
      await lan("macvlan", { parent: "p0.10" });
      expect(await ip("-d link show p0.10")).toContain("vlan protocol 802.1Q id 10");
      await own.engine.must(204, "DELETE", "/networks/lan");
      expect(await ip("-br link")).not.toContain("p0.10");
    });

    test("dummy interfaces connect containers that reach nothing else", async () => {
      await lan("macvlan", {});
      const id = await own.engine.running(on("lan"));
      await own.engine.running(on("lan"), "?name=second");
      expect(await reaches(id, "second")).toBe(true);
      expect(await inside(id, "ip route")).not.toContain("default");
      await own.engine.remove(id);
    });

    test("ipvlan gives all containers the parent's hardware address", async () => {
      await lan("ipvlan", { parent: "p0" });
      const id = await own.engine.running(on("lan"));
      expect(await reaches(id, ROUTER)).toBe(true);
      const mac = (await ip("-br link show p0")).split(/\s+/)[2];
      expect(await inside(id, "cat /sys/class/net/eth0/address")).toBe(`${mac}\n`);
    });
  });

  test("a kernel that lacks the kind of interface is told", async () => {
    const made = await run(inNetns(["ip", "link", "add", "link", "p0", "name", "try0", "type", "ipvlan"]));
    if (made.code === 0) return void (await ip("link del try0"));
    await lan("ipvlan", { parent: "p0" });
    const id = await own.engine.create(on("lan"));
    const answer = await own.engine.call("POST", `/containers/${id}/start`);
    expect([answer.status, messageOf(answer)]).toEqual([500, expect.stringContaining("operation not supported")]);
  });

  async function lan(Driver: string, Options: Json, more: Json = {}): Promise<void> {
    const IPAM = { Config: [{ Subnet: "10.231.0.0/24", Gateway: ROUTER }] };
    await own.engine.must(201, "POST", "/networks/create", { Name: "lan", Driver, Options, IPAM, ...more });
  }

  async function wire(what: "connect" | "disconnect", Container: string): Promise<void> {
    await own.engine.must(200, "POST", `/networks/lan/${what}`, { Container });
  }

  async function reaches(container: string, address: string): Promise<boolean> {
    return (await inside(container, `ping -c1 -w2 ${address} > /dev/null && echo reached`)) === "reached\n";
  }

  /** What a command in a container prints. */
  async function inside(container: string, command: string): Promise<string> {
    const exec = { Cmd: ["sh", "-c", command], AttachStdout: true, Tty: true };
    const { Id } = (await own.engine.must(201, "POST", `/containers/${container}/exec`, exec)).json<{ Id: string }>();
    return (await own.engine.must(200, "POST", `/exec/${Id}/start`, { Tty: true })).text.replaceAll("\r", "");
  }

  function inNetns(command: string[]): string[] {
    return own.daemon.netns.inside(command);
  }

  function ip(words: string): Promise<string> {
    return must(inNetns(["ip", ...words.split(" ")]));
  }

  /** In the container's network namespace, with the rights that the container lacks. */
  function insideIp(container: string, words: string): Promise<string> {
    const namespace = join(own.daemon.directories.execRoot, "networks", "ns", container);
    return must(inNetns(["nsenter", `--net=${namespace}`, "ip", ...words.split(" ")]));
  }
});
