// What a container inherits from its image, gets by default, and loses if the kernel lacks the feature.

import { describe, expect, test } from "vitest";
import { type Json, door } from "./container-door.js";

describe("what a container inherits from its image", () => {
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

  test("without the client's values", () => {
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

const RATE = { Path: "/dev/x", Rate: 100 };
const WEIGHT = { Path: "/dev/x", Weight: 100 };

describe("features that the kernel lacks", () => {
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

  test("features that were not requested give no warning", () => {
    const all = ["memoryLimit", "swapLimit", "memoryReservation", "swappiness", "oomKillDisable", "pidsLimit"];
    expect(drop({ MemorySwappiness: -1, PidsLimit: -1 }, ...all, "cpuShares", "cpuCfs", "blkioRates")[1]).toEqual([]);
  });
});
