// Two engines on one machine keep apart what they make there: bridges, subnets, firewall rules, control groups.
import { existsSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { must, run, until } from "../../support/commands.js";
import type { DaemonProcess } from "../../support/daemon-process.js";
import { EngineClient, messageOf, type Json } from "../../support/engine-client.js";
import { missingLinux, startBeside, startCoracle } from "../../support/engines.js";
import { describeUnless } from "../../support/on-engines.js";
import { childrenOf, findProcesses } from "../../support/processes.js";
import { ASK } from "./network-daemon.js";

const missing = missingLinux();

describeUnless(missing, "two engines", () => {
  let first: DaemonProcess;
  let second: DaemonProcess;
  let one: EngineClient;
  let other: EngineClient;
  beforeAll(async () => {
    first = await startCoracle();
    second = await startBeside(first);
    one = new EngineClient(first.socketPath);
    other = new EngineClient(second.socketPath);
  });
  afterAll(async () => {
    await second?.close();
    await first?.close();
  });

  test("have networks of their own, with subnets of their own, however long both have been running", async () => {
    for (const engine of [one, other]) await engine.must(201, "POST", "/networks/create", { Name: "chosen" });
    const networks = await Promise.all(
      [one, other].flatMap((engine) => ["bridge", "chosen"].map((name) => placeOf(engine, name))),
    );
    expect(new Set(networks.map(({ subnet }) => subnet)).size).toBe(4);
    const bridges = (await Promise.all([one, other].map((engine) => placeOf(engine, "bridge")))).map(
      ({ bridge }) => bridge,
    );
    expect(new Set(bridges).size).toBe(2);
    const links = await must(first.netns.inside(["ip", "-br", "link", "show", "type", "bridge"]));
    for (const bridge of bridges) expect(links).toMatch(new RegExp(`^${bridge} `, "m"));
    // The subnet of the other one's network is refused as that of an own one would be.
    const Config = [{ Subnet: networks[3]!.subnet }];
    const answer = await one.call("POST", "/networks/create", { Name: "same", IPAM: { Config } });
    expect([answer.status, messageOf(answer)]).toEqual([
      403,
      "invalid pool request: Pool overlaps with other one on this address space",
    ]);
    for (const engine of [one, other]) await engine.must(204, "DELETE", "/networks/chosen");
  });

  test("do not connect their containers, and both publish ports", async () => {
    const ids = await Promise.all([serve(one, "18530"), serve(other, "18531")]);
    for (const port of ["18530", "18531"]) await answering(port);
    const address = await addressOf(other, ids[1]!);
    expect((await other.run({ Cmd: ["ping", "-c", "1", "-W", "2", address] })).code).toBe(0);
    expect((await one.run({ Cmd: ["ping", "-c", "1", "-W", "2", address] })).code).toBe(1);
    await one.remove(ids[0]!);
    await other.remove(ids[1]!);
  });

  test("what one of them removes and sweeps is its own", async () => {
    const [mine, theirs] = [await serve(one, "18532"), await serve(other, "18533")];
    await one.running();
    await answering("18533");
    const before = await kept(other, theirs);
    await one.remove(mine);
    // A crash with its containers: the next start finds and sweeps their leftovers.
    await first.end("SIGKILL");
    for (const pid of findProcesses(`${first.directories.root}/`)) {
      for (const each of [...childrenOf(pid), pid]) process.kill(each, "SIGKILL");
    }
    expect(await kept(other, theirs)).toEqual(before);
    await first.start();
    expect(await kept(other, theirs)).toEqual(before);
    await answering("18533");
    expect((await other.inspect<{ State: Json }>(theirs)).State).toMatchObject({ Running: true });
    // Its last container gone, and its networks unused.
    for (const { Id } of await one.read<{ Id: string }[]>("/containers/json?all=1")) await one.remove(Id);
    await one.must(200, "POST", "/networks/prune");
    expect(await kept(other, theirs)).toEqual(before);
    await answering("18533");
    await other.remove(theirs);
  });

  async function placeOf(engine: EngineClient, name: string): Promise<{ subnet: string; bridge: string }> {
    const network = await engine.read<{
      IPAM: { Config: { Subnet: string }[] };
      Options: Record<string, string>;
    }>(`/networks/${name}`);
    const bridge = network.Options["com.docker.network.bridge.name"] ?? "";
    return { subnet: network.IPAM.Config[0]!.Subnet, bridge };
  }

  /** What an engine has on the machine for its default bridge and a container on it. */
  async function kept(engine: EngineClient, id: string): Promise<unknown> {
    const { bridge } = await placeOf(engine, "bridge");
    const inside = (...command: string[]): Promise<string> => must(first.netns.inside(command));
    // It is named as the bridge is, but an interface's name is shorter.
    const table = (await inside("nft", "list", "tables"))
      .split("\n")
      .find((line) => line.startsWith(`table ip ${bridge}`));
    const { State } = await engine.inspect<{ State: { Pid: number } }>(id);
    return {
      links: await inside("ip", "-br", "link", "show", "master", bridge),
      address: await inside("ip", "-br", "addr", "show", bridge),
      // Without counters, this is the same text as long as nobody changes a rule.
      rules: await inside("nft", "--stateless", "list", ...table!.split(" ")),
      groups: (await must(["cat", `/proc/${State.Pid}/cgroup`])).split("\n").sort(),
      isAlive: existsSync(`/proc/${State.Pid}`),
    };
  }

  async function addressOf(engine: EngineClient, id: string): Promise<string> {
    const { NetworkSettings } = await engine.inspect<{
      NetworkSettings: { Networks: Record<string, { IPAddress: string }> };
    }>(id);
    return NetworkSettings.Networks["bridge"]!.IPAddress;
  }

  /** A web server on the default bridge, published on that port. */
  async function serve(engine: EngineClient, port: string): Promise<string> {
    const HostConfig = { PortBindings: { "80/tcp": [{ HostPort: port }] } };
    const serving = "mkdir /www; echo hello > /www/index.html; exec httpd -f -p 80 -h /www";
    const id = await engine.create({ HostConfig, ExposedPorts: { "80/tcp": {} }, Cmd: ["sh", "-c", serving] });
    await engine.start(id);
    return id;
  }

  async function answering(port: string): Promise<void> {
    const asking = [process.execPath, "-e", ASK, `http://${first.netns.address}:${port}/`, "2000"];
    await until(`an answer at port ${port}`, async () => (await run(asking)).stdout === "hello\n");
  }
});
