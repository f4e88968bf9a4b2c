// How bodies of create are parsed.

import { describe, expect, test } from "vitest";
import { type Created, type Json, create, created, door } from "./container-door.js";

/** A mount of a volume with driver options. */

describe("a create body", () => {
  test("with nothing given has Docker's fields and defaults in Docker's order", () => {
    const { config, hostConfig, endpoints } = created({ Image: "busybox" }, 51);
    expect(Object.keys(config).join(" ")).toBe(
      "Hostname Domainname User AttachStdin AttachStdout AttachStderr Tty OpenStdin StdinOnce Env Cmd Image Volumes " +
        "WorkingDir Entrypoint OnBuild Labels",
    );
    expect(config).toMatchObject({ Hostname: "", Tty: false, Env: null, Cmd: null, Image: "busybox", Labels: {} });
    expect(Object.keys(hostConfig).join(" ")).toBe(
      "Binds ContainerIDFile LogConfig NetworkMode PortBindings RestartPolicy AutoRemove VolumeDriver VolumesFrom " +
        "CapAdd CapDrop CgroupnsMode Dns DnsOptions DnsSearch ExtraHosts GroupAdd IpcMode Cgroup Links OomScoreAdj " +
        "PidMode Privileged PublishAllPorts ReadonlyRootfs SecurityOpt UTSMode UsernsMode ShmSize Runtime ConsoleSize " +
        "Isolation CpuShares Memory NanoCpus CgroupParent BlkioWeight BlkioWeightDevice BlkioDeviceReadBps " +
        "BlkioDeviceWriteBps BlkioDeviceReadIOps BlkioDeviceWriteIOps CpuPeriod CpuQuota CpuRealtimePeriod " +
        "CpuRealtimeRuntime CpusetCpus CpusetMems Devices DeviceCgroupRules DeviceRequests KernelMemory KernelMemoryTCP " +
        "MemoryReservation MemorySwap MemorySwappiness OomKillDisable PidsLimit Ulimits CpuCount CpuPercent " +
        "IOMaximumIOps IOMaximumBandwidth MaskedPaths ReadonlyPaths",
    );
    expect(hostConfig).toMatchObject({ LogConfig: { Type: "", Config: {} }, ConsoleSize: [0, 0], PidsLimit: null });
    expect(endpoints).toEqual({});
  });

  test("fields that are omitted when empty come in their place when given", () => {
    const { config, hostConfig } = created({
      StopTimeout: 0,
      StopSignal: "SIGINT",
      ExposedPorts: { "80/tcp": {} },
      Image: "i",
      HostConfig: { Tmpfs: { "/t": "" }, Sysctls: { a: "b" }, Init: false, Mounts: [], StorageOpt: {} },
    });
    expect(Object.keys(config).slice(6, 8)).toEqual(["ExposedPorts", "Tty"]);
    expect(Object.keys(config).slice(-2)).toEqual(["StopSignal", "StopTimeout"]);
    expect(Object.keys(hostConfig)).toEqual(expect.arrayContaining(["Tmpfs", "Sysctls", "Init"]));
    expect(hostConfig).not.toHaveProperty("Mounts");
    expect(hostConfig).not.toHaveProperty("StorageOpt");
  });

  test("names are case-insensitive, unknown ones are ignored, the last duplicate wins, null changes nothing", () => {
    const body =
      '[{"image":"a","IMAGE":"b","Image":null,"x":{"y":[1]},"Labels":{"b":"1","a":"2","b":"3"},"Env":["x"],"env":null},51]';
    const { config } = JSON.parse(door.text("create", body)) as Created;
    expect(config["Image"]).toBe("b");
    expect(config["Env"]).toBe(null);
    expect(JSON.stringify(config["Labels"])).toBe('{"a":"2","b":"3"}');
    expect(config).not.toHaveProperty("x");
  });

  test("members of repeated objects are merged, in linear time", () => {
    const stepsFor = (count: number): number => {
      const many = Array.from({ length: count }, (_, at) => `"Labels":{"l${at}":"${at}"}`).join(",");
      const before = door.steps;
      const { config } = JSON.parse(door.text("create", `[{"Image":"i",${many}},51]`)) as Created;
      expect(Object.keys(config["Labels"] as object)).toHaveLength(count);
      return door.steps - before;
    };
    expect(stepsFor(8_000)).toBeLessThan(8 * 1.5 * stepsFor(1_000));
  });

  test("fields of a later version must have their type, and are ignored", () => {
    const { hostConfig } = JSON.parse(
      door.text("create", '[{"Image":"i","HostConfig":{"ConsoleSize":[1,2]}},41]'),
    ) as Created;
    expect(hostConfig["ConsoleSize"]).toEqual([0, 0]);
    expect(door.text("create", '[{"Image":"i","HostConfig":{"ConsoleSize":"x"}},41]')).toContain(
      "cannot unmarshal string into Go struct field HostConfig.HostConfig.ConsoleSize of type [2]uint",
    );
  });

  test("an integer has no leading zeros", () => {
    const body = '[{"Image":"i","StopTimeout":-0,"HostConfig":{"Memory":-0}},51]';
    const { config, hostConfig } = JSON.parse(door.text("create", body)) as Created;
    expect(Object.is(config["StopTimeout"], 0)).toBe(true);
    expect(Object.is(hostConfig["Memory"], 0)).toBe(true);
  });

  test("commands are lists or one text", () => {
    const { config } = created({ Cmd: "echo hi", Entrypoint: ["sh", null], HostConfig: { CapAdd: "ALL" } });
    expect(config).toMatchObject({ Cmd: ["echo hi"], Entrypoint: ["sh", ""] });
  });

  const nowhere = "invalid JSON: json: cannot unmarshal";
  test.each([
    [{ Image: 1 }, "number into Go struct field ContainerConfigWrapper.Image of type string"],
    [{ Tty: "yes" }, "string into Go struct field ContainerConfigWrapper.Tty of type bool"],
    [{ Env: "A=b" }, "string into Go struct field ContainerConfigWrapper.Env of type []string"],
    [{ Env: [1] }, "number into Go struct field ContainerConfigWrapper.Env of type string"],
    [{ Labels: { a: 1 } }, "number into Go struct field ContainerConfigWrapper.Labels of type string"],
    [{ Labels: [] }, "array into Go struct field ContainerConfigWrapper.Labels of type map[string]string"],
    [{ Cmd: { a: 1 } }, "object into Go struct field ContainerConfigWrapper.Cmd of type string"],
    [{ ExposedPorts: [] }, "array into Go struct field ContainerConfigWrapper.ExposedPorts of type nat.PortSet"],
    [{ StopTimeout: 1.5 }, "number 1.5 into Go struct field ContainerConfigWrapper.StopTimeout of type int"],
    [{ HostConfig: "x" }, "string into Go struct field ContainerConfigWrapper.HostConfig of type container.HostConfig"],
    [{ HostConfig: { Memory: "1g" } }, "string into Go struct field HostConfig.HostConfig.Memory of type int64"],
    [{ HostConfig: { CpuShares: true } }, "bool into Go struct field HostConfig.HostConfig.CpuShares of type int64"],
    [
      { HostConfig: { BlkioWeight: 65536 } },
      "number 65536 into Go struct field HostConfig.HostConfig.BlkioWeight of type uint16",
    ],
    [
      { HostConfig: { ConsoleSize: [-1] } },
      "number -1 into Go struct field HostConfig.HostConfig.ConsoleSize of type uint",
    ],
    [
      { HostConfig: { PortBindings: { "80/tcp": [{ HostPort: 80 }] } } },
      "number into Go struct field PortBinding.HostConfig.PortBindings.HostPort of type string",
    ],
    [
      { HostConfig: { RestartPolicy: { MaximumRetryCount: "1" } } },
      "string into Go struct field RestartPolicy.HostConfig.RestartPolicy.MaximumRetryCount of type int",
    ],
    [
      { NetworkingConfig: { EndpointsConfig: { a: { Aliases: 1 } } } },
      "number into Go struct field EndpointSettings.NetworkingConfig.EndpointsConfig.Aliases of type []string",
    ],
    [[], "array into Go value of type runconfig.ContainerConfigWrapper"],
    ["x", "string into Go value of type runconfig.ContainerConfigWrapper"],
  ])("%j has a wrong type", (body, text) => {
    expect(create(body)).toEqual([400, `${nowhere} ${text}`]);
  });

  test("numbers beyond 64 bits are refused by name", () => {
    const body = '[{"Image":"i","HostConfig":{"Memory":9223372036854775808}},51]';
    expect(JSON.parse(door.text("create", body))).toEqual([
      400,
      `${nowhere} number 9223372036854775808 into Go struct field HostConfig.HostConfig.Memory of type int64`,
    ]);
  });

  test("without any field of a config it is empty", () => {
    for (const body of [{}, null, { HostConfig: {} }, { unknown: 1 }]) {
      expect(create(body)).toEqual([400, "config cannot be empty in order to create a container"]);
    }
  });
});

describe("unsupported fields", () => {
  const host = (hostConfig: Json, version = 55) => create({ Image: "i", HostConfig: hostConfig }, version);

  test.each([
    ["HostConfig.LogConfig.Type syslog", { LogConfig: { Type: "syslog" } }],
    ["HostConfig.UsernsMode", { UsernsMode: "private" }],
  ])("%s is refused by name", (name, hostConfig) => {
    expect(host(hostConfig)).toEqual([501, `${name} is not built yet`]);
  });

  test("the same in Config and NetworkingConfig", () => {
    const refusal = (body: Json, version = 55) => (create({ Image: "i", ...body }, version) as unknown[])[1];
    const endpoint = (name: string, settings: Json) => ({
      NetworkingConfig: { EndpointsConfig: { [name]: settings } },
    });
    expect(refusal(endpoint("bridge", { IPAMConfig: { LinkLocalIPs: ["fe80::1", "::"] } }))).toBe(
      "invalid link-local IP address: ::",
    );
    const two = { NetworkingConfig: { EndpointsConfig: { a: {}, b: {} } } };
    expect(create({ Image: "i", ...two }, 43)).toEqual([
      400,
      "Container cannot be created with multiple network endpoints: a, b",
    ]);
  });

  test("values without effect, as the CLI sends them, are never refused", () => {
    const { config, hostConfig, endpoints } = created({
      Hostname: "",
      Healthcheck: { Test: ["NONE"] },
      MacAddress: "",
      NetworkDisabled: false,
      OnBuild: null,
      Volumes: {},
      Image: "busybox",
      HostConfig: {
        Binds: null,
        LogConfig: { Type: "", Config: {} },
        NetworkMode: "default",
        RestartPolicy: { Name: "no", MaximumRetryCount: 0 },
        VolumesFrom: null,
        ConsoleSize: [24, 80],
        CgroupnsMode: "private",
        Dns: [],
        IpcMode: "private",
        Links: [],
        PidMode: "",
        Privileged: false,
        UsernsMode: "host",
        BlkioDeviceReadBps: [],
        BlkioWeightDevice: [],
        Devices: [],
        DeviceRequests: null,
        MemorySwappiness: -1,
        OomKillDisable: false,
        Init: false,
        Mounts: null,
        PidsLimit: 0,
        KernelMemory: 0,
      },
      NetworkingConfig: {
        EndpointsConfig: {
          default: { IPAMConfig: null, Links: null, Aliases: null, MacAddress: "", DriverOpts: null },
        },
      },
    });
    expect(config).toMatchObject({ Image: "busybox", Volumes: {}, Healthcheck: { Test: ["NONE"] } });
    expect(hostConfig).toMatchObject({ ConsoleSize: [24, 80], MemorySwappiness: -1, Init: false, Dns: [] });
    expect(Object.keys(endpoints)).toEqual(["default"]);
  });

  test("invalid values in them still get 400", () => {
    expect(host({ RestartPolicy: { Name: "sometimes" } })).toEqual([
      400,
      "invalid restart policy: unknown policy 'sometimes'; use one of 'no', 'always', 'on-failure', or 'unless-stopped'",
    ]);
    expect(host({ LogConfig: { Type: "x" } })).toEqual([
      400,
      'error looking up logging plugin x: plugin "x" not found',
    ]);
    expect(host({ MemorySwappiness: 101 })).toEqual([
      400,
      "Invalid value: 101, valid memory swappiness range is 0-100",
    ]);
  });

  test("fields of another version are unknown", () => {
    expect(host({ Annotations: { a: "b" } }, 42)).toMatchObject({ config: { Image: "i" } });
    expect(host({ CgroupnsMode: "private" }, 40)).toMatchObject({ hostConfig: { CgroupnsMode: "" } });
    expect(host({ ConsoleSize: [1, 2] }, 41)).toMatchObject({ hostConfig: { ConsoleSize: [0, 0] } });
    expect(create({ Image: "i", MacAddress: "x" }, 52)).toMatchObject({ config: { Image: "i" } });
  });
});
