// Bodies of create: how they are read, filled up, checked and refused.

import { beforeAll, describe, expect, test } from "vitest";
import { type Door, openDoor, randomFrom } from "./door.js";

let door: Door;
beforeAll(async () => {
  door = await openDoor("container-door");
}, 60_000);

type Json = Record<string, unknown>;

/** A mount of a volume whose driver is to do something. */
const DRIVEN = { Type: "volume", VolumeOptions: { DriverConfig: { Name: "local", Options: { type: "nfs" } } } };
interface Created {
  config: Json;
  hostConfig: Json;
  endpoints: Json;
}

const create = (body: unknown, version = 55) => door.call("create", body, version);
const created = (body: unknown, version = 55) => create(body, version) as Created;

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

  test("what is left out while empty comes in its place when given", () => {
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

  test("names fold, unknown ones go, the last of duplicates wins, null leaves what was there", () => {
    const body =
      '[{"image":"a","IMAGE":"b","Image":null,"x":{"y":[1]},"Labels":{"b":"1","a":"2","b":"3"},"Env":["x"],"env":null},51]';
    const { config } = JSON.parse(door.text("create", body)) as Created;
    expect(config["Image"]).toBe("b");
    expect(config["Env"]).toBe(null);
    expect(JSON.stringify(config["Labels"])).toBe('{"a":"2","b":"3"}');
    expect(config).not.toHaveProperty("x");
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
    [{ Cmd: { a: 1 } }, "object into Go value of type string"],
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
  ])("%j is of a wrong type", (body, text) => {
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

describe("fields that are not built", () => {
  const host = (hostConfig: Json, version = 55) => create({ Image: "i", HostConfig: hostConfig }, version);

  test.each([
    ["HostConfig.LogConfig.Type", { LogConfig: { Type: "syslog" } }],
    ["HostConfig.Mounts.VolumeOptions.DriverConfig.Options", { Mounts: [DRIVEN] }],
    ["HostConfig.UsernsMode", { UsernsMode: "private" }],
  ])("%s is refused by name", (name, hostConfig) => {
    expect(host(hostConfig)).toEqual([501, `${name} is not built yet`]);
  });

  test("the same in Config and NetworkingConfig", () => {
    const refusal = (body: Json, version = 55) => (create({ Image: "i", ...body }, version) as unknown[])[1];
    const endpoint = (name: string, settings: Json) => ({
      NetworkingConfig: { EndpointsConfig: { [name]: settings } },
    });
    expect(refusal(endpoint("bridge", { IPAMConfig: { LinkLocalIPs: ["169.254.1.1"] } }))).toBe(
      "NetworkingConfig.EndpointsConfig.bridge.IPAMConfig.LinkLocalIPs is not built yet",
    );
    expect(refusal(endpoint("mine", {}))).toBe("NetworkingConfig.EndpointsConfig.mine is not built yet");
    const two = { NetworkingConfig: { EndpointsConfig: { a: {}, b: {} } } };
    expect(create({ Image: "i", ...two }, 43)).toEqual([
      400,
      "Container cannot be created with multiple network endpoints: a, b",
    ]);
  });

  test("values that ask for nothing are never refused: what the CLI sends", () => {
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

  test("nonsense in them is a 400 all the same", () => {
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
      "invalid value: 101, valid memory swappiness range is 0-100",
    ]);
  });

  test("fields of another version are unknown", () => {
    expect(host({ Annotations: { a: "b" } }, 42)).toMatchObject({ config: { Image: "i" } });
    expect(host({ CgroupnsMode: "private" }, 40)).toMatchObject({ hostConfig: { CgroupnsMode: "" } });
    expect(host({ ConsoleSize: [1, 2] }, 41)).toMatchObject({ hostConfig: { ConsoleSize: [0, 0] } });
    expect(create({ Image: "i", MacAddress: "x" }, 52)).toMatchObject({ config: { Image: "i" } });
  });
});

describe("what a container takes over from its image", () => {
  const merge = (own: Json, image: unknown) => door.call("merge", own, image) as Json;

  test("texts if empty, maps and environment by name", () => {
    const merged = merge(
      { User: "u", Env: ["A=1", "B"], Labels: { x: "own" }, ExposedPorts: { "81/tcp": {} }, Volumes: { "/b": {} } },
      {
        User: "image",
        WorkingDir: "/w",
        StopSignal: "SIGINT",
        Env: ["PATH=/bin", "A=2", "B=2"],
        Labels: { x: "image", a: "b" },
        ExposedPorts: { "80/tcp": {} },
        Volumes: { "/a": {} },
      },
    );
    expect(merged).toMatchObject({
      User: "u",
      WorkingDir: "/w",
      StopSignal: "SIGINT",
      Env: ["A=1", "B", "PATH=/bin"],
      Labels: { a: "b", x: "own" },
      ExposedPorts: { "80/tcp": {}, "81/tcp": {} },
      Volumes: { "/a": {}, "/b": {} },
    });
    const keys = Object.keys(merged);
    expect(keys.indexOf("ExposedPorts")).toBe(6);
    expect(keys.indexOf("StopSignal")).toBe(keys.indexOf("Labels") + 1);
  });

  const image = { Entrypoint: ["ie"], Cmd: ["ic"] };
  test.each([
    [{}, ["ie", "ic"]],
    [{ Cmd: ["c"] }, ["ie", "c"]],
    [{ Entrypoint: ["e"] }, ["e"]],
    [{ Entrypoint: ["e"], Cmd: ["c"] }, ["e", "c"]],
    [{ Entrypoint: [] }, ["ic"]],
    [{ Entrypoint: [""] }, []],
    [{ Entrypoint: [""], Cmd: ["c"] }, ["c"]],
    [{ Cmd: [] }, ["ie", "ic"]],
  ])("command of %j", (own, command) => {
    expect(merge(own, image)["command"]).toEqual(command);
  });

  test("the health check field by field", () => {
    const check = { Test: ["CMD", "x"], Interval: 5_000_000_000, Retries: 3 };
    expect(merge({}, { Healthcheck: check })["Healthcheck"]).toEqual(check);
    expect(merge({ Healthcheck: { Test: ["NONE"] } }, { Healthcheck: check })["Healthcheck"]).toEqual({
      ...check,
      Test: ["NONE"],
    });
    expect(merge({ Healthcheck: { Retries: 1 } }, { Healthcheck: check })["Healthcheck"]).toEqual({
      ...check,
      Retries: 1,
    });
  });

  test("an image without a config, or with a broken one", () => {
    expect(merge({ Cmd: ["c"] }, null)["command"]).toEqual(["c"]);
    expect(merge({}, { Env: "x" })).toMatch(/^invalid image config: json: cannot unmarshal string/);
  });
});

describe("defaults", () => {
  const defaults = (host: Json, version = 55, cgroup = "2") => door.call("defaults", host, version, cgroup) as Json;

  test("where a client says nothing", () => {
    expect(defaults({})).toMatchObject({
      LogConfig: { Type: "json-file", Config: {} },
      NetworkMode: "bridge",
      RestartPolicy: { Name: "no", MaximumRetryCount: 0 },
      CgroupnsMode: "private",
      IpcMode: "private",
      ShmSize: 67108864,
      Runtime: "crun",
      PidsLimit: null,
    });
    expect(defaults({})["MaskedPaths"]).toContain("/proc/kcore");
    expect(defaults({ MaskedPaths: [], ReadonlyPaths: [] })).toMatchObject({ MaskedPaths: [], ReadonlyPaths: [] });
  });

  test("by version and cgroups", () => {
    expect(defaults({}, 55, "1")["CgroupnsMode"]).toBe("host");
    expect(defaults({}, 40)["CgroupnsMode"]).toBe("private");
    expect(defaults({}, 39)["IpcMode"]).toBe("shareable");
  });

  test("limits and ports", () => {
    expect(defaults({ Memory: 10_000_000 })["MemorySwap"]).toBe(20_000_000);
    expect(defaults({ Memory: 10_000_000, MemorySwap: -1 })["MemorySwap"]).toBe(-1);
    expect(defaults({ PidsLimit: -1 })["PidsLimit"]).toBe(null);
    expect(defaults({ PidsLimit: 7 })["PidsLimit"]).toBe(7);
    expect(defaults({ PortBindings: { "80/tcp": [], "81/tcp": null } })["PortBindings"]).toEqual({
      "80/tcp": [{ HostIp: "", HostPort: "" }],
      "81/tcp": [{ HostIp: "", HostPort: "" }],
    });
  });

  test("hostname", () => {
    expect(door.call("hostname", "", "bridge")).toBe("0123456789ab");
    expect(door.call("hostname", "", "host")).toBe("machine");
    expect(door.call("hostname", "mine", "host")).toBe("mine");
  });
});

describe("what the kernel cannot do", () => {
  const drop = (host: Json, ...lacking: string[]) => door.call("drop", host, lacking) as [Json, string[]];
  const notMounted = (feature: string) => `Your kernel does not support ${feature} or the cgroup is not mounted. `;

  test.each([
    ["memoryLimit", { Memory: 7 << 20 }, "memory limit capabilities", "Limitation discarded."],
    ["memoryReservation", { MemoryReservation: 7 << 20 }, "memory soft limit capabilities", "Limitation discarded."],
    ["swappiness", { MemorySwappiness: 7 }, "memory swappiness capabilities", "Memory swappiness discarded."],
    ["pidsLimit", { PidsLimit: 7 }, "PIDs limit capabilities", "PIDs limit discarded."],
    ["cpuShares", { CpuShares: 7 }, "CPU shares", "Shares discarded."],
    ["cpuset", { CpusetCpus: "0", CpusetMems: "0" }, "cpuset", "Cpuset discarded."],
    ["blkioWeight", { BlkioWeight: 100 }, "Block I/O weight", "Weight discarded."],
    ["blkioWeight", { BlkioWeightDevice: [WEIGHT] }, "Block I/O weight_device", "Weight-device discarded."],
    ["blkioRates", { BlkioDeviceReadBps: [RATE] }, "BPS Block I/O read limit", "Block I/O BPS read limit discarded."],
    [
      "blkioRates",
      { BlkioDeviceWriteBps: [RATE] },
      "BPS Block I/O write limit",
      "Block I/O BPS write limit discarded.",
    ],
    ["blkioRates", { BlkioDeviceReadIOps: [RATE] }, "IOPS Block read limit", "Block I/O IOPS read limit discarded."],
    ["blkioRates", { BlkioDeviceWriteIOps: [RATE] }, "IOPS Block write limit", "Block I/O IOPS write limit discarded."],
  ])("%s: %j is left out, with a warning", (feature, host: Json, name, consequence) => {
    const [left, warnings] = drop(host, feature);
    expect(warnings).toEqual([notMounted(name) + consequence]);
    const [empty] = drop({});
    expect(left).toEqual(feature === "memoryLimit" ? { ...empty, MemorySwap: -1 } : empty);
    expect(drop(host)).toEqual([{ ...empty, ...host }, []]);
  });

  test("periods and quotas, the killer, swap", () => {
    const cfs = "Your kernel does not support CPU CFS scheduler. CPU period/quota discarded.";
    expect(drop({ CpuPeriod: 5000, CpuQuota: 5000 }, "cpuCfs")).toMatchObject([{ CpuPeriod: 0, CpuQuota: 0 }, [cfs]]);
    const killer = "Your kernel does not support OomKillDisable. OomKillDisable discarded.";
    expect(drop({ OomKillDisable: true }, "oomKillDisable")).toMatchObject([{ OomKillDisable: false }, [killer]]);
    expect(drop({ OomKillDisable: true })[1]).toEqual([expect.stringMatching(/^OOM killer is disabled /)]);
    expect(drop({ OomKillDisable: true, Memory: 7 << 20 })[1]).toEqual([]);
    const swapless = notMounted("swap limit capabilities") + "Memory limited without swap.";
    expect(drop({ Memory: 7 << 20 }, "swapLimit")).toMatchObject([{ Memory: 7 << 20, MemorySwap: -1 }, [swapless]]);
    expect(drop({ Memory: 7 << 20, MemorySwap: -1 }, "swapLimit")[1]).toEqual([]);
  });

  test("nothing is said of what nobody asks for", () => {
    const all = ["memoryLimit", "swapLimit", "memoryReservation", "swappiness", "oomKillDisable", "pidsLimit"];
    expect(drop({ MemorySwappiness: -1, PidsLimit: -1 }, ...all, "cpuShares", "cpuCfs", "blkioRates")[1]).toEqual([]);
  });
});

const RATE = { Path: "/dev/x", Rate: 100 };
const WEIGHT = { Path: "/dev/x", Weight: 100 };

describe("what create refuses", () => {
  const validate = (config: Json, host: Json = {}) => door.call("validate", { Cmd: ["x"], ...config }, host);

  test("a sensible one passes", () => {
    expect(
      validate(
        { WorkingDir: "/w", Env: ["A=", "B"], StopSignal: "RTMIN+1", Hostname: "h", Volumes: { "/v": {} } },
        {
          Memory: 6291456,
          MemorySwap: -1,
          NanoCpus: 2_000_000_000,
          Binds: ["/a:/b:ro", "/a:/c"],
          CapAdd: ["net_admin", "ALL"],
          Runtime: "crun",
          ExtraHosts: ["a:1.2.3.4", "b=::1"],
          Tmpfs: { "/t": "size=1m" },
          PortBindings: { "80/tcp": [{ HostIp: "127.0.0.1", HostPort: "8080-8090" }], "53/udp": null },
          CpusetCpus: "0-1",
          SecurityOpt: ["no-new-privileges", "seccomp=unconfined"],
          Devices: [{ PathOnHost: "/dev/null" }],
          DeviceCgroupRules: ["c 1:3 rwm", "a *:* r", "b 8:* w"],
        },
      ),
    ).toBe(null);
  });

  test.each([
    [{ Cmd: null }, "no command specified"],
    [{ WorkingDir: "w" }, "the working directory 'w' is invalid, it needs to be an absolute path"],
    [{ Env: ["A=1", "=x"] }, "invalid environment variable: =x"],
    [{ Env: [""] }, "invalid environment variable: "],
    [{ StopSignal: "NOPE" }, "invalid signal: NOPE"],
    [{ StopSignal: "99" }, "invalid signal: 99"],
    [{ Hostname: "h".repeat(65) }, `invalid hostname: ${"h".repeat(65)}: longer than 64 bytes`],
    [{ Healthcheck: { Interval: 5 } }, "Interval in Healthcheck cannot be less than 1ms"],
    [{ Healthcheck: { Retries: -1 } }, "Retries in Healthcheck cannot be negative"],
    [{ Volumes: { v: {} } }, /mount path must be absolute$/],
    [{ Volumes: { "/": {} } }, /destination can't be '\/'$/],
  ])("Config %j", (config, text) => {
    const message: unknown = typeof text === "string" ? text : expect.stringMatching(text);
    expect(validate(config)).toEqual([400, message]);
  });

  test.each([
    [{ Memory: 1 }, "Minimum memory limit allowed is 6MB"],
    [{ Memory: -1 }, "Minimum memory limit allowed is 6MB"],
    [{ Memory: 7_000_000, MemorySwap: 1 }, "Minimum memoryswap limit should be larger than memory limit, see usage"],
    [{ MemorySwap: 1 }, "You should always set the Memory limit when using Memoryswap limit, see usage"],
    [
      { Memory: 7_000_000, MemoryReservation: 8_000_000 },
      "Minimum memory limit can not be less than memory reservation limit, see usage",
    ],
    [{ NanoCpus: 1, CpuPeriod: 1000 }, "Conflicting options: Nano CPUs and CPU Period cannot both be set"],
    [{ NanoCpus: 1, CpuQuota: 1000 }, "Conflicting options: Nano CPUs and CPU Quota cannot both be set"],
    [{ NanoCpus: 3_000_000_000 }, "range of CPUs is from 0.01 to 2.00, as there are only 2 CPUs available"],
    [{ CpuPeriod: 1 }, "CPU cfs period can not be less than 1ms (i.e. 1000) or larger than 1s (i.e. 1000000)"],
    [{ CpuQuota: 1 }, "CPU cfs quota can not be less than 1ms (i.e. 1000)"],
    [{ CpusetCpus: "2-1" }, "invalid value 2-1 for cpuset cpus"],
    [{ BlkioWeight: 5 }, "Range of blkio weight is from 10 to 1000"],
    [{ BlkioWeightDevice: [{ Path: "/dev/x", Weight: 5 }] }, "Range of blkio weight is from 10 to 1000"],
    [{ CpuRealtimeRuntime: -1 }, "cpu real-time period and runtime can not be negative"],
    [
      { CpuRealtimePeriod: 1000, CpuRealtimeRuntime: 2000 },
      "cpu real-time runtime cannot be higher than cpu real-time period",
    ],
    [{ Devices: [{ PathOnHost: "dev/x" }] }, "invalid device: 'dev/x' is not an absolute path"],
    [{ Devices: [{ PathOnHost: "/dev/x", CgroupPermissions: "rx" }] }, "invalid device permissions: 'rx'"],
    [{ DeviceCgroupRules: ["c 1:3 rwm", "c 1 r"] }, "invalid device cgroup rule format: 'c 1 r'"],
    [{ Init: true }, "this machine has no init program"],
    [{ Annotations: { "run.oci.handler": "x" } }, 'invalid Annotations: "run.oci.handler" is for OCI runtimes to obey'],
    [{ DeviceCgroupRules: ["d 1:* r"] }, "invalid device cgroup rule format: 'd 1:* r'"],
    [{ OomScoreAdj: 1001 }, "invalid value 1001, range for oom score adj is [-1000, 1000]"],
    [{ ShmSize: -1 }, "SHM size can not be less than 0"],
    [
      { RestartPolicy: { Name: "always", MaximumRetryCount: 1 } },
      "invalid restart policy: maximum retry count can only be used with 'on-failure'",
    ],
    [
      { RestartPolicy: { Name: "on-failure", MaximumRetryCount: -1 } },
      "invalid restart policy: maximum retry count cannot be negative",
    ],
    [
      { AutoRemove: true, RestartPolicy: { Name: "always" } },
      "can't create 'AutoRemove' container with restart policy",
    ],
    [{ CapAdd: ["x"] }, 'invalid CapAdd: unknown capability: "CAP_X"'],
    [{ CapDrop: ["x"] }, 'invalid CapDrop: unknown capability: "CAP_X"'],
    [{ CgroupnsMode: "x" }, "invalid cgroup namespace mode: x"],
    [{ Runtime: "x" }, "unknown or invalid runtime name: x"],
    [{ IpcMode: "x" }, "invalid IPC mode: x"],
    [{ IpcMode: "container:" }, "invalid IPC mode: container:"],
    [{ PidMode: "private" }, "invalid PID mode: private"],
    [{ UTSMode: "container:x" }, "invalid UTS mode: container:x"],
    [{ ExtraHosts: ["x"] }, 'bad format for add-host: "x"'],
    [{ Tmpfs: { t: "" } }, "invalid mount path: 't' mount path must be absolute"],
    [{ PortBindings: { "x/tcp": [] } }, 'invalid port specification: "x"'],
    [{ PortBindings: { "80/tcp": [{ HostPort: "x" }] } }, 'invalid port specification: "x"'],
    [{ SecurityOpt: ["x"] }, 'invalid --security-opt 1: "x"'],
  ])("HostConfig %j", (host, text) => {
    expect(validate({}, host)).toEqual([400, text]);
  });

  test("sctp cannot be had on IPv6", () => {
    expect(validate({}, { PortBindings: { "80/tcp": [{ HostIp: "::1" }] } })).toBe(null);
    expect(validate({}, { PortBindings: { "80/sctp": [{ HostIp: "::1" }] } })).toEqual([
      501,
      "HostConfig.PortBindings with sctp on an IPv6 address is not built yet",
    ]);
  });
});

test("bodies bent anywhere never trap", () => {
  const random = randomFrom(29);
  const fields = [
    "Image",
    "Cmd",
    "Env",
    "Labels",
    "Healthcheck",
    "HostConfig",
    "NetworkingConfig",
    "ExposedPorts",
    "StopTimeout",
  ];
  const hostFields = [
    "Memory",
    "Binds",
    "PortBindings",
    "Tmpfs",
    "LogConfig",
    "RestartPolicy",
    "Ulimits",
    "ConsoleSize",
  ];
  const value = (depth: number): unknown => {
    const kind = random(depth > 3 ? 5 : 8);
    if (kind === 0) return null;
    if (kind === 1) return random(2) === 0;
    if (kind === 2) return (random(2) ? 1 : -1) * random(100000);
    if (kind === 3) return ["", "a:b", "/a:/b", "80/tcp", "=", "\ud800", "no"][random(7)];
    if (kind === 4) return 1e300;
    if (kind === 5) return Array.from({ length: random(3) }, () => value(depth + 1));
    const names = ["", "80/tcp", "/x", "Test", "Type", "Name", "HostPort", "EndpointsConfig", ...hostFields];
    return Object.fromEntries(Array.from({ length: random(4) }, () => [names[random(names.length)], value(depth + 1)]));
  };
  for (let round = 0; round < 3000; round++) {
    const body = Object.fromEntries(Array.from({ length: random(6) }, () => [fields[random(fields.length)], value(0)]));
    const answer = create(body, 24 + random(32)) as Created;
    if (!Array.isArray(answer)) {
      door.call("merge", answer.config, { Env: ["A=b"], Volumes: { x: {} } });
      door.call("validate", answer.config, answer.hostConfig);
      door.call("defaults", answer.hostConfig, 55, "2");
    }
    door.call("merge", {}, value(0));
    door.call("validate", value(0), value(0));
  }
});

test("a body with very many names is read in good time", () => {
  const labels = Object.fromEntries(Array.from({ length: 100_000 }, (_, i) => [`label-${i}`, "x"]));
  const began = performance.now();
  expect(Object.keys(created({ Image: "i", Labels: labels }).config["Labels"] as Json)).toHaveLength(100_000);
  expect(performance.now() - began).toBeLessThan(5000);
});
