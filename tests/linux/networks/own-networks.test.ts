// User-defined networks with real packets: who reaches whom, and what is left of a network on the machine.
import { expect, test } from "vitest";
import { must, until } from "../../support/commands.js";
import { messageOf, type Json } from "../../support/engine-client.js";
import { missingLinux } from "../../support/engines.js";
import { describeUnless } from "../../support/on-engines.js";
import { NetworkDaemon, on } from "./network-daemon.js";

describeUnless(missingLinux(), "own networks", () => {
  const own = new NetworkDaemon();

  test("containers reach those of their network and the outside, and no other network's", async () => {
    for (const [name, net] of [
      ["left", "10.211.0"],
      ["right", "10.212.0"],
    ] as const)
      await own.make(name, net);
    await idle("left");
    await idle("right");
    expect(await reaches("left", "10.211.0.2")).toBe(true);
    expect(await reaches("left", own.daemon.netns.hostAddress)).toBe(true);
    expect(await reaches("left", "10.212.0.2")).toBe(false);
    expect(await reaches("bridge", "10.212.0.2")).toBe(false);
  });

  test("an internal network leads nowhere, and publishes nothing", async () => {
    await own.make("inner", "10.211.0", { Internal: true });
    const id = await own.serve("inner", SERVER, "18510");
    expect(await reaches("inner", "10.211.0.2")).toBe(true);
    expect(await reaches("inner", own.daemon.netns.hostAddress)).toBe(false);
    expect(await own.answer(own.daemon.netns.address, "18510")).toBe("");
    expect((await own.engine.inspect<{ NetworkSettings: { Ports: Json } }>(id)).NetworkSettings.Ports).toEqual({
      "80/tcp": null,
    });
    const routes = await own.engine.run({ ...on("inner"), Cmd: ["ip", "route"] });
    expect(routes.stdout).not.toContain("default");
  });

  test("without connections between containers, published ports still work", async () => {
    await own.make("apart", "10.211.0", { Options: { "com.docker.network.bridge.enable_icc": "false" } });
    await own.serve("apart", SERVER, "18511");
    expect(await reaches("apart", "10.211.0.2")).toBe(false);
    expect(await reaches("apart", own.daemon.netns.hostAddress)).toBe(true);
    await until("an answer", async () => (await own.answer(own.daemon.netns.address, "18511")) === "hello\n");
  });

  test("without connections between containers, none reaches another through the gateway", async () => {
    // Addresses of no other test: the kernel still knows those tests' pings, and would let equal ones pass as answers.
    for (const [name, net, connects, code] of [
      ["apart", "10.214.0", "false", 1],
      ["joined", "10.215.0", "true", 0],
    ] as const) {
      await own.make(name, net, { Options: { "com.docker.network.bridge.enable_icc": connects } });
      // Both send packets for each other to the gateway: answers on the direct way would be dropped.
      const HostConfig = { NetworkMode: name, CapAdd: ["NET_ADMIN"] };
      const detour = (to: string): string => `ip route add ${to} via ${net}.1 && echo routed`;
      const neighbour = ["sh", "-c", `${detour(`${net}.3`)} && exec sleep 1000`];
      const id = await own.engine.running({ HostConfig, Cmd: neighbour });
      await until("a route", async () => (await own.engine.logs(id)).stdout === "routed\n");
      const asking = `${detour(`${net}.2`)} && ping -c 1 -W 2 ${net}.2 > /dev/null`;
      const seen = await own.engine.run({ HostConfig, Cmd: ["sh", "-c", asking] });
      expect([seen.stdout, seen.code]).toEqual(["routed\n", code]);
    }
  });

  test("packets have the size, the address and the interface that options ask for", async () => {
    await own.make("sized", "10.211.0", {
      Options: { "com.docker.network.driver.mtu": "1400", "com.docker.network.bridge.name": "sized0" },
    });
    const seen = await own.engine.run({ ...on("sized"), Cmd: ["cat", "/sys/class/net/eth0/mtu"] });
    expect(seen.stdout).toBe("1400\n");
    expect(await must(own.daemon.netns.inside(["ip", "-o", "link", "show", "sized0"]))).toContain("mtu 1400 ");
    await own.make("local", "10.212.0", { Options: { "com.docker.network.bridge.host_binding_ipv4": "127.0.0.1" } });
    const id = await own.serve("local", SERVER, "18512");
    const { NetworkSettings } = await own.engine.inspect<{ NetworkSettings: { Ports: Json } }>(id);
    expect(NetworkSettings.Ports).toEqual({ "80/tcp": [{ HostIp: "127.0.0.1", HostPort: "18512" }] });
    await until("an answer", async () => (await own.answer("127.0.0.1", "18512")) === "hello\n");
    expect(await own.answer(own.daemon.netns.address, "18512")).toBe("");
  });

  test("an interface of the machine that is no bridge is not taken", async () => {
    const Options = { "com.docker.network.bridge.name": "up0" };
    const answer = await own.engine.call("POST", "/networks/create", { Name: "taken", Options });
    expect([answer.status, messageOf(answer)]).toEqual([500, "existing interface up0 is not a bridge"]);
    expect((await own.engine.call("GET", "/networks/taken")).status).toBe(404);
  });

  test("they outlive the engine, and nothing of a removed one stays on the machine", async () => {
    const before = await onMachine();
    await own.make("kept", "10.211.0");
    const id = await own.serve("kept", SERVER, "18513");
    await own.daemon.end("SIGKILL");
    expect(await must(own.daemon.netns.inside(["ip", "-br", "link"]))).toContain("br-");
    await own.daemon.start();
    expect(await reaches("kept", "10.211.0.2")).toBe(true);
    await until("an answer", async () => (await own.answer("127.0.0.1", "18513")) === "hello\n");
    await own.engine.remove(id);
    await own.engine.must(204, "DELETE", "/networks/kept");
    expect(await onMachine()).toEqual(before);
  });

  async function idle(network: string): Promise<string> {
    return own.engine.running(on(network));
  }

  async function reaches(network: string, address: string): Promise<boolean> {
    return (await own.engine.run({ ...on(network), Cmd: ["ping", "-c", "1", "-W", "2", address] })).code === 0;
  }

  async function onMachine(): Promise<string[]> {
    const links = await must(own.daemon.netns.inside(["ip", "-br", "link"]));
    const chains = await must(own.daemon.netns.inside(["nft", "list", "chains"]));
    return [...links.split("\n").map((line) => line.split(/[ @]/)[0]!), ...chains.split("\n")].sort();
  }
});

const SERVER = "mkdir /www; echo hello > /www/index.html; exec httpd -f -p 80 -h /www";
