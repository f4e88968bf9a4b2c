// Flags without which dockerd, too, does less: no firewall rules, and no program that forwards published ports.
import { afterAll, beforeAll, expect, test } from "vitest";
import { must, run, until } from "../../support/commands.js";
import { launchDaemon, type DaemonProcess } from "../../support/daemon-process.js";
import { EngineClient, type Json } from "../../support/engine-client.js";
import { CORACLE, missingLinux } from "../../support/engines.js";
import { describeUnless } from "../../support/on-engines.js";
import { ASK } from "./network-daemon.js";

const SERVER = ["sh", "-c", "mkdir /www; echo hello > /www/index.html; httpd -p 80 -h /www; sleep 1000"];

describeUnless(missingLinux(), "without rules or programs", () => {
  let daemon: DaemonProcess;
  let engine: EngineClient;
  let flags: readonly string[] = [];
  beforeAll(async () => {
    daemon = await launchDaemon("linux", ({ socketPath, dataRoot, execRoot, pidFile }) => [
      ...[...CORACLE, "daemon", "-H", `unix://${socketPath}`, "-p", pidFile],
      ...["--data-root", dataRoot, "--exec-root", execRoot, ...flags],
    ]);
    engine = new EngineClient(daemon.socketPath);
  });
  afterAll(async () => daemon?.close());

  const restart = async (...next: string[]): Promise<void> => {
    await daemon.end("SIGKILL");
    flags = next;
    await daemon.start();
  };
  const serve = async (port: string): Promise<string> => {
    const HostConfig = { PortBindings: { "80/tcp": [{ HostPort: port }] } };
    const id = await engine.create({ HostConfig, Cmd: SERVER });
    await engine.start(id);
    return id;
  };
  /** What a web server answers to the machine; empty if nobody answers. */
  const answer = async (address: string, port: string): Promise<string> =>
    (await run(daemon.netns.inside([process.execPath, "-e", ASK, `http://${address}:${port}/`, "2000"]))).stdout;
  const answers = (address: string, port: string): Promise<unknown> =>
    until("an answer", async () => (await answer(address, port)) === "hello\n");
  /** What another program gets when it wants the port: `bound`, or the kernel's error. */
  const binding = (address: string, port: string): Promise<string> =>
    must(daemon.netns.inside([process.execPath, "-e", BIND, address, port]));
  const addressesOf = async (id: string): Promise<string[]> => {
    const shown = await engine.inspect<{ NetworkSettings: { Ports: Record<string, { HostIp: string }[]> } }>(id);
    return shown.NetworkSettings.Ports["80/tcp"]!.map(({ HostIp }) => HostIp);
  };
  const tables = (): Promise<string> => must(daemon.netns.inside(["nft", "list", "tables"]));

  test("published ports go on when the rules go, and when they come back", async () => {
    const id = await serve("18650");
    await answers("127.0.0.1", "18650");
    expect(await tables()).toContain("coracle-");
    await restart("--iptables=false");
    await expect.poll(tables).toBe("");
    await answers("127.0.0.1", "18650");
    await answers(daemon.netns.address, "18650");
    const other = await serve("18651");
    await answers("[::1]", "18651");
    await answers(daemon.netns.address, "18651");
    await engine.remove(other);
    expect(await answer("127.0.0.1", "18651")).toBe("");
    await restart();
    await answers("127.0.0.1", "18650");
    await engine.remove(id);
  });

  test("without rules, packets leave under their own address, and 127.0.0.0/8 leads to no bridge", async () => {
    await restart("--iptables=false");
    const { Id } = (await engine.read<Json[]>("/networks")).find(({ Name }) => Name === "bridge") as { Id: string };
    const bridge = await engine.read<{ Options: Record<string, string> }>(`/networks/${Id}`);
    const name = bridge.Options["com.docker.network.bridge.name"]!;
    const routes = await must(daemon.netns.inside(["cat", `/proc/sys/net/ipv4/conf/${name}/route_localnet`]));
    expect(routes).toBe("0\n");
    const out = await engine.run({ Cmd: ["ping", "-c", "1", "-W", "2", daemon.netns.hostAddress] });
    expect(out.code).toBe(1);
    const near = await engine.run({ Cmd: ["ping", "-c", "1", "-W", "2", daemon.netns.address] });
    expect(near.code).toBe(0);
  });

  test("without a program, ports are published on IPv4 only, by rules", async () => {
    await restart("--userland-proxy=false");
    const id = await serve("18652");
    expect(await addressesOf(id)).toEqual(["0.0.0.0"]);
    await answers("127.0.0.1", "18652");
    expect(await answer("[::1]", "18652")).toBe("");
    // Once it has IPv6, by another network, rules lead there, too.
    const IPAM = { Config: [{ Subnet: "fd00:652::/64" }] };
    const six = { Name: "six", EnableIPv4: false, EnableIPv6: true, IPAM };
    await engine.must(201, "POST", "/networks/create", six, { version: "1.48" });
    await engine.must(200, "POST", "/networks/six/connect", { Container: id });
    expect((await addressesOf(id)).sort()).toEqual(["0.0.0.0", "::"]);
    await answers("[fd00:652::1]", "18652");
    await engine.must(200, "POST", "/networks/six/disconnect", { Container: id });
    expect(await addressesOf(id)).toEqual(["0.0.0.0"]);
    await answers("127.0.0.1", "18652");
    await engine.remove(id);
    await engine.must(204, "DELETE", "/networks/six");
    const PortBindings = { "80/tcp": [{ HostIp: "::1", HostPort: "18654" }] };
    const loop = await engine.create({ HostConfig: { PortBindings }, Cmd: SERVER });
    await engine.start(loop);
    expect(await engine.inspect(loop)).toMatchObject({ NetworkSettings: { Ports: {} } });
    expect(await binding("::1", "18654")).toBe("bound");
    await engine.remove(loop);
  });

  test("without both, a port is only held", async () => {
    await restart("--iptables=false", "--userland-proxy=false");
    const id = await serve("18653");
    const address = (await engine.inspect<{ NetworkSettings: { Networks: Record<string, { IPAddress: string }> } }>(id))
      .NetworkSettings.Networks["bridge"]!.IPAddress;
    await answers(address, "80");
    expect(await answer("127.0.0.1", "18653")).toBe("");
    expect(await binding("127.0.0.1", "18653")).toBe("EADDRINUSE");
    await engine.remove(id);
    expect(await binding("127.0.0.1", "18653")).toBe("bound");
  });
});

const BIND = `
  const server = require("node:net").createServer();
  server.on("error", ({ code }) => process.stdout.write(code));
  server.listen(Number(process.argv[2]), process.argv[1], () => server.close(() => process.stdout.write("bound")));
`;
