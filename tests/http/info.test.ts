// /info and /version: every variable field changes when its subject changes.
import { expect, test } from "vitest";
import { REFERENCE, SIMULATED } from "../support/allowed-skips.js";
import { onEngines, onOwnEngines, testExcept } from "../support/on-engines.js";
import type { Json } from "../support/engine-client.js";
import { dockerArchive, tarOf } from "../support/archives/images.js";
import { run } from "../support/commands.js";
import { encodeRequest, RawConnection } from "../support/raw-http.js";

onOwnEngines("info", (engine, kind) => {
  test("containers are counted by their state", async () => {
    const before = await info();
    const created = await engine().create();
    const running = await engine().running();
    expect(counts(await info())).toEqual(counts(before, { Containers: 2, ContainersRunning: 1, ContainersStopped: 1 }));
    await engine().must(204, "POST", `/containers/${running}/kill`);
    expect(counts(await info())).toEqual(counts(before, { Containers: 2, ContainersStopped: 2 }));
    for (const id of [created, running]) await engine().remove(id);
    expect(counts(await info())).toEqual(counts(before));
  });

  test("images are counted", async () => {
    const before = await info();
    const layers = [await tarOf([{ name: "x", body: "x" }])];
    await engine().load(await dockerArchive([{ reference: "counted:1", config: { Cmd: ["x"] }, layers }]));
    expect((await info())["Images"]).toBe((before["Images"] as number) + 1);
    await engine().must(200, "DELETE", "/images/counted:1");
    expect((await info())["Images"]).toBe(before["Images"]);
  });

  test("listeners of events are counted", async () => {
    const before = (await info())["NEventsListener"] as number;
    const connection = await RawConnection.open(engine().socketPath);
    connection.send(encodeRequest({ target: "/events" }));
    await connection.head();
    expect((await info())["NEventsListener"]).toBe(before + 1);
    connection.close();
  });

  test("descriptors and tasks of the engine's process are counted", async () => {
    if (kind === "simulated") return expect(await whileRunning()).toEqual({ NFd: 0, NGoroutines: 1 });
    const more = await whileConnected(40);
    // Other connections may have ended meanwhile.
    expect(more.NFd).toBeGreaterThan(30);
    expect(more.NGoroutines).toBeGreaterThan(30);
  });

  test("the machine", async () => {
    const found = await info();
    const { machine } = engine();
    expect(found).toMatchObject({
      OSType: "linux",
      Architecture: process.arch === "x64" || engine().kind === "simulated" ? "x86_64" : "aarch64",
      NCPU: machine.cpus,
      KernelVersion: machine.kernel,
      Name: machine.name,
      IndexServerAddress: expect.stringMatching(/^https:\/\/.*\/v1\/$/) as string,
    });
    expect(Math.abs((found["MemTotal"] as number) - machine.memory)).toBeLessThan(64 << 20);
    expect(found["OperatingSystem"]).toContain(machine.system);
    expect(Math.abs(Date.parse(found["SystemTime"] as string) - Date.now())).toBeLessThan(5000);
  });

  test("the engine", async () => {
    const found = await info();
    expect(found).toMatchObject({
      DockerRootDir: engine().daemon.directories.dataRoot,
      LoggingDriver: "json-file",
      ExperimentalBuild: false,
      LiveRestoreEnabled: engine().expected("live-restore", expect.any(Boolean), false) as boolean,
      Debug: false,
      Labels: [],
      Swarm: { LocalNodeState: "inactive", NodeID: "", RemoteManagers: null },
      HttpProxy: "",
      HttpsProxy: "",
      NoProxy: "",
    });
    expect(found["ID"]).not.toBe("");
    const runtimes = Object.keys(found["Runtimes"] as object);
    expect(runtimes).toContain(found["DefaultRuntime"]);
    expect(["1", "2"]).toContain(found["CgroupVersion"]);
    expect(found["Plugins"]).toMatchObject({ Network: expect.arrayContaining(["bridge", "host", "null"]) as string[] });
    expect(found["SecurityOptions"]).toEqual(expect.arrayContaining([expect.stringMatching(/^name=seccomp,profile=/)]));
    const version = await engine().read<Json>("/version");
    expect(found["ServerVersion"]).toBe(version["Version"]);
  });

  testExcept(kind, { reference: REFERENCE.after141, simulated: SIMULATED.runtimes })(
    "from 1.44 on runtimes list their features, if they know them",
    async () => {
      const key = "org.opencontainers.runtime-spec.features";
      const runtimes = async (version: string) =>
        (await engine().read<{ Runtimes: Record<string, Runtime> }>("/info", { version })).Runtimes;
      for (const [name, { path, status }] of Object.entries(await runtimes("1.44"))) {
        const told = await run([path, "features"]);
        const wanted = told.code === 0 ? { [key]: JSON.stringify(JSON.parse(told.stdout)) } : undefined;
        expect([name, status]).toEqual([name, wanted]);
      }
      for (const { status } of Object.values(await runtimes("1.43"))) expect(status).toBeUndefined();
    },
  );

  test("security options are names before 1.25, and have settings from it on", async () => {
    const options = async (version: string) =>
      (await engine().read<{ SecurityOptions: string[] }>("/info", { version })).SecurityOptions;
    const whole = await options("1.25");
    for (const option of whole) expect(option).toMatch(/^name=[a-z-]+(,[a-z]+=[^,=]+)*$/);
    expect(await options("1.24")).toEqual(whole.map((option) => /^name=([a-z-]+)/.exec(option)?.[1]));
    expect(await options("1.24")).toContain("seccomp");
  });

  test("the id survives a restart", async () => {
    const before = (await info())["ID"];
    await engine().daemon.end("SIGTERM");
    await engine().daemon.start();
    expect((await info())["ID"]).toBe(before);
  });

  test("/version", async () => {
    const found = await engine().read<Json>("/version");
    expect(found).toMatchObject({
      Os: "linux",
      Arch: process.arch === "x64" || engine().kind === "simulated" ? "amd64" : process.arch,
      KernelVersion: engine().machine.kernel,
    });
    const server = (await engine().call("GET", "/version")).header("server");
    expect(server).toBe(`Docker/${String(found["Version"])} (linux)`);
    for (const key of ["Platform", "Components", "GitCommit", "GoVersion", "BuildTime"])
      expect(found).toHaveProperty(key);
  });

  /** The counts that grow while clients are connected. */
  async function whileConnected(clients: number): Promise<Counted> {
    const before = await counted();
    const opened = Array.from({ length: clients }, () => RawConnection.open(engine().socketPath));
    const connections = await Promise.all(opened);
    const during = await counted();
    for (const connection of connections) connection.close();
    return more(before, during);
  }

  /**
   * The counts that grow while a container runs. A simulated world opens no files, and counts its processes as tasks.
   */
  async function whileRunning(): Promise<Counted> {
    const before = await counted();
    const running = await engine().running();
    const during = await counted();
    await engine().remove(running);
    return more(before, during);
  }

  const counted = async (): Promise<Counted> => (await info()) as unknown as Counted;

  async function info(): Promise<Json> {
    return engine().read<Json>("/info");
  }
});

onEngines(
  "info with flags",
  (engine, kind) => {
    test("flags show", async () => {
      const found = await engine().read<Json>("/info");
      expect(found["Debug"]).toBe(true);
      const registries = found["RegistryConfig"] as { InsecureRegistryCIDRs: string[]; IndexConfigs: Json };
      // Each appears once, however often it was given, including the loopback ones.
      expect(registries.InsecureRegistryCIDRs.toSorted()).toEqual(["10.99.0.0/16", "127.0.0.0/8"]);
      expect(Object.keys(registries.IndexConfigs).sort()).toEqual(["docker.io", "registry.test:5000"]);
      if (kind !== "reference") expect(Object.keys(found["Runtimes"] as object)).toContain("extra");
    });
  },
  {
    flags: [
      "--debug",
      "--insecure-registry",
      "10.99.0.0/16",
      "--insecure-registry",
      "registry.test:5000",
      ...["10.99.0.0/16", "registry.test:5000", "127.0.0.0/8"].flatMap((one) => ["--insecure-registry", one]),
      "--add-runtime",
      "extra=/usr/sbin/runc",
    ],
  },
);

function counts(info: Json, plus: Readonly<Record<string, number>> = {}): Record<string, number> {
  const names = ["Containers", "ContainersRunning", "ContainersPaused", "ContainersStopped"];
  return Object.fromEntries(names.map((name) => [name, (info[name] as number) + (plus[name] ?? 0)]));
}

function more(before: Counted, after: Counted): Counted {
  return { NFd: after.NFd - before.NFd, NGoroutines: after.NGoroutines - before.NGoroutines };
}

interface Counted {
  readonly NFd: number;
  readonly NGoroutines: number;
}

interface Runtime {
  readonly path: string;
  readonly status?: Record<string, string>;
}
