// Inspect: every field is tested with two values; the output must change with the input.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { SIMULATED } from "../support/allowed-skips.js";
import { MEMORY_EATER } from "../support/measured/memory-eater.js";
import { onEngines, testExcept } from "../support/on-engines.js";
import type { Json } from "../support/engine-client.js";
import { until } from "../support/commands.js";
import { goOn, WAITS } from "../support/gate.js";
import { past, stamp } from "../support/past-events.js";

/** The path in inspect, then a create body for each of two values, each followed by the value. */
type Pair = readonly [path: string, one: Json, first: unknown, two: Json, second: unknown];

const MIB = 1 << 20;
/** Largest difference between the clock of a simulated world and the test's. */
const CLOCKS_MS = 3000;
const PATH = "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

const CONFIG: readonly Pair[] = [
  ["Config.Hostname", { Hostname: "one" }, "one", { Hostname: "two" }, "two"],
  ["Config.Domainname", {}, "", { Domainname: "d.test" }, "d.test"],
  ["Config.User", {}, "", { User: "nobody" }, "nobody"],
  ["Config.AttachStdin", {}, false, { AttachStdin: true }, true],
  ["Config.AttachStdout", {}, false, { AttachStdout: true }, true],
  ["Config.AttachStderr", {}, false, { AttachStderr: true }, true],
  ["Config.Tty", {}, false, { Tty: true }, true],
  ["Config.OpenStdin", {}, false, { OpenStdin: true }, true],
  ["Config.StdinOnce", {}, false, { StdinOnce: true }, true],
  ["Config.Env", {}, [PATH], { Env: ["A=1"] }, ["A=1", PATH]],
  ["Config.Cmd", { Cmd: ["true"] }, ["true"], { Cmd: ["echo", "x"] }, ["echo", "x"]],
  ["Config.Image", {}, "busybox", { Image: "busybox:latest" }, "busybox:latest"],
  ["Config.WorkingDir", {}, "", { WorkingDir: "/tmp" }, "/tmp"],
  ["Config.Entrypoint", {}, null, { Entrypoint: ["/bin/true"] }, ["/bin/true"]],
  ["Config.Labels", {}, {}, { Labels: { a: "1" } }, { a: "1" }],
  ["Config.ExposedPorts", {}, undefined, { ExposedPorts: { "80/tcp": {} } }, { "80/tcp": {} }],
  ["Config.StopSignal", {}, undefined, { StopSignal: "SIGINT" }, "SIGINT"],
  ["Config.StopTimeout", {}, undefined, { StopTimeout: 3 }, 3],
  ["Config.Shell", {}, undefined, { Shell: ["/bin/ash"] }, ["/bin/ash"]],
  ["Path", { Cmd: ["true"] }, "true", { Cmd: ["echo", "x"] }, "echo"],
  ["Args", { Cmd: ["true"] }, [], { Cmd: ["echo", "x"] }, ["x"]],
  ["Name", {}, "/first", {}, "/second"],
];

const ULIMIT = { Name: "nofile", Soft: 10, Hard: 20 };
const DEVICE = { PathOnHost: "/dev/null", PathInContainer: "/dev/x", CgroupPermissions: "r" };

const HOST_CONFIG: readonly Pair[] = [
  ["AutoRemove", {}, false, { AutoRemove: true }, true],
  ["Binds", {}, null, { Binds: ["/usr/share:/x"] }, ["/usr/share:/x"]],
  ["CapAdd", {}, null, { CapAdd: ["NET_ADMIN"] }, ["NET_ADMIN"]],
  ["CapDrop", {}, null, { CapDrop: ["MKNOD"] }, ["MKNOD"]],
  ["Memory", {}, 0, { Memory: 64 * MIB }, 64 * MIB],
  ["MemorySwap", { Memory: 64 * MIB }, 128 * MIB, { Memory: 32 * MIB }, 64 * MIB],
  ["NanoCpus", {}, 0, { NanoCpus: 5e8 }, 5e8],
  ["NetworkMode", { NetworkMode: "none" }, "none", { NetworkMode: "host" }, "host"],
  ["PidsLimit", {}, null, { PidsLimit: 99 }, 99],
  ["ReadonlyRootfs", {}, false, { ReadonlyRootfs: true }, true],
  ["SecurityOpt", {}, null, { SecurityOpt: ["no-new-privileges"] }, ["no-new-privileges"]],
  ["ContainerIDFile", {}, "", { ContainerIDFile: "/tmp/cid" }, "/tmp/cid"],
  ["Dns", {}, null, { Dns: ["10.1.2.3"] }, ["10.1.2.3"]],
  ["DnsOptions", {}, null, { DnsOptions: ["ndots:1"] }, ["ndots:1"]],
  ["DnsSearch", {}, null, { DnsSearch: ["d.test"] }, ["d.test"]],
  ["ExtraHosts", {}, null, { ExtraHosts: ["a:10.1.2.3"] }, ["a:10.1.2.3"]],
  ["GroupAdd", {}, null, { GroupAdd: ["7"] }, ["7"]],
  ["OomScoreAdj", {}, 0, { OomScoreAdj: 100 }, 100],
  ["OomKillDisable", {}, false, { OomKillDisable: true }, true],
  ["ShmSize", {}, 64 * MIB, { ShmSize: 8 * MIB }, 8 * MIB],
  ["Tmpfs", {}, undefined, { Tmpfs: { "/t": "size=1m" } }, { "/t": "size=1m" }],
  ["Sysctls", {}, undefined, { Sysctls: { "net.ipv4.ip_forward": "1" } }, { "net.ipv4.ip_forward": "1" }],
  ["Ulimits", {}, null, { Ulimits: [ULIMIT] }, [ULIMIT]],
  ["CpuShares", {}, 0, { CpuShares: 512 }, 512],
  ["CpuPeriod", {}, 0, { CpuPeriod: 50_000 }, 50_000],
  ["CpuQuota", {}, 0, { CpuQuota: 20_000 }, 20_000],
  ["CpusetCpus", {}, "", { CpusetCpus: "0" }, "0"],
  ["CpusetMems", {}, "", { CpusetMems: "0" }, "0"],
  ["MemoryReservation", {}, 0, { MemoryReservation: 32 * MIB }, 32 * MIB],
  ["MemorySwappiness", {}, null, { MemorySwappiness: 50 }, 50],
  ["UTSMode", {}, "", { UTSMode: "host" }, "host"],
  ["PidMode", {}, "", { PidMode: "host" }, "host"],
  ["IpcMode", {}, "private", { IpcMode: "none" }, "none"],
  ["CgroupnsMode", { CgroupnsMode: "private" }, "private", { CgroupnsMode: "host" }, "host"],
  ["CgroupParent", {}, "", { CgroupParent: "/parent" }, "/parent"],
  ["Privileged", {}, false, { Privileged: true }, true],
  ["PublishAllPorts", {}, false, { PublishAllPorts: true }, true],
  ["MaskedPaths", { MaskedPaths: ["/proc/kcore"] }, ["/proc/kcore"], { MaskedPaths: [] }, []],
  ["ReadonlyPaths", { ReadonlyPaths: ["/proc/bus"] }, ["/proc/bus"], { ReadonlyPaths: [] }, []],
  ["Init", {}, undefined, { Init: true }, true],
  ["VolumeDriver", {}, "", { VolumeDriver: "local" }, "local"],
  ["VolumesFrom", {}, null, { VolumesFrom: ["first"] }, ["first"]],
  ["Links", {}, null, { Links: ["first:x"] }, ["/first:/second/x"]],
  ["DeviceCgroupRules", {}, null, { DeviceCgroupRules: ["c 1:3 r"] }, ["c 1:3 r"]],
  ["Devices", {}, null, { Devices: [DEVICE] }, [DEVICE]],
  [
    "LogConfig",
    {},
    { Type: "json-file", Config: {} },
    { LogConfig: { Type: "none", Config: {} } },
    { Type: "none", Config: {} },
  ],
  [
    "PortBindings",
    {},
    null,
    { PortBindings: { "80/tcp": [{ HostIp: "", HostPort: "18080" }] } },
    { "80/tcp": [{ HostIp: "", HostPort: "18080" }] },
  ],
];

/** Removed with a warning on cgroup v2: see limits.test.ts. */
const OF_CGROUP_V1 = ["OomKillDisable", "MemorySwappiness"];

onEngines("inspect", (engine, kind) => {
  for (const [path, one, first, two, second] of CONFIG) {
    test(`${path}`, async () => {
      expect(await inspected(one, path, "first")).toEqual(first ?? emptyOf(path));
      expect(await inspected(two, path, "second")).toEqual(second);
    });
  }

  for (const [name, one, first, two, second] of HOST_CONFIG) {
    const reasons = name === "PidMode" ? { simulated: SIMULATED.processes } : {};
    testExcept(kind, reasons)(`HostConfig.${name}`, async () => {
      const path = `HostConfig.${name}`;
      const found = await inspected({ HostConfig: one }, path, "first");
      // null, an empty map and an empty list all mean that nothing was given.
      if (first === null) expect([null, [], {}]).toContainEqual(found);
      else expect(found).toEqual(first);
      const other = ["VolumesFrom", "Links"].includes(name) ? await engine().create({}, "?name=first") : null;
      const { CgroupVersion } = await engine().read<{ CgroupVersion: string }>("/info");
      const kept = CgroupVersion === "1" || !OF_CGROUP_V1.includes(name) ? second : first;
      expect(await inspected({ HostConfig: two }, path, "second")).toEqual(kept);
      if (other !== null) await engine().remove(other);
    });
  }

  test("State and times through a life", async () => {
    const before = Date.now();
    const id = await engine().create({ Cmd: ["sh", "-c", `${WAITS}; exit 7`] });
    const after = Date.now();
    const created = await state(id);
    expect(created).toMatchObject({
      Status: "created",
      Running: false,
      Paused: false,
      Restarting: false,
      OOMKilled: false,
      Dead: false,
      Pid: 0,
      ExitCode: 0,
      Error: "",
      StartedAt: "0001-01-01T00:00:00Z",
      FinishedAt: "0001-01-01T00:00:00Z",
    });
    const { Created } = await engine().inspect<{ Created: string }>(id);
    expect(Created).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?Z$/);
    expect(Date.parse(Created)).toBeGreaterThan(before - CLOCKS_MS);
    expect(Date.parse(Created)).toBeLessThan(after + CLOCKS_MS);
    await engine().start(id);
    const running = await state(id);
    expect(running).toMatchObject({ Status: "running", Running: true, FinishedAt: "0001-01-01T00:00:00Z" });
    expect(Date.parse(running["StartedAt"] as string)).toBeGreaterThanOrEqual(Date.parse(Created));
    expect(running["Pid"]).toBeGreaterThan(1);
    await goOn(engine(), id);
    await engine().wait(id);
    const exited = await state(id);
    expect(exited).toMatchObject({ Status: "exited", Running: false, Pid: 0, ExitCode: 7 });
    expect(Date.parse(exited["FinishedAt"] as string)).toBeGreaterThan(Date.parse(running["StartedAt"] as string));
    await engine().remove(id);
  });

  test("OOMKilled", async () => {
    const HostConfig = { Memory: 16 * MIB, MemorySwap: 16 * MIB };
    const since = await stamp(engine());
    const id = await engine().create({ Cmd: ["sh", "-c", `${MEMORY_EATER.join(" ")}; ${WAITS}`], HostConfig });
    await engine().start(id);
    await until("the kill to be told", async () => (await past(engine(), since, { event: ["oom"] })).length > 0);
    await goOn(engine(), id);
    await engine().wait(id);
    const found = await state(id);
    expect(found["OOMKilled"]).toBe(true);
    await engine().remove(id);
  });

  test("Id, Image, Driver, Platform, paths, RestartCount", async () => {
    const id = await engine().create({ Cmd: ["sleep", "100"], StopSignal: "SIGKILL" });
    const image = await engine().read<{ Id: string }>("/images/busybox/json");
    const fresh = await engine().inspect(id);
    expect(fresh).toMatchObject({
      Id: id,
      Image: image.Id,
      Platform: "linux",
      RestartCount: 0,
      ExecIDs: null,
      MountLabel: "",
      ProcessLabel: "",
      AppArmorProfile: "",
    });
    expect(typeof fresh["Driver"]).toBe("string");
    for (const key of ["ResolvConfPath", "HostnamePath", "HostsPath"]) expect([key, fresh[key]]).toEqual([key, ""]);
    await engine().start(id);
    const started = await engine().inspect(id);
    for (const key of ["ResolvConfPath", "HostnamePath", "HostsPath"]) {
      expect(started[key]).toMatch(new RegExp(`^/.*${id}`));
    }
    await engine().remove(id);
  });

  test("Mounts: a bind, read-only or not", async () => {
    const directory = await mkdtemp(join(tmpdir(), "coracle-bind-"));
    try {
      const id = await engine().create({ HostConfig: { Binds: [`${directory}:/a`, "/usr/share:/b:ro"] } });
      const { Mounts } = await engine().inspect<{ Mounts: Json[] }>(id);
      Mounts.sort((a, b) => String(a["Destination"]).localeCompare(String(b["Destination"])));
      expect(
        Mounts.map((mount) => [mount["Type"], mount["Source"], mount["Destination"], mount["Mode"], mount["RW"]]),
      ).toEqual([
        ["bind", directory, "/a", "", true],
        ["bind", "/usr/share", "/b", "ro", false],
      ]);
      await engine().remove(id);
    } finally {
      await rm(directory, { recursive: true });
    }
  });

  test("NetworkSettings: nothing before the start, addresses while running, nothing after", async () => {
    const id = await engine().create({ Cmd: ["sleep", "100"], StopSignal: "SIGKILL" });
    const before = await network(id);
    expect([before["IPAddress"], before["SandboxID"], before["Ports"]]).toEqual(["", "", {}]);
    await engine().start(id);
    const during = await network(id);
    const bridge = (during["Networks"] as Record<string, Json>)["bridge"] ?? {};
    expect(during["IPAddress"]).toMatch(/^\d+\.\d+\.\d+\.\d+$/);
    expect(during).toMatchObject({
      IPAddress: bridge["IPAddress"],
      Gateway: bridge["Gateway"],
      MacAddress: bridge["MacAddress"],
      EndpointID: bridge["EndpointID"],
      IPPrefixLen: 16,
    });
    expect(bridge["EndpointID"]).toMatch(/^[0-9a-f]{64}$/);
    expect(bridge["MacAddress"]).toMatch(/^02:42(:[0-9a-f]{2}){4}$/);
    const { Id } = await engine().read<{ Id: string }>("/networks/bridge");
    expect(bridge["NetworkID"]).toBe(Id);
    const other = await engine().running();
    expect((await network(other))["IPAddress"]).not.toBe(during["IPAddress"]);
    await engine().must(204, "POST", `/containers/${id}/kill`);
    await until("no address", async () => (await network(id))["IPAddress"] === "");
    for (const one of [id, other]) await engine().remove(one);
  });

  test("published ports show while running", async () => {
    const config = {
      ExposedPorts: { "80/tcp": {}, "81/udp": {} },
      HostConfig: { PortBindings: { "80/tcp": [{ HostPort: "18081" }] } },
    };
    const id = await engine().running(config);
    const ports = (await network(id))["Ports"] as Record<string, { HostIp: string; HostPort: string }[] | null>;
    expect(ports["81/udp"]).toBeNull();
    expect(ports["80/tcp"]?.[0]).toEqual({ HostIp: "0.0.0.0", HostPort: "18081" });
    const [item] = await engine().read<{ Ports: Json[] }[]>("/containers/json");
    expect(item?.Ports).toContainEqual({ IP: "0.0.0.0", PrivatePort: 80, PublicPort: 18081, Type: "tcp" });
    expect(item?.Ports).toContainEqual({ PrivatePort: 81, Type: "udp" });
    await engine().remove(id);
  });

  test("a random port is chosen when none is given", async () => {
    const config = { ExposedPorts: { "80/tcp": {} }, HostConfig: { PortBindings: { "80/tcp": [{ HostPort: "" }] } } };
    const [a, b] = [await engine().running(config), await engine().running(config)];
    const portOf = async (id: string): Promise<number> => {
      const ports = (await network(id))["Ports"] as Record<string, { HostPort: string }[]>;
      return Number(ports["80/tcp"]?.[0]?.HostPort);
    };
    expect(await portOf(a)).toBeGreaterThanOrEqual(1024);
    expect(await portOf(a)).not.toBe(await portOf(b));
    for (const id of [a, b]) await engine().remove(id);
  });

  test("GraphDriver, LogPath", async () => {
    const [a, b] = [await engine().create(), await engine().create()];
    const [one, two] = [await engine().inspect(a), await engine().inspect(b)];
    expect(Object.keys(one["GraphDriver"] as object).sort()).toEqual(["Data", "Name"]);
    await engine().start(a);
    expect((await engine().inspect(a))["LogPath"]).toContain(a);
    expect(two["LogPath"]).not.toContain(a);
    for (const Type of ["local", "none"]) {
      const other = await engine().running({ HostConfig: { LogConfig: { Type, Config: {} } } });
      expect([Type, (await engine().inspect(other))["LogPath"]]).toEqual([Type, ""]);
      await engine().remove(other);
    }
    for (const id of [a, b]) await engine().remove(id);
  });

  async function inspected(config: Json, path: string, name: string): Promise<unknown> {
    const id = await engine().create(config, `?name=${name}`);
    const container = await engine().inspect(id);
    await engine().remove(id);
    return path.split(".").reduce<unknown>((found, key) => (found as Json | undefined)?.[key], container);
  }

  async function state(id: string): Promise<Json> {
    return (await engine().inspect<{ State: Json }>(id)).State;
  }

  async function network(id: string): Promise<Json> {
    return (await engine().inspect<{ NetworkSettings: Json }>(id)).NetworkSettings;
  }
});

/** The value of an unset field: missing, or null. */
function emptyOf(path: string): unknown {
  return path === "Config.Entrypoint" ? null : undefined;
}
