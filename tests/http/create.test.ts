// Create: Docker's merge rules, defaults, names.
import { expect, test } from "vitest";
import { onEngines } from "../support/on-engines.js";
import { messageOf, type Json } from "../support/engine-client.js";
import { dockerArchive, busyboxLayer, tarOf } from "../support/archives/images.js";

const IMAGE_CONFIG = {
  User: "nobody",
  WorkingDir: "/srv/dir",
  StopSignal: "SIGUSR2",
  Env: ["PATH=/image/bin:/bin", "FROM_IMAGE=1", "BOTH=image"],
  Entrypoint: ["/bin/echo", "entry"],
  Cmd: ["from", "image"],
  Labels: { "from.image": "1", both: "image" },
  ExposedPorts: { "80/tcp": {} },
};

onEngines("create", (engine, kind) => {
  test("image defaults are merged by Docker's rules", async () => {
    await loadFull();
    const config = await configOf({
      Image: "full",
      Env: ["BOTH=request", "MINE=2"],
      Labels: { both: "request", mine: "2" },
      ExposedPorts: { "81/udp": {} },
    });
    expect(config).toMatchObject({
      User: "nobody",
      WorkingDir: "/srv/dir",
      StopSignal: "SIGUSR2",
      Env: ["BOTH=request", "MINE=2", "PATH=/image/bin:/bin", "FROM_IMAGE=1"],
      Entrypoint: ["/bin/echo", "entry"],
      Cmd: ["from", "image"],
      Labels: { "from.image": "1", both: "request", mine: "2" },
      ExposedPorts: { "80/tcp": {}, "81/udp": {} },
      Image: "full",
    });
    const own = await configOf({ Image: "full", User: "root", WorkingDir: "/tmp", StopSignal: "SIGINT" });
    expect(own).toMatchObject({ User: "root", WorkingDir: "/tmp", StopSignal: "SIGINT" });
  });

  test("Cmd comes from the image only when neither Cmd nor Entrypoint is given", async () => {
    await loadFull();
    const cases: [Json, Json][] = [
      [{}, { Entrypoint: ["/bin/echo", "entry"], Cmd: ["from", "image"] }],
      [{ Cmd: ["mine"] }, { Entrypoint: ["/bin/echo", "entry"], Cmd: ["mine"] }],
      [{ Entrypoint: ["/bin/ls"] }, { Entrypoint: ["/bin/ls"], Cmd: [] }],
      [
        { Entrypoint: ["/bin/ls"], Cmd: ["/"] },
        { Entrypoint: ["/bin/ls"], Cmd: ["/"] },
      ],
      [
        { Entrypoint: [], Cmd: [] },
        { Entrypoint: [], Cmd: ["from", "image"] },
      ],
      [
        { Entrypoint: [""], Cmd: ["ls"] },
        { Entrypoint: [], Cmd: ["ls"] },
      ],
      [
        { Entrypoint: "/bin/ls", Cmd: "/" },
        { Entrypoint: ["/bin/ls"], Cmd: ["/"] },
      ],
    ];
    for (const [request, expected] of cases) {
      const config = await configOf({ Image: "full", ...request });
      // Both null and [] mean that there is none.
      const found = { Entrypoint: config["Entrypoint"] ?? [], Cmd: config["Cmd"] ?? [] };
      expect([request, found]).toEqual([request, expected]);
    }
  });

  test("Path and Args are the command that runs", async () => {
    await loadFull();
    const id = await engine().create({ Image: "full", Cmd: ["a", "b c"] });
    expect(await engine().inspect(id)).toMatchObject({ Path: "/bin/echo", Args: ["entry", "a", "b c"] });
    await engine().remove(id);
  });

  test("an environment entry without = removes a default", async () => {
    await loadFull();
    const ended = await engine().run({
      Image: "full",
      Entrypoint: ["/bin/env"],
      Env: ["FROM_IMAGE", "EMPTY="],
      User: "",
    });
    const names = ended.stdout.split("\n").map((line) => line.split("=")[0]);
    expect(names).not.toContain("FROM_IMAGE");
    expect(names).toContain("EMPTY");
    expect(ended.stdout).toContain("BOTH=image\n");
  });

  test("the environment of the process comes in Docker's order", async () => {
    const ended = await engine().run({ Cmd: ["env"], Env: ["A=1", "B=two words"], Hostname: "box" });
    expect(ended.stdout.split("\n").slice(0, 5)).toEqual([
      "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
      "HOSTNAME=box",
      "A=1",
      "B=two words",
      "HOME=/root",
    ]);
  });

  test("a variable without a value is removed, even one of the engine's own", async () => {
    const ended = await engine().run({ Cmd: ["/bin/env"], Env: ["B=2", "PATH", "HOSTNAME"] });
    expect(ended.stdout).toBe("B=2\nHOME=/root\n");
  });

  test("an empty HOME counts as missing", async () => {
    const ended = await engine().run({ Cmd: ["sh", "-c", "echo $HOME $EMPTY."], Env: ["HOME=", "EMPTY="] });
    expect(ended.stdout).toBe("/root .\n");
  });

  test("defaults are filled in", async () => {
    const id = await engine().create({ HostConfig: { Memory: 64 << 20 } });
    const container = await engine().inspect<Inspect>(id);
    expect(container.Config["Hostname"]).toBe(id.slice(0, 12));
    expect(container.HostConfig).toMatchObject({
      LogConfig: { Type: "json-file", Config: {} },
      Memory: 64 << 20,
      MemorySwap: 128 << 20,
      ShmSize: 64 << 20,
      IpcMode: "private",
      PidsLimit: null,
      RestartPolicy: { Name: engine().expected("host-config-defaults", "no", ""), MaximumRetryCount: 0 },
      NetworkMode: engine().expected("host-config-defaults", "bridge", "default"),
    });
    await engine().remove(id);
  });

  test("limits in the fields used before 1.18 apply if HostConfig does not set them", async () => {
    const shown = async (body: Json): Promise<unknown[]> => {
      const id = await engine().create(body);
      const { Config, HostConfig } = await engine().inspect<Inspect>(id);
      await engine().remove(id);
      expect(Config).not.toHaveProperty("Memory");
      return ["Memory", "MemorySwap", "CpuShares", "CpusetCpus"].map((name) => HostConfig[name]);
    };
    const old = { Memory: 64 << 20, MemorySwap: 96 << 20, CpuShares: 7, Cpuset: "0" };
    expect(await shown({ ...old, HostConfig: {} })).toEqual([64 << 20, 96 << 20, 7, "0"]);
    expect(await shown({ Memory: 64 << 20 })).toEqual([64 << 20, 128 << 20, 0, ""]);
    const HostConfig = { Memory: 80 << 20, CpuShares: 9, CpusetCpus: "0-0" };
    expect(await shown({ ...old, HostConfig })).toEqual([80 << 20, 96 << 20, 9, "0-0"]);
  });

  test("zero, null, empty and default values count as not given", async () => {
    const HostConfig = {
      Binds: null,
      ContainerIDFile: "",
      LogConfig: { Type: "", Config: {} },
      NetworkMode: "default",
      PortBindings: {},
      RestartPolicy: { Name: "no", MaximumRetryCount: 0 },
      VolumesFrom: null,
      ConsoleSize: [0, 0],
      CapAdd: null,
      CgroupnsMode: "",
      Dns: [],
      DnsOptions: [],
      DnsSearch: [],
      IpcMode: "",
      OomScoreAdj: 0,
      Privileged: false,
      SecurityOpt: null,
      CpuShares: 0,
      BlkioWeight: 0,
      BlkioWeightDevice: [],
      BlkioDeviceReadBps: [],
      Devices: [],
      DeviceCgroupRules: null,
      DeviceRequests: null,
      MemorySwappiness: -1,
      OomKillDisable: false,
      PidsLimit: 0,
      Ulimits: null,
      Sysctls: null,
      Tmpfs: null,
      Mounts: null,
      MaskedPaths: null,
      ReadonlyPaths: null,
    };
    const NetworkingConfig = { EndpointsConfig: { default: { IPAMConfig: null, Links: null, Aliases: null } } };
    const config = { Hostname: "", AttachStdin: false, Volumes: {}, OnBuild: null, Labels: {}, Healthcheck: null };
    const version = engine().engine.maxVersion;
    const body = { Image: "busybox", Cmd: ["true"], ...config, HostConfig, NetworkingConfig };
    if (kind === "reference") body.NetworkingConfig = { EndpointsConfig: {} } as typeof NetworkingConfig;
    const created = await engine().must(201, "POST", "/containers/create", body, { version });
    expect(created.json<{ Warnings: unknown }>().Warnings).toEqual([]);
    const { Id } = created.json<{ Id: string }>();
    await engine().start(Id);
    expect(await engine().wait(Id)).toBe(0);
    await engine().remove(Id);
  });

  test("fields without effect on running are kept", async () => {
    const id = await engine().create({ Domainname: "example.test", OnBuild: ["RUN true"], Shell: ["/bin/ash", "-c"] });
    const { Config } = await engine().inspect<Inspect>(id);
    expect(Config).toMatchObject({ Domainname: "example.test", Shell: ["/bin/ash", "-c"] });
    await engine().remove(id);
  });

  test("missing volumes and links are null, in any form", async () => {
    const id = await engine().create({ Volumes: {}, HostConfig: { Links: [] } });
    const { Config, HostConfig } = await engine().inspect<Inspect>(id);
    expect([Config["Volumes"], HostConfig["Links"]]).toEqual([null, null]);
    await engine().remove(id);
  });

  test("a shell in one word; a negative reservation counts as none", async () => {
    const id = await engine().create({ Shell: "/bin/ash", HostConfig: { MemoryReservation: -1 } });
    expect((await engine().inspect<Inspect>(id)).Config["Shell"]).toEqual(["/bin/ash"]);
    await engine().start(id);
    await engine().remove(id);
  });

  test("a volume's path without a leading slash is below the root", async () => {
    const Cmd = ["sh", "-c", "echo x > /some/data/file"];
    const id = await engine().create({ Cmd, Volumes: { "some/data": {} } });
    await engine().start(id);
    expect(await engine().wait(id)).toBe(0);
    expect(await engine().read(`/containers/${id}/changes`)).not.toContainEqual({ Path: "/some/data/file", Kind: 1 });
    await engine().must(204, "DELETE", `/containers/${id}?v=1`);
  });

  test("names are checked, kept with a slash, and made up when missing", async () => {
    for (const name of ["ok-name", "A_b.c", "/slashed"]) {
      const id = await engine().create({}, `?name=${encodeURIComponent(name)}`);
      expect((await engine().inspect<Inspect>(id)).Name).toBe(`/${name.replace("/", "")}`);
      await engine().remove(id);
    }
    for (const name of ["x", "_leading", "with space", "a/b", "-x"]) {
      const answer = await engine().call("POST", `/containers/create?name=${encodeURIComponent(name)}`, {
        Image: "busybox",
      });
      expect([name, answer.status]).toEqual([name, 400]);
      expect(messageOf(answer)).toBe(`Invalid container name (${name}), only [a-zA-Z0-9][a-zA-Z0-9_.-] are allowed`);
    }
    const unnamed = await engine().create();
    expect((await engine().inspect<Inspect>(unnamed)).Name).toMatch(/^\/[a-z]+_[a-z]+\d?$/);
    await engine().remove(unnamed);
  });

  test("a taken name is refused with the id of its owner", async () => {
    const id = await engine().create({}, "?name=taken");
    const answer = await engine().call("POST", "/containers/create?name=taken", { Image: "busybox" });
    expect([answer.status, messageOf(answer)]).toEqual([
      409,
      `Conflict. The container name "/taken" is already in use by container "${id}". ` +
        "You have to remove (or rename) that container to be able to reuse that name.",
    ]);
    await engine().remove(id);
  });

  test("containers are found by id, name and unique prefix", async () => {
    const id = await engine().create({}, "?name=findme");
    for (const ref of [id, id.slice(0, 12), id.slice(0, 5), "findme"]) {
      expect((await engine().inspect<Inspect>(ref)).Id).toBe(id);
    }
    const named = await engine().create({}, `?name=${id.slice(0, 6)}`);
    expect((await engine().inspect<Inspect>(id.slice(0, 6))).Id).toBe(named);
    for (const one of [id, named]) await engine().remove(one);
  });

  test("images are found by short and full name, id and id prefix", async () => {
    const { Id } = await engine().read<{ Id: string }>("/images/busybox/json");
    const refs = [
      "busybox",
      "busybox:latest",
      "library/busybox",
      "docker.io/library/busybox:latest",
      Id,
      Id.slice(7, 19),
    ];
    for (const Image of refs) {
      const id = await engine().create({ Image });
      const container = await engine().inspect<Inspect>(id);
      expect([Image, container.Image, container.Config["Image"]]).toEqual([Image, Id, Image]);
      await engine().remove(id);
    }
  });

  test("a missing image is 404 with its tag filled in", async () => {
    for (const [Image, shown] of [
      ["nothing", "nothing:latest"],
      ["nothing:1", "nothing:1"],
      ["localhost:5000/a/b", "localhost:5000/a/b:latest"],
    ] as const) {
      const answer = await engine().call("POST", "/containers/create", { Image });
      expect([answer.status, messageOf(answer)]).toEqual([404, `No such image: ${shown}`]);
    }
  });

  test("a platform that the image does not support is 404", async () => {
    const answer = await engine().call("POST", "/containers/create?platform=linux/s390x", { Image: "busybox" });
    expect(answer.status).toBe(404);
    expect(messageOf(answer)).toContain("was found but does not match the specified platform");
  });

  async function loadFull(): Promise<void> {
    const layers = [await busyboxLayer(), await tarOf([{ name: "work/dir/", type: "directory", mode: 0o777 }])];
    await engine().load(await dockerArchive([{ reference: "full:latest", config: IMAGE_CONFIG, layers }]));
  }

  async function configOf(config: Json): Promise<Json> {
    const id = await engine().create(config);
    const container = await engine().inspect<Inspect>(id);
    await engine().remove(id);
    return container.Config;
  }
});

interface Inspect {
  readonly Id: string;
  readonly Name: string;
  readonly Image: string;
  readonly Config: Json;
  readonly HostConfig: Json;
}
