// The daemon's flags for the default bridge, with real packets, and what other flags at the next start change.
import { existsSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { must, run, until } from "../../support/commands.js";
import { launchDaemon, type DaemonProcess } from "../../support/daemon-process.js";
import { EngineClient } from "../../support/engine-client.js";
import { CORACLE, missingLinux } from "../../support/engines.js";
import { describeUnless } from "../../support/on-engines.js";

interface Network {
  Id: string;
  EnableIPv6: boolean;
  IPAM: { Config: { Subnet: string; Gateway: string }[] };
  Options: Record<string, string>;
}

describeUnless(missingLinux(), "bridge flags", () => {
  let daemon: DaemonProcess;
  let engine: EngineClient;
  let flags: readonly string[] = ["--bip", "10.91.0.5/24", "--mtu", "1400", "--icc=false", "--ip-masq=false"];
  beforeAll(async () => {
    daemon = await launchDaemon("linux", ({ socketPath, dataRoot, execRoot, pidFile }) => [
      ...[...CORACLE, "daemon", "-H", `unix://${socketPath}`, "-p", pidFile],
      ...["--data-root", dataRoot, "--exec-root", execRoot, ...flags],
    ]);
    engine = new EngineClient(daemon.socketPath);
  });
  afterAll(async () => daemon?.close());

  const bridge = (): Promise<Network> => engine.read<Network>("/networks/bridge");
  const reaches = async (address: string): Promise<boolean> =>
    (await engine.run({ Cmd: ["ping", "-c", "1", "-W", "2", address] })).code === 0;
  const restart = async (...next: string[]): Promise<void> => {
    await daemon.end("SIGKILL");
    flags = next;
    await daemon.start();
  };
  const onBridge = async (): Promise<string> => {
    const name = (await bridge()).Options["com.docker.network.bridge.name"]!;
    return must(daemon.netns.inside(["ip", "-o", "addr", "show", name]));
  };

  test("packets have that size, containers do not reach each other, and none leaves under the machine's address", async () => {
    const mtu = await engine.run({ Cmd: ["cat", "/sys/class/net/eth0/mtu"] });
    expect(mtu.stdout).toBe("1400\n");
    const id = await engine.running();
    expect(await reaches("10.91.0.5")).toBe(true);
    // The container has the first address.
    expect(await reaches("10.91.0.1")).toBe(false);
    // The machine outside gets packets from an address that it has no route to.
    expect(await reaches(daemon.netns.hostAddress)).toBe(false);
    await engine.remove(id);
  });

  test("forwarding is left off, and /info tells it", async () => {
    const forwarding = (): Promise<string> => must(daemon.netns.inside(["cat", "/proc/sys/net/ipv4/ip_forward"]));
    const told = async (): Promise<[boolean, boolean]> => {
      const { IPv4Forwarding, Warnings } = await engine.read<{ IPv4Forwarding: boolean; Warnings: string[] | null }>(
        "/info",
      );
      return [IPv4Forwarding, Warnings?.includes("WARNING: IPv4 forwarding is disabled") ?? false];
    };
    expect(await told()).toEqual([true, false]);
    await daemon.end("SIGTERM");
    await must(daemon.netns.inside(["sysctl", "-w", "net.ipv4.ip_forward=0"]));
    await restart("--bip", "10.91.0.5/24", "--ip-forward=false");
    expect((await engine.run({ Cmd: ["true"] })).code).toBe(0);
    expect([await forwarding(), await told()]).toEqual(["0\n", [false, true]]);
    await restart("--bip", "10.91.0.5/24");
    expect((await engine.run({ Cmd: ["true"] })).code).toBe(0);
    expect([await forwarding(), await told()]).toEqual(["1\n", [true, false]]);
  });

  test("the next start has other flags: the bridge gets another address, once no container is on it", async () => {
    const { Id } = await bridge();
    // Two, since the kernel still knows the pings of the test before, and treats equal ones as it did then.
    const ids = [await engine.running(), await engine.running()];
    await restart("--bip", "10.95.0.1/24");
    expect((await bridge()).IPAM.Config).toEqual([{ Subnet: "10.91.0.0/24", Gateway: "10.91.0.5" }]);
    expect(daemon.log()).toContain("containers are on it, so it keeps its address 10.91.0.5");
    // What does not depend on the address has changed: containers reach each other, and the machine outside.
    expect(await reaches(daemon.netns.hostAddress)).toBe(true);
    for (const id of ids) await engine.remove(id);
    await restart("--bip", "10.95.0.1/24");
    expect(await bridge()).toMatchObject({ Id, IPAM: { Config: [{ Subnet: "10.95.0.0/24", Gateway: "10.95.0.1" }] } });
    // The start waits until the bridge is made.
    const other = await engine.running();
    const addresses = await onBridge();
    expect(addresses).toContain(" 10.95.0.1/24 ");
    expect(addresses).not.toContain("10.91.0");
    expect(await reaches("10.95.0.2")).toBe(true);
    expect(await reaches(daemon.netns.hostAddress)).toBe(true);
    await engine.remove(other);
    // Without the flag it keeps the address.
    await restart();
    expect((await bridge()).IPAM.Config).toEqual([{ Subnet: "10.95.0.0/24", Gateway: "10.95.0.1" }]);
  });

  test.skipIf(!existsSync("/proc/net/if_inet6"))("IPv6 comes to the bridge, and goes, without containers", async () => {
    const before = await engine.running();
    await restart("--ipv6");
    expect((await bridge()).EnableIPv6).toBe(false);
    expect(daemon.log()).toContain("containers are on it, so it keeps its address 10.95.0.1");
    await engine.remove(before);
    await restart("--ipv6", "--bip6", "fd00:95::5/64", "--fixed-cidr-v6", "fd00:95::100/120");
    const PortBindings = { "80/tcp": [{ HostPort: "18542" }] };
    const Cmd = ["httpd", "-f", "-p", "[::]:80", "-h", "/etc"];
    const id = await engine.create({ HostConfig: { PortBindings }, ExposedPorts: { "80/tcp": {} }, Cmd });
    await engine.start(id);
    expect((await bridge()).IPAM.Config[1]).toEqual({
      Subnet: "fd00:95::/64",
      IPRange: "fd00:95::100/120",
      Gateway: "fd00:95::5",
    });
    const { NetworkSettings } = await engine.inspect<{ NetworkSettings: Record<string, unknown> }>(id);
    expect(NetworkSettings["GlobalIPv6Address"]).toBe("fd00:95::100");
    expect(NetworkSettings["IPv6Gateway"]).toBe("fd00:95::5");
    const Command = ["sh", "-c", "ping -c 1 -W 2 fd00:95::100 && ip -6 route && cat /etc/hosts"];
    const other = await engine.run({ Cmd: Command, HostConfig: { ExtraHosts: ["machine:host-gateway"] } });
    expect(other.code).toBe(0);
    expect(other.stdout).toContain("default via fd00:95::5");
    expect(other.stdout).toContain("10.95.0.1\tmachine\nfd00:95::5\tmachine\n");
    expect(other.stdout).toMatch(/^fd00:95::101\t[0-9a-f]{12}$/m);
    // The next engine finds all that as it was, and the container is reached at its port all the time.
    const answers = (): Promise<boolean> => isServed("http://[fd00:95::5]:18542/hostname");
    await until("an answer", answers);
    await daemon.end("SIGKILL");
    expect(await answers()).toBe(true);
    await daemon.start();
    expect(await answers()).toBe(true);
    expect(await reaches("fd00:95::100")).toBe(true);
    await restart();
    expect((await bridge()).EnableIPv6).toBe(true);
    expect(await answers()).toBe(true);
    await engine.remove(id);
    await restart();
    expect(await bridge()).toMatchObject({ EnableIPv6: false, IPAM: { Config: [{ Subnet: "10.95.0.0/24" }] } });
    await engine.run({ Cmd: ["true"] });
    expect(await onBridge()).not.toContain("fd00:95");
  });

  /** Whether a web server answers the machine there. */
  async function isServed(url: string): Promise<boolean> {
    const ask = `
      const options = { agent: false, signal: AbortSignal.timeout(2000) };
      const asked = require("node:http").get(process.argv[1], options, (answer) =>
        process.exit(answer.statusCode === 200 ? 0 : 1));
      asked.on("error", () => process.exit(1));
    `;
    return (await run(daemon.netns.inside([process.execPath, "-e", ask, url]))).code === 0;
  }
});
