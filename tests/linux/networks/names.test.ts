// Names of containers on user-defined networks: what containers are told at 127.0.0.11, also while no engine runs, and
// that nothing of it is left over.
import { afterAll, beforeAll, expect, test } from "vitest";
import { must, run, until } from "../../support/commands.js";
import type { DaemonProcess } from "../../support/daemon-process.js";
import { EngineClient, type Json } from "../../support/engine-client.js";
import { missingLinux, startCoracle } from "../../support/engines.js";
import { describeUnless } from "../../support/on-engines.js";
import { findProcesses } from "../../support/processes.js";

describeUnless(missingLinux(), "names", () => {
  let daemon: DaemonProcess;
  let engine: EngineClient;
  /** First processes by container. */
  const pids = new Map<string, number>();

  beforeAll(async () => {
    daemon = await startCoracle();
    engine = new EngineClient(daemon.socketPath);
    for (const Name of ["shop", "store"]) await engine.must(201, "POST", "/networks/create", { Name });
  });

  afterAll(async () => {
    await daemon?.close();
    expect(resolvers()).toEqual([]);
  });

  test("containers find each other by name, alias, short id and host name, and the name of an address", async () => {
    const db = await on("shop", "db", { Hostname: "dbhost" }, { Aliases: ["data"] });
    const address = await addressOf(db, "shop");
    const web = await on("shop", "web");
    for (const name of ["db", "DB.shop", "data", "dbhost", db.slice(0, 12)]) {
      expect(await lookUp(web, name), name).toEqual([address]);
    }
    expect((await run(within(web, ["nslookup", address]))).stdout).toContain("name = db.shop");
    const other = await on("store", "other");
    expect(await lookUp(other, "db")).toEqual([]);
    await must(within(web, ["ping", "-c", "1", "data"]));
    for (const id of [db, web, other]) await engine.remove(id);
  });

  test("containers with the same alias are told in turn, and only while they run", async () => {
    const [one, two] = [
      await on("shop", "one", {}, { Aliases: ["both"] }),
      await on("shop", "two", {}, { Aliases: ["both"] }),
    ];
    const addresses = [await addressOf(one, "shop"), await addressOf(two, "shop")];
    const firsts = new Set<string | undefined>();
    for (let turn = 0; turn < 4; turn++) {
      const told = await lookUp(one, "both");
      expect(told.toSorted()).toEqual(addresses.toSorted());
      firsts.add(told[0]);
    }
    expect(firsts.size).toBe(2);
    await engine.must(204, "POST", `/containers/${two}/kill`);
    await until("the other one is alone", async () => (await lookUp(one, "both")).length === 1);
    for (const id of [one, two]) await engine.remove(id);
  });

  test("a running container may have ten thousand aliases, which are known to the next engine, too", async () => {
    const Aliases = [
      ...Array.from({ length: 10_000 }, (_, at) => `a${at}`),
      "x".repeat(63),
      "x".repeat(300),
      "a b",
      "",
    ];
    const many = await on("store", "many");
    const asking = await on("shop", "asking");
    await engine.must(200, "POST", "/networks/shop/connect", { Container: many, EndpointConfig: { Aliases } });
    const found = [await addressOf(many, "shop")];
    const known = ["a0", "A9999.shop", "x".repeat(63), "many"];
    for (const name of known) expect(await lookUp(asking, name), name).toEqual(found);
    await daemon.end("SIGKILL");
    for (const name of known) expect(await lookUp(asking, name), name).toEqual(found);
    await daemon.start();
    for (const name of known) expect(await lookUp(asking, name), name).toEqual(found);
    await engine.must(204, "POST", `/containers/${many}/restart?t=0`);
    for (const name of known) expect(await lookUp(asking, name), name).toEqual([await addressOf(many, "shop")]);
    await engine.must(200, "POST", "/networks/shop/disconnect", { Container: many });
    for (const name of known) expect(await lookUp(asking, name), name).toEqual([]);
    for (const id of [many, asking]) await engine.remove(id);
  });

  test("a renamed container is found by its new name alone, and by links under their own", async () => {
    const db = await on("shop", "before");
    const address = await addressOf(db, "shop");
    const web = await on("shop", "linked", {
      HostConfig: { NetworkMode: "shop", Dns: ["127.0.0.1"], Links: ["before:store"] },
    });
    await engine.must(204, "POST", `/containers/${db}/rename?name=after`);
    await until("the new name is known", async () => (await lookUp(web, "after"))[0] === address);
    expect(await lookUp(web, "before")).toEqual([]);
    expect(await lookUp(web, "store")).toEqual([address]);
    expect(await lookUp(db, "store")).toEqual([]);
    for (const id of [db, web]) await engine.remove(id);
  });

  test("resolv.conf leads to the resolver, and keeps what the client chose", async () => {
    const HostConfig = { NetworkMode: "shop", Dns: ["192.0.2.1"], DnsSearch: ["example.org"] };
    const shown = async (options: string[]): Promise<string> => {
      return (
        await engine.run({ Cmd: ["cat", "/etc/resolv.conf"], HostConfig: { ...HostConfig, DnsOptions: options } })
      ).stdout;
    };
    const lines = "search example.org\nnameserver 127.0.0.11\n";
    expect(await shown(["timeout:1"])).toBe(`${lines}options timeout:1\noptions ndots:0\n`);
    expect(await shown(["ndots:3"])).toBe(`${lines}options ndots:3\n`);
  });

  test("names resolve while the engine is killed, and the next one finds the resolver process", async () => {
    const db = await on("shop", "db");
    const web = await on("shop", "web");
    const address = await addressOf(db, "shop");
    const before = resolvers();
    await daemon.end("SIGKILL");
    expect((await run(within(web, ["nslookup", "db"]))).stdout).toContain(`Address: ${address}`);
    await daemon.start();
    expect(resolvers()).toEqual(before);
    const more = await on("shop", "more");
    expect(await lookUp(web, "more")).toEqual([await addressOf(more, "shop")]);
    expect(await lookUp(web, "db")).toEqual([address]);
    for (const id of [db, web, more]) await engine.remove(id);
  });

  async function on(network: string, name: string, config: Json = {}, settings: Json = {}): Promise<string> {
    // Nothing listens there, so other names fail at once.
    const HostConfig = { NetworkMode: network, Dns: ["127.0.0.1"] };
    const NetworkingConfig = { EndpointsConfig: { [network]: settings } };
    const id = await engine.running({ HostConfig, NetworkingConfig, ...config }, `?name=${name}`);
    pids.set(id, (await engine.inspect<{ State: { Pid: number } }>(id)).State.Pid);
    return id;
  }

  /** A command line that runs a program of the container in it, also while no engine runs. */
  function within(id: string, command: string[]): string[] {
    return ["nsenter", `--target=${pids.get(id)}`, "--net", "--mount", "--root", "--", ...command];
  }

  function resolvers(): number[] {
    return findProcesses("names.cjs", daemon.directories.root);
  }

  async function addressOf(id: string, network: string): Promise<string> {
    const { NetworkSettings } = await engine.inspect<{
      NetworkSettings: { Networks: Record<string, { IPAddress: string }> };
    }>(id);
    return NetworkSettings.Networks[network]!.IPAddress;
  }

  /** The IPv4 addresses that a container is told for a name. */
  async function lookUp(id: string, name: string): Promise<string[]> {
    const { stdout } = await run(within(id, ["nslookup", "-type=a", name]));
    return [...stdout.matchAll(/^Address:\s+([0-9.]+)$/gm)].map(([, address = ""]) => address);
  }
});
