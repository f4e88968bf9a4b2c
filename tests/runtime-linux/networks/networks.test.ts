// Containers on a bridge: which of them reach each other, and that nothing is left afterwards. The engine runs in its
// own network namespace, next to one that acts as another host.
import { spawn, type ChildProcess } from "node:child_process";
import { closeSync, existsSync, mkdirSync, mkdtempSync, openSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import type { failures, networks } from "../../../hosts/shared/host.js";
import { HostFailure } from "../../../hosts/shared/failure.js";
import { CLONE_NEWNET } from "../../../runtime-linux/kernel.js";
import { libc } from "../../../runtime-linux/kernel/libc.js";
import { linuxNetworks, type LinuxNetworks } from "../../../runtime-linux/networks.js";
import { makeNamespace, releaseNamespace } from "../../../runtime-linux/networks/namespace.js";
import { NETLINK_NETFILTER } from "../../../runtime-linux/networks/netlink/netlink.js";
import { Paths } from "../../../runtime-linux/paths.js";
import { findProgram, must, pause, run, until } from "../../support/commands.js";
import { describeUnless } from "../../support/on-engines.js";
import { findProcesses } from "../../support/processes.js";
import { bridge, missing, NETWORK } from "./bridge.js";

const WEB = "1".repeat(64);
const OTHER = "2".repeat(64);
const HOST_ADDRESS = "10.99.0.1";
const HOST_ADDRESS6 = "2001:db8::1";

describeUnless(missing, "networks of containers", () => {
  const root = mkdtempSync(join(tmpdir(), "coracle-networks-"));
  const paths = new Paths({ data: join(root, "data"), exec: join(root, "exec") });
  const remote = join(root, "remote", "ns");
  const running: ChildProcess[] = [];
  let home = -1;
  let linux: LinuxNetworks;

  beforeAll(async () => {
    home = openSync("/proc/thread-self/ns/net", "r");
    libc.unshare(CLONE_NEWNET);
    await must(["ip", "link", "set", "lo", "up"]);
    await makeNamespace(libc, remote);
    await must(["ip", "link", "add", "up0", "type", "veth", "peer", "name", "eth0"]);
    const file = openSync(remote, "r");
    await must(["ip", "link", "set", "eth0", "netns", `/proc/${process.pid}/fd/${file}`]);
    closeSync(file);
    await must(["ip", "addr", "add", `${HOST_ADDRESS}/24`, "dev", "up0"]);
    await must(["ip", "link", "set", "up0", "up"]);
    await must(within(remote, ["ip", "addr", "add", "10.99.0.2/24", "dev", "eth0"]));
    for (const link of ["lo", "eth0"]) await must(within(remote, ["ip", "link", "set", link, "up"]));
    linux = linuxNetworks({ kernel: libc, paths });
  });

  afterAll(async () => {
    for (const child of running) child.kill("SIGKILL");
    await linux.close();
    for (const id of [WEB, OTHER]) await releaseNamespace(libc, paths.namespace(id));
    await releaseNamespace(libc, remote);
    libc.setns(home, CLONE_NEWNET);
    closeSync(home);
    rmSync(root, { recursive: true });
  });

  test("containers reach each other, the machine and the internet, which cannot open connections to them", async () => {
    await perform({ tag: "make", val: bridge });
    await perform({ tag: "join", val: joinOf(WEB, 2) });
    await perform({ tag: "join", val: joinOf(OTHER, 3) });
    await serve(paths.namespace(WEB), 80, "web");
    await serve(remote, 80, "world");
    await serve(null, 81, "machine");

    expect(await fetchIn(paths.namespace(OTHER), "172.31.0.2", 80)).toBe("web");
    expect(await fetchIn(null, "172.31.0.2", 80)).toBe("web");
    expect(await fetchIn(paths.namespace(OTHER), "172.31.0.1", 81)).toBe("machine");
    expect(await fetchIn(paths.namespace(WEB), "10.99.0.2", 80)).toBe("world");
    expect(await fetchIn(paths.namespace(WEB), "127.0.0.1", 80)).toBe("web");

    await must(within(remote, ["ip", "route", "add", "172.31.0.0/16", "via", HOST_ADDRESS]));
    expect(await fetchIn(remote, "172.31.0.2", 80)).toBe(null);
    const seen = await must(within(paths.namespace(WEB), ["ip", "-o", "addr"]));
    expect(seen).toMatch(/eth0 +inet 172\.31\.0\.2\/16 brd 172\.31\.255\.255/);
    expect(seen).not.toMatch(/eth0 +inet6/);
    expect(await must(within(paths.namespace(WEB), ["ip", "link", "show", "eth0"]))).toContain("02:42:ac:1f:00:02");
  });

  test("joining twice has no further effect, and a restarted engine finds its containers", async () => {
    const before = await must(["ip", "-br", "link"]);
    await perform({ tag: "make", val: bridge });
    await perform({ tag: "join", val: joinOf(WEB, 2) });
    expect(await must(["ip", "-br", "link"])).toBe(before);

    await linux.close();
    linux = linuxNetworks({ kernel: libc, paths });
    const found = await linux.joins();
    expect(found.map(({ container }) => container).sort()).toEqual([WEB, OTHER]);
    expect(await linux.networks()).toEqual([NETWORK]);
  });

  test("a published port can be reached from everywhere, and counts as taken", async () => {
    await perform({ tag: "leave", val: { container: WEB, network: NETWORK } });
    await perform({ tag: "join", val: joinOf(WEB, 2, [port("0.0.0.0", 8080, 80), port("127.0.0.1", 8081, 80)]) });
    await serve(paths.namespace(WEB), 80, "web");

    expect(await fetchIn(null, "127.0.0.1", 8080)).toBe("web");
    expect(await fetchIn(null, HOST_ADDRESS, 8080)).toBe("web");
    expect(await fetchIn(null, "172.31.0.1", 8080)).toBe("web");
    expect(await fetchIn(remote, HOST_ADDRESS, 8080)).toBe("web");
    expect(await fetchIn(paths.namespace(WEB), HOST_ADDRESS, 8080)).toBe("web");
    expect(await fetchIn(paths.namespace(OTHER), HOST_ADDRESS, 8080)).toBe("web");
    expect(await fetchIn(null, "127.0.0.1", 8081)).toBe("web");
    expect(await fetchIn(remote, HOST_ADDRESS, 8081)).toBe(null);

    await expect(listen(8080)).rejects.toThrow("EADDRINUSE");
    await busy(port("127.0.0.1", 8080, 80), "127.0.0.1:8080");
    await busy(port("0.0.0.0", 8081, 80), "0.0.0.0:8081");
  });

  test("a port published on IPv6 leads to the container's IPv4 address, and is separate from the IPv4 port", async () => {
    await perform({ tag: "leave", val: { container: WEB, network: NETWORK } });
    await must(["ip", "-6", "addr", "add", `${HOST_ADDRESS6}/64`, "dev", "up0", "nodad"]);
    await must(within(remote, ["ip", "-6", "addr", "add", "2001:db8::2/64", "dev", "eth0", "nodad"]));
    const ports = [port("0.0.0.0", 8080, 80), port("::", 8080, 80), port("::1", 8082, 80), port("127.0.0.1", 8082, 81)];
    await perform({ tag: "join", val: joinOf(WEB, 2, ports) });
    await serve(paths.namespace(WEB), 80, "web");

    expect(await fetchIn(null, "127.0.0.1", 8080)).toBe("web");
    for (const address of ["::1", HOST_ADDRESS6]) expect(await fetchIn(null, address, 8080)).toBe("web");
    await until("the remote's neighbour", async () => (await fetchIn(remote, HOST_ADDRESS6, 8080)) === "web");
    expect(await fetchIn(null, "::1", 8082)).toBe("web");
    expect(await fetchIn(remote, HOST_ADDRESS6, 8082)).toBe(null);
    expect(await fetchIn(null, "127.0.0.1", 8082)).toBe(null);

    await expect(listen(8080, "::")).rejects.toThrow("EADDRINUSE");
    await busy(port("::1", 8080, 80), "::1:8080");
    await busy(port("::", 8082, 80), ":::8082");
    const nowhere = { tag: "join", val: joinOf("3".repeat(64), 4, [port("2001:db8::9", 80, 80)]) } as const;
    await expect(perform(nowhere)).rejects.toThrow("port: tcp 2001:db8::9 80 EADDRNOTAVAIL");
  });

  test("ports are forwarded without an engine, and for the next one, until the container goes", async () => {
    await linux.close();
    expect(await fetchIn(null, "::1", 8080)).toBe("web");
    expect(await fetchIn(null, "127.0.0.1", 8080)).toBe("web");
    linux = linuxNetworks({ kernel: libc, paths });
    await linux.joins();
    expect(await fetchIn(null, "::1", 8080)).toBe("web");
    await perform({ tag: "leave", val: { container: WEB, network: NETWORK } });
    expect(await fetchIn(null, "::1", 8080)).toBe(null);
    await (await listen(8080, "::")).close();

    // A port taken by another program fails alone, and the container keeps its other ports.
    await perform({ tag: "join", val: joinOf(WEB, 2, [port("::", 8083, 80), port("::", 8084, 80)]) });
    await serve(paths.namespace(WEB), 80, "web");
    await linux.close();
    for (const pid of findProcesses(`${paths.networks("ports")} `)) process.kill(pid, "SIGKILL");
    const other = await until("the port is free", async () => listen(8083, "::").catch(() => undefined));
    linux = linuxNetworks({ kernel: libc, paths });
    expect((await linux.joins()).map(({ container }) => container)).toContain(WEB);
    expect(await fetchIn(null, "::1", 8084)).toBe("web");
    other.close();
  });

  test("packets for 127.0.0.1 from other machines are dropped", async () => {
    await serve(null, 82, "private");
    const sysctl = "/proc/sys/net/ipv4/conf/eth0/route_localnet";
    const attack = `echo 1 > ${sysctl}; ip route replace 127.0.0.1 via 172.31.0.1 table 99; ip rule add to 127.0.0.1 pref 0 table 99; ip rule add pref 1 table local; ip rule del pref 0 table local; busybox timeout 1 busybox nc 127.0.0.1 82 </dev/null`;
    expect((await run(within(paths.namespace(OTHER), ["sh", "-c", attack]))).stdout).toBe("");
    await perform({ tag: "leave", val: { container: OTHER, network: NETWORK } });
    await perform({ tag: "join", val: joinOf(OTHER, 3) });
  });

  test("a port on which another program listens is busy, and the attempt leaves nothing", async () => {
    const server = await listen(0);
    const taken = (server.address() as AddressInfo).port;
    const rules = await must(["nft", "list", "ruleset"]);
    await busy(port("0.0.0.0", taken, 80), `0.0.0.0:${taken}`);
    await busy(port("127.0.0.1", taken, 80), `127.0.0.1:${taken}`);
    expect(await must(["nft", "list", "ruleset"])).toBe(rules);
    server.close();
    await expect(perform({ tag: "join", val: joinOf("3".repeat(64), 4, [port("10.1.2.3", 80, 80)]) })).rejects.toThrow(
      "EADDRNOTAVAIL",
    );
    expect(readdirSync(paths.networks("ns")).sort()).toEqual([WEB, OTHER]);
  });

  test("UDP ports are published, too, also for clients that sent packets before", async () => {
    await perform({ tag: "leave", val: { container: OTHER, network: NETWORK } });
    const early = [must(asking("127.0.0.1")), must(within(remote, asking(HOST_ADDRESS)))];
    await must(within(remote, asOften(600, HOST_ADDRESS)));
    await until("a packet to be seen", () =>
      must(["grep", "-c", "dport=5353", "/proc/thread-self/net/nf_conntrack"]).catch(() => pause(200)),
    );
    const udp = { ...port("0.0.0.0", 5353, 53), protocol: "udp" };
    await perform({ tag: "join", val: joinOf(OTHER, 3, [udp, { ...udp, hostAddress: "::" }]) });
    const echo = `require("dgram").createSocket("udp4").on("message", function (m, r) { this.send("re " + m, r.port, r.address); }).bind(53)`;
    start(within(paths.namespace(OTHER), [process.execPath, "-e", echo]));
    expect(await Promise.all(early)).toEqual(["re hi\n", "re hi\n"]);
    expect(await must(asking("127.0.0.1"))).toBe("re hi\n");
    expect(await must(within(remote, asking(HOST_ADDRESS)))).toBe("re hi\n");
    for (const address of ["::1", HOST_ADDRESS6]) expect(await must(asking(address))).toBe("re hi\n");
    expect(await must(within(remote, asking(HOST_ADDRESS6)))).toBe("re hi\n");
  });

  test("where no port of the machine leads to a container, only the flows to its own address are forgotten", async () => {
    const own = "172.31.0.2";
    const sentTo = async () =>
      [
        ...(await must(["cat", "/proc/thread-self/net/nf_conntrack"])).matchAll(
          /udp .*? dst=(\S+) sport=\d+ dport=5353 /g,
        ),
      ].map(([, address]) => address);
    await must(asOften(1, own));
    await until("a packet to be seen", async () => (await sentTo()).includes(own));
    await perform({ tag: "leave", val: { container: WEB, network: NETWORK } });
    await perform({ tag: "join", val: joinOf(WEB, 2, [{ ...port("0.0.0.0", 0, 5353), protocol: "udp" }]) });
    expect(await sentTo()).not.toContain(own);
    expect(await sentTo()).toContain("127.0.0.1");
  });

  test("flows of datagrams are forgotten by the socket that changes rules: no other of netfilter is opened", async () => {
    const opened = vi.spyOn(libc, "openNetlink");
    const own = [5354, 5355].map((at) => ({ ...port("0.0.0.0", at, 53), protocol: "udp" }));
    await perform({ tag: "leave", val: { container: WEB, network: NETWORK } });
    await must(asOften(1, HOST_ADDRESS, 5354));
    const isSeen = async () => (await must(["cat", "/proc/thread-self/net/nf_conntrack"])).includes("dport=5354 ");
    await until("a packet to be seen", isSeen);
    await perform({ tag: "join", val: joinOf(WEB, 2, own) });
    expect(await isSeen()).toBe(false);
    expect(opened.mock.calls.filter(([protocol]) => protocol === NETLINK_NETFILTER)).toEqual([]);
    opened.mockRestore();
  });

  test("a port that rules still forward elsewhere is taken over, and is not taken from its new owner", async () => {
    await perform({ tag: "leave", val: { container: WEB, network: NETWORK } });
    const map = ["ip", paths.filterTable(), "everywhere"];
    const led = async () =>
      [...(await must(["nft", "list", "map", ...map])).matchAll(/tcp \. (809\d) : ([\d.]+)/g)]
        .map(([, at, address]) => `${at} ${address}`)
        .sort();
    const lead = (element: string) => must(["nft", "add", "element", ...map, `{ tcp . ${element} . 80 }`]);
    await lead("8091 : 172.31.0.9");
    const ports = [8090, 8091, 8092].map((at) => port("0.0.0.0", at, 80));
    await perform({ tag: "join", val: joinOf(WEB, 2, ports) });
    expect(await led()).toEqual(["8090 172.31.0.2", "8091 172.31.0.2", "8092 172.31.0.2"]);

    await must(["nft", "delete", "element", ...map, "{ tcp . 8091 }"]);
    await lead("8091 : 172.31.0.9");
    await perform({ tag: "leave", val: { container: WEB, network: NETWORK } });
    expect(await led()).toEqual(["8091 172.31.0.9"]);
    await must(["nft", "delete", "element", ...map, "{ tcp . 8091 }"]);
    await perform({ tag: "join", val: joinOf(WEB, 2, [port("::", 8083, 80), port("::", 8084, 80)]) });
  });

  test("a port whose rule could not be removed is still the container's, and is removed later", async () => {
    await perform({ tag: "leave", val: { container: WEB, network: NETWORK } });
    const map = ["ip", paths.filterTable(), "everywhere"];
    const send = libc.netlink.bind(libc);
    const leave = () => perform({ tag: "leave", val: { container: WEB, network: NETWORK } });
    const isPublished = async () => (await must(["nft", "list", "map", ...map])).includes("8093 : 172.31.0.2 . 80");
    await perform({ tag: "join", val: joinOf(WEB, 2, [port("0.0.0.0", 8093, 80), port("127.0.0.1", 8094, 80)]) });
    vi.spyOn(libc, "netlink").mockImplementation(async (fd, requests) => {
      if (!Buffer.from(requests).includes(paths.filterTable())) return send(fd, requests);
      throw Object.assign(new Error("EPERM"), { code: "EPERM", errno: -1, syscall: "sendto" });
    });
    await expect(leave()).rejects.toMatchObject({ code: "EPERM" });
    vi.restoreAllMocks();
    expect(await isPublished()).toBe(true);
    await leave();
    expect(await isPublished()).toBe(false);
    await perform({ tag: "join", val: joinOf(WEB, 2, [port("::", 8083, 80), port("::", 8084, 80)]) });
  });

  test("another engine removes networks, also half-made ones, and leaves nothing", async () => {
    for (const child of running.splice(0)) child.kill("SIGKILL");
    await linux.close();
    rmSync(paths.networks("joined"), { recursive: true });
    // As after a crash in which OTHER's files were lost: its namespace exists, but its network settings are unknown.
    linux = linuxNetworks({ kernel: libc, paths });
    expect(await linux.joins()).toEqual([]);
    expect((await linux.sandboxes()).toSorted()).toEqual([WEB, OTHER]);
    for (let times = 0; times < 2; times++) {
      await perform({ tag: "leave-all", val: WEB });
      await perform({ tag: "leave-all", val: OTHER });
    }
    expect(await linux.sandboxes()).toEqual([]);
    await until("the veth pairs to go", async () => !/veth/.test(await must(["ip", "-br", "link"])));

    await perform({ tag: "drop", val: NETWORK });
    await perform({ tag: "make", val: bridge });
    await perform({ tag: "join", val: joinOf(WEB, 2, [port("0.0.0.0", 8080, 80)]) });
    await unfinish(paths.networks("joined"));
    await linux.close();
    linux = linuxNetworks({ kernel: libc, paths });
    expect(await linux.joins()).toEqual([]);
    await perform({ tag: "leave-all", val: WEB });
    await perform({ tag: "drop", val: NETWORK });
    await perform({ tag: "drop", val: NETWORK });

    await perform({ tag: "make", val: bridge });
    await unfinish(paths.networks("made"));
    await linux.close();
    linux = linuxNetworks({ kernel: libc, paths });
    expect(await linux.networks()).toEqual([]);
    await linux.close();

    expect((await must(["ip", "-br", "link"])).split("\n").map((line) => line.split(/[@ ]/)[0])).toEqual(clean);
    expect(await must(["nft", "list", "ruleset"])).toBe("");
    expect(readdirSync(paths.networks("ns"))).toEqual([]);
    expect(readdirSync(paths.networks("joined"))).toEqual([]);
    expect(readdirSync(paths.networks("made"))).toEqual([]);
    await (await listen(8080)).close();
  });

  test("if another engine drops other forwarded packets, our bridge is accepted, and later removed", async () => {
    await must(["iptables", "-P", "FORWARD", "DROP"]);
    const before = await must(["iptables", "-S"]);
    linux = linuxNetworks({ kernel: libc, paths });
    await perform({ tag: "make", val: bridge });
    await perform({ tag: "make", val: bridge });
    await perform({ tag: "join", val: joinOf(WEB, 2, [port("0.0.0.0", 8080, 80)]) });
    await serve(paths.namespace(WEB), 80, "web");
    await serve(remote, 80, "world");
    expect(await fetchIn(remote, HOST_ADDRESS, 8080)).toBe("web");
    expect(await fetchIn(paths.namespace(WEB), "10.99.0.2", 80)).toBe("world");
    await perform({ tag: "leave-all", val: WEB });
    await perform({ tag: "drop", val: NETWORK });
    expect(await must(["iptables", "-S"])).toBe(before);
    // So is a bridge on which the machine has no address: its containers' packets to each other may pass that chain.
    await perform({ tag: "make", val: { ...bridge, internal: true, gateway: "", gatewayMode: "isolated" } });
    expect(await must(["iptables", "-S"])).toContain("-A FORWARD -m devgroup --src-group 0x");
    await perform({ tag: "drop", val: NETWORK });
    expect(await must(["iptables", "-S"])).toBe(before);
  });

  test("there our bridges share two rules, somebody else's has its own, and an earlier version's go", async () => {
    await must(["iptables", "-P", "FORWARD", "DROP"]);
    const before = await must(["iptables", "-S"]);
    const others = [1, 2, 3].map((at) => ({
      ...bridge,
      ...{ network: String(at).repeat(64), interfaceName: `crc${at}` },
      ...{ subnet: `172.2${at}.0.0/16`, gateway: `172.2${at}.0.1` },
    }));
    await must(["ip", "link", "add", "crc3", "type", "bridge"]);
    linux = linuxNetworks({ kernel: libc, paths });
    const earlier = ["-o", "crc1", "-m", "comment", "--comment", "coracle", "-j", "ACCEPT"];
    await must(["iptables", "-A", "FORWARD", ...earlier]);
    await Promise.all(others.map((val) => perform({ tag: "make", val })));
    const rules = await must(["iptables", "-S", "FORWARD"]);
    const group = /--src-group (0x[0-9a-f]+)/.exec(rules)?.[1];
    const end = "-m comment --comment coracle -j ACCEPT";
    expect(rules.trim().split("\n").sort()).toEqual([
      `-A FORWARD -i crc3 ${end}`,
      `-A FORWARD -m devgroup --dst-group ${group} ${end}`,
      `-A FORWARD -m devgroup --src-group ${group} ${end}`,
      `-A FORWARD -o crc3 ${end}`,
      "-P FORWARD DROP",
    ]);
    const members = await must(["ip", "-o", "link", "show", "group", String(Number(group))]);
    expect([...members.matchAll(/^\d+: (\w+)/gm)].map(([, name]) => name).sort()).toEqual(["crc1", "crc2"]);
    await perform({ tag: "drop", val: others[0]!.network });
    expect(await must(["iptables", "-S"])).toContain("--src-group");
    await linux.close();
    linux = linuxNetworks({ kernel: libc, paths });
    await perform({ tag: "make", val: { ...others[1]!, firewall: false } });
    expect(await must(["iptables", "-S"])).not.toContain("--src-group");
    for (const { network } of others.slice(1)) await perform({ tag: "drop", val: network });
    await must(["ip", "link", "del", "crc3"]);
    expect(await must(["iptables", "-S"])).toBe(before);
  });

  test("where iptables knows no groups of interfaces, each of our bridges has rules of its own", async () => {
    await must(["iptables", "-P", "FORWARD", "DROP"]);
    const before = await must(["iptables", "-S"]);
    const programs = join(root, "programs");
    mkdirSync(programs);
    const refuses = `case "$*" in *devgroup*) exit 2;; esac; exec ${findProgram("iptables")} "$@"`;
    writeFileSync(join(programs, "iptables"), `#!/bin/sh\n${refuses}\n`, { mode: 0o755 });
    const usual = process.env["PATH"];
    process.env["PATH"] = `${programs}:${usual}`;
    linux = linuxNetworks({ kernel: libc, paths });
    await perform({ tag: "make", val: bridge });
    const rules = await must(["iptables", "-S"]);
    for (const way of ["-i", "-o"]) expect(rules).toContain(`-A FORWARD ${way} crc0 `);
    await perform({ tag: "drop", val: NETWORK });
    process.env["PATH"] = usual;
    expect(await must(["iptables", "-S"])).toBe(before);
  });

  const clean = ["lo", "up0", ""];

  function perform(command: networks.NetworkCommand): Promise<unknown> {
    return linux.perform(0n, command, () => {});
  }

  async function busy(wanted: networks.PortMapping, message: string): Promise<void> {
    const attempt = perform({ tag: "join", val: joinOf("3".repeat(64), 4, [wanted]) });
    const failure: unknown = await attempt.catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(HostFailure);
    const { address, port, error } = (failure as HostFailure).failure.val as failures.RefusedPort;
    expect([`${address}:${port}`, error]).toEqual([message, "EADDRINUSE"]);
    expect(existsSync(paths.namespace("3".repeat(64)))).toBe(false);
  }

  function start(command: string[]): void {
    const [program = "", ...args] = command;
    running.push(spawn(program, args, { stdio: "ignore" }));
  }

  /** A server that answers every connection with a word. */
  async function serve(namespace: string | null, at: number, word: string): Promise<void> {
    start(within(namespace, ["busybox", "nc", "-ll", "-p", String(at), "-e", "echo", word]));
    await until(word, async () => (await fetchIn(namespace, "127.0.0.1", at)) === word);
  }
});

/** As after a crash before the last step. */
async function unfinish(directory: string): Promise<void> {
  for (const file of readdirSync(directory)) {
    await must(["mv", join(directory, file), join(directory, file.replace(".json", ".part"))]);
  }
}

function joinOf(container: string, host: number, ports: networks.PortMapping[] = []): networks.Join {
  const address = `172.31.0.${host}`;
  return {
    container,
    containerName: `c${host}`,
    bridge,
    interfaceName: "eth0",
    address,
    gateway: bridge.gateway,
    ipv6Address: "",
    ipv6Gateway: "",
    mac: `02:42:ac:1f:00:0${host}`,
    ports,
    linkLocal: [],
    sysctls: [],
  };
}

function port(hostAddress: string, hostPort: number, containerPort: number): networks.PortMapping {
  return { hostAddress, hostPort, containerPort, protocol: "tcp" };
}

function within(namespace: string | null, command: string[]): string[] {
  return namespace === null ? command : ["nsenter", `--net=${namespace}`, "--", ...command];
}

/** The server's answer, or null if it cannot be reached. */
async function fetchIn(namespace: string | null, address: string, at: number): Promise<string | null> {
  const client = ["busybox", "timeout", "10", "busybox", "nc", address, String(at)];
  const { code, stdout } = await run(within(namespace, client));
  return code === 0 ? stdout.trim() : null;
}

/** Sends requests from one port until it gets an answer. */
function asking(address: string): string[] {
  const program = `const s = require("dgram").createSocket("${address.includes(":") ? "udp6" : "udp4"}"); const ask = () => s.send("hi", 5353, "${address}"); const t = setInterval(ask, 50); s.on("message", (m) => { console.log(String(m)); clearInterval(t); s.close(); }); ask(); setTimeout(() => process.exit(1), 60_000).unref()`;
  return [process.execPath, "-e", program];
}

/** Sends one request from each of many ports. */
function asOften(times: number, address: string, at = 5353): string[] {
  const program = `for (let n = 0; n < ${times}; n++) { const s = require("dgram").createSocket("udp4"); s.send("hi", ${at}, "${address}", () => s.close()); }`;
  return [process.execPath, "-e", program];
}

function listen(at: number, address = "0.0.0.0"): Promise<ReturnType<typeof createServer>> {
  const server = createServer();
  return new Promise((resolve, reject) => {
    server.on("error", reject);
    server.listen(at, address, () => resolve(server));
  });
}
