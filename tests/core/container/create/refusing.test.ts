// What create refuses.

import { describe, expect, test } from "vitest";
import { type Json, door } from "./container-door.js";

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
    [{ Volumes: { "v/..": {} } }, /destination can't be '\/'$/],
    [{ Volumes: { "/": {} } }, /destination can't be '\/'$/],
  ])("Config %j", (config, text) => {
    const message: unknown = typeof text === "string" ? text : expect.stringMatching(text);
    expect(validate(config)).toEqual([400, message]);
  });

  test("a NUL byte at any place of a text of any length", () => {
    // Units with a zero byte of their own.
    const others = "a\u0100\u0001\uff00".repeat(4);
    for (let length = 0; length < 14; length++) {
      const text = others.slice(0, length);
      expect(validate({ Domainname: text })).toBe(null);
      for (let at = 0; at <= length; at++) {
        const holding = `${text.slice(0, at)}\0${text.slice(at)}`;
        expect(validate({ Domainname: holding })).toEqual([400, "invalid Domainname: it contains a NUL byte"]);
      }
    }
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
    [{ CpusetCpus: "2-1" }, "Invalid value 2-1 for cpuset cpus: invalid format: 2-1"],
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
    [{ OomScoreAdj: 1001 }, "Invalid value 1001, range for oom score adj is [-1000, 1000]"],
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
    [{ Tmpfs: { "/t": "", "/x/..": "" } }, "invalid specification: destination can't be '/'"],
    [{ PortBindings: { "x/tcp": [] } }, 'invalid port specification: "x"'],
    [{ PortBindings: { "80/tcp": [{ HostPort: "x" }] } }, 'invalid port specification: "x"'],
    [{ SecurityOpt: ["x"] }, 'invalid --security-opt 1: "x"'],
  ])("HostConfig %j", (host, text) => {
    expect(validate({}, host)).toEqual([400, text]);
  });

  test("ports of each protocol on IPv6 are no error: where they lead is known when they are published", () => {
    for (const protocol of ["tcp", "udp", "sctp"])
      expect(validate({}, { PortBindings: { [`80/${protocol}`]: [{ HostIp: "::1" }] } })).toBe(null);
  });
});
