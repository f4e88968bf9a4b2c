// Options of single endpoints: links, link-local addresses, the name of the interface and its kernel settings.
import { expect, test } from "vitest";
import { messageOf, type Json } from "../../support/engine-client.js";
import { missingLinux } from "../../support/engines.js";
import { describeUnless } from "../../support/on-engines.js";
import { NetworkDaemon, on } from "./network-daemon.js";

const SYSCTLS = "com.docker.network.endpoint.sysctls";
const INTERFACE = "com.docker.network.endpoint.ifname";

describeUnless(missingLinux(), "options of endpoints", () => {
  const own = new NetworkDaemon();

  test("a link is a name that only the linking container has", async () => {
    await own.make("left", "10.234.0");
    await own.make("right", "10.235.0");
    await own.engine.running(on("left"), "?name=web");
    const linking = await own.engine.running(wish("left", { Links: ["web:shop"] }));
    const other = await own.engine.running(on("left"));
    expect(await inside(linking, "ping -c1 -w2 shop > /dev/null && echo reached")).toBe("reached\n");
    expect(await inside(other, "ping -c1 -w2 shop > /dev/null || echo unknown")).toContain("unknown\n");
    await own.engine.running(on("right"), "?name=elsewhere");
    await wire("right", linking, { Links: ["elsewhere:depot"] });
    expect(await inside(linking, "ping -c1 -w2 depot > /dev/null && echo reached")).toBe("reached\n");
  });

  test("link-local addresses are beside the other one", async () => {
    await own.make("left", "10.234.0");
    const settings = (address: string): Json => ({ IPAMConfig: { LinkLocalIPs: [address] } });
    const first = await own.engine.running(wish("left", settings("169.254.7.7")));
    const second = await own.engine.running(on("bridge"));
    await wire("left", second, settings("169.254.7.8"));
    expect(await inside(first, "ip -4 addr show eth0")).toContain("inet 169.254.7.7/16 brd 169.254.255.255");
    expect(await inside(second, "ping -c1 -w2 169.254.7.7 > /dev/null && echo reached")).toBe("reached\n");
    const third = await own.engine.running(wish("left", settings("::ffff:10.1.1.1")));
    expect(await inside(third, "ip -4 addr show eth0")).toContain("inet 10.1.1.1/16 brd 10.1.255.255");
    const six = await own.engine.running(wish("left", settings("fe80::7")));
    const near = await own.engine.running(wish("left", settings("fe80::8")));
    expect(await inside(six, "ip -6 addr show eth0")).toContain("inet6 fe80::7/64");
    expect(await inside(near, "ping -c1 -w2 fe80::7%eth0 > /dev/null && echo reached")).toBe("reached\n");
    for (const address of ["0.0.0.0", "::", "x"]) {
      const answer = await own.engine.call("POST", "/networks/left/connect", {
        Container: second,
        EndpointConfig: settings(address),
      });
      expect([answer.status, messageOf(answer)]).toEqual([400, `invalid link-local IP address: ${address}`]);
    }
  });

  test("without NET_RAW, a container cannot make frames, such as those that claim another one's address", async () => {
    await own.make("left", "10.234.0");
    const claim = "arping -c1 -w1 -D -I eth0 10.234.0.77 2>&1";
    const free = await own.engine.running(on("left"));
    expect(await inside(free, claim)).toContain("Sent 1 probe");
    const bound = await own.engine.running({ HostConfig: { NetworkMode: "left", CapDrop: ["NET_RAW"] } });
    expect(await inside(bound, claim)).toContain("arping: socket: Operation not permitted");
  });

  test("an interface has the name that the client chose, and the others avoid it", async () => {
    await own.make("left", "10.234.0");
    await own.make("right", "10.235.0");
    const id = await own.engine.running(wish("left", { DriverOpts: { [INTERFACE]: "eth1" } }));
    await wire("right", id, {});
    await wire("bridge", id, { DriverOpts: { [INTERFACE]: "wan" } });
    expect(await inside(id, "ls -1 /sys/class/net")).toBe("eth0\neth1\nlo\nwan\n");
    expect(await inside(id, "ip -4 addr show eth1")).toContain("inet 10.234.0.2/24");
    await own.make("third", "10.236.0");
    const EndpointConfig = { DriverOpts: { [INTERFACE]: "wan" } };
    const answer = await own.engine.call("POST", "/networks/third/connect", { Container: id, EndpointConfig });
    const used = "interface name wan is used by another endpoint of the container";
    expect([answer.status, messageOf(answer)]).toEqual([500, used]);
  });

  test("a network may name its containers' interfaces, which count separately for each prefix", async () => {
    const prefixed = (prefix: string): Json => ({ Options: { "com.docker.network.container_iface_prefix": prefix } });
    await own.make("left", "10.234.0", prefixed("lan"));
    await own.make("right", "10.235.0", prefixed("wan"));
    await own.make("third", "10.236.0", prefixed("lan"));
    const id = await own.engine.running(on("left"));
    for (const network of ["right", "third", "bridge"]) await wire(network, id, {});
    const named = async (): Promise<string> => inside(id, "ip -4 -o addr show | awk '{print $2, $4}' | sort");
    expect(await named()).toMatch(/^eth0 172\S+\nlan0 10\.234\S+\nlan1 10\.236\S+\nlo \S+\nwan0 10\.235\S+\n$/);
    await own.engine.must(204, "POST", `/containers/${id}/restart?t=0`);
    expect(await inside(id, "ls -1 /sys/class/net")).toBe("eth0\nlan0\nlan1\nlo\nwan0\n");
  });

  test("kernel settings of an interface are set when a running container is connected", async () => {
    await own.make("left", "10.234.0");
    const id = await own.engine.running(on("bridge"));
    await wire("left", id, { DriverOpts: { [SYSCTLS]: "net.ipv4.conf.IFNAME.log_martians=1" } });
    const read = "cat /proc/sys/net/ipv4/conf/eth0/log_martians /proc/sys/net/ipv4/conf/eth1/log_martians";
    expect(await inside(id, read)).toBe("0\n1\n");
    await own.make("right", "10.235.0");
    const EndpointConfig = { DriverOpts: { [SYSCTLS]: "net.ipv4.conf.IFNAME.none=1" } };
    const answer = await own.engine.call("POST", "/networks/right/connect", { Container: id, EndpointConfig });
    expect([answer.status, messageOf(answer)]).toEqual([
      500,
      expect.stringContaining("/proc/sys/net/ipv4/conf/eth2/none: no such file or directory"),
    ]);
    expect(await inside(id, "ls -1 /sys/class/net")).toBe("eth0\neth1\nlo\n");
  });

  test("they are set at the start, too, also if the interface's name has a dot", async () => {
    await own.make("left", "10.234.0");
    for (const name of ["wan", "wan.1"]) {
      const sysctls = { [SYSCTLS]: "net.ipv4.conf.IFNAME.log_martians=1" };
      const id = await own.engine.running(wish("left", { DriverOpts: { ...sysctls, [INTERFACE]: name } }));
      expect(await inside(id, `cat /proc/sys/net/ipv4/conf/${name}/log_martians`)).toBe("1\n");
    }
  });

  function wish(network: string, settings: Json): Json {
    return { ...on(network), NetworkingConfig: { EndpointsConfig: { [network]: settings } } };
  }

  async function wire(network: string, Container: string, EndpointConfig: Json): Promise<void> {
    await own.engine.must(200, "POST", `/networks/${network}/connect`, { Container, EndpointConfig });
  }

  /** What a command in a container prints. */
  async function inside(container: string, command: string): Promise<string> {
    const exec = { Cmd: ["sh", "-c", command], AttachStdout: true, Tty: true };
    const { Id } = (await own.engine.must(201, "POST", `/containers/${container}/exec`, exec)).json<{ Id: string }>();
    return (await own.engine.must(200, "POST", `/exec/${Id}/start`, { Tty: true })).text.replaceAll("\r", "");
  }
});
