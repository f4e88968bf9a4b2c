// User-defined networks with real packets: who reaches whom, and what is left of a network on the machine.
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { must, run, until } from "../support/commands.js";
import type { DaemonProcess } from "../support/daemon-process.js";
import { EngineClient, messageOf, type Json } from "../support/engine-client.js";
import { missingLinux, startCoracle } from "../support/engines.js";
import { describeUnless } from "../support/on-engines.js";

const missing = missingLinux();

describeUnless(missing, "own networks", () => {
  let daemon: DaemonProcess;
  let engine: EngineClient;
  beforeAll(async () => {
    daemon = await startCoracle();
    engine = new EngineClient(daemon.socketPath);
  });
  afterAll(async () => daemon?.close());
  afterEach(async () => {
    for (const { Id } of await engine.read<{ Id: string }[]>("/containers/json?all=1")) await engine.remove(Id);
    await engine.must(200, "POST", "/networks/prune");
  });

  test("containers reach those of their network and the outside, and no other network's", async () => {
    for (const [name, net] of [
      ["left", "10.211.0"],
      ["right", "10.212.0"],
    ] as const)
      await make(name, net);
    await idle("left");
    await idle("right");
    expect(await reaches("left", "10.211.0.2")).toBe(true);
    expect(await reaches("left", daemon.netns.hostAddress)).toBe(true);
    expect(await reaches("left", "10.212.0.2")).toBe(false);
    expect(await reaches("bridge", "10.212.0.2")).toBe(false);
  });

  test("an internal network leads nowhere, and publishes nothing", async () => {
    await make("inner", "10.211.0", { Internal: true });
    const id = await serve("inner", "18510");
    expect(await reaches("inner", "10.211.0.2")).toBe(true);
    expect(await reaches("inner", daemon.netns.hostAddress)).toBe(false);
    expect(await answer(daemon.netns.address, "18510")).toBe("");
    expect((await engine.inspect<{ NetworkSettings: { Ports: Json } }>(id)).NetworkSettings.Ports).toEqual({
      "80/tcp": null,
    });
    const routes = await engine.run({ ...on("inner"), Cmd: ["ip", "route"] });
    expect(routes.stdout).not.toContain("default");
  });

  test("without connections between containers, published ports still work", async () => {
    await make("apart", "10.211.0", { Options: { "com.docker.network.bridge.enable_icc": "false" } });
    await serve("apart", "18511");
    expect(await reaches("apart", "10.211.0.2")).toBe(false);
    expect(await reaches("apart", daemon.netns.hostAddress)).toBe(true);
    await until("an answer", async () => (await answer(daemon.netns.address, "18511")) === "hello\n");
  });

  test("without connections between containers, none reaches another through the gateway", async () => {
    // Addresses of no other test: the kernel still knows those tests' pings, and would let equal ones pass as answers.
    for (const [name, net, connects, code] of [
      ["apart", "10.214.0", "false", 1],
      ["joined", "10.215.0", "true", 0],
    ] as const) {
      await make(name, net, { Options: { "com.docker.network.bridge.enable_icc": connects } });
      // Both send packets for each other to the gateway: answers on the direct way would be dropped.
      const HostConfig = { NetworkMode: name, CapAdd: ["NET_ADMIN"] };
      const detour = (to: string): string => `ip route add ${to} via ${net}.1 && echo routed`;
      const neighbour = ["sh", "-c", `${detour(`${net}.3`)} && exec sleep 1000`];
      const id = await engine.running({ HostConfig, Cmd: neighbour });
      await until("a route", async () => (await engine.logs(id)).stdout === "routed\n");
      const asking = `${detour(`${net}.2`)} && ping -c 1 -W 2 ${net}.2 > /dev/null`;
      const seen = await engine.run({ HostConfig, Cmd: ["sh", "-c", asking] });
      expect([seen.stdout, seen.code]).toEqual(["routed\n", code]);
    }
  });

  test("packets have the size, the address and the interface that options ask for", async () => {
    await make("sized", "10.211.0", {
      Options: { "com.docker.network.driver.mtu": "1400", "com.docker.network.bridge.name": "sized0" },
    });
    const seen = await engine.run({ ...on("sized"), Cmd: ["cat", "/sys/class/net/eth0/mtu"] });
    expect(seen.stdout).toBe("1400\n");
    expect(await must(daemon.netns.inside(["ip", "-o", "link", "show", "sized0"]))).toContain("mtu 1400 ");
    await make("local", "10.212.0", { Options: { "com.docker.network.bridge.host_binding_ipv4": "127.0.0.1" } });
    const id = await serve("local", "18512");
    const { NetworkSettings } = await engine.inspect<{ NetworkSettings: { Ports: Json } }>(id);
    expect(NetworkSettings.Ports).toEqual({ "80/tcp": [{ HostIp: "127.0.0.1", HostPort: "18512" }] });
    await until("an answer", async () => (await answer("127.0.0.1", "18512")) === "hello\n");
    expect(await answer(daemon.netns.address, "18512")).toBe("");
  });

  test("an interface of the machine that is no bridge is not taken", async () => {
    const Options = { "com.docker.network.bridge.name": "up0" };
    const answer = await engine.call("POST", "/networks/create", { Name: "taken", Options });
    expect([answer.status, messageOf(answer)]).toEqual([500, "existing interface up0 is not a bridge"]);
    expect((await engine.call("GET", "/networks/taken")).status).toBe(404);
  });

  test("they outlive the engine, and nothing of a removed one stays on the machine", async () => {
    const before = await onMachine();
    await make("kept", "10.211.0");
    const id = await serve("kept", "18513");
    await daemon.end("SIGKILL");
    expect(await must(daemon.netns.inside(["ip", "-br", "link"]))).toContain("br-");
    await daemon.start();
    expect(await reaches("kept", "10.211.0.2")).toBe(true);
    await until("an answer", async () => (await answer("127.0.0.1", "18513")) === "hello\n");
    await engine.remove(id);
    await engine.must(204, "DELETE", "/networks/kept");
    expect(await onMachine()).toEqual(before);
  });

  async function make(name: string, net: string, more: Json = {}): Promise<void> {
    const body = { Name: name, IPAM: { Config: [{ Subnet: `${net}.0/24` }] }, ...more };
    await engine.must(201, "POST", "/networks/create", body);
  }

  function on(network: string): Json {
    return { HostConfig: { NetworkMode: network } };
  }

  async function idle(network: string): Promise<string> {
    return engine.running(on(network));
  }

  /** A web server, published on that port. */
  async function serve(network: string, port: string): Promise<string> {
    const HostConfig = { NetworkMode: network, PortBindings: { "80/tcp": [{ HostPort: port }] } };
    const serving = "mkdir /www; echo hello > /www/index.html; exec httpd -f -p 80 -h /www";
    const id = await engine.create({ HostConfig, ExposedPorts: { "80/tcp": {} }, Cmd: ["sh", "-c", serving] });
    await engine.start(id);
    return id;
  }

  async function reaches(network: string, address: string): Promise<boolean> {
    return (await engine.run({ ...on(network), Cmd: ["ping", "-c", "1", "-W", "2", address] })).code === 0;
  }

  /** Empty if nobody answers. */
  async function answer(address: string, port: string): Promise<string> {
    const ask = [process.execPath, "-e", ASK, `http://${address}:${port}/`];
    return (await run(daemon.netns.inside(ask))).stdout;
  }

  async function onMachine(): Promise<string[]> {
    const links = await must(daemon.netns.inside(["ip", "-br", "link"]));
    const tables = await must(daemon.netns.inside(["nft", "list", "tables"]));
    return [...links.split("\n").map((line) => line.split(/[ @]/)[0]!), ...tables.split("\n")].sort();
  }
});

const ASK = `
  fetch(process.argv[1], { signal: AbortSignal.timeout(2000) })
    .then(async (answer) => process.stdout.write(await answer.text()))
    .catch(() => {});
`;
