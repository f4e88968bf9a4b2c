// What create refuses and with which message, and what it refuses because it is not built yet.
import { expect, test } from "vitest";
import { onEngines } from "../support/on-engines.js";
import { messageOf, type Json } from "../support/engine-client.js";
import { busyboxLayer, dockerArchive } from "../support/archives/images.js";

const MIB = 1 << 20;

/** The config, our message, and the reference's if it differs. */
const REFUSED: readonly (readonly [Json, string | RegExp, (string | RegExp)?])[] = [
  [{ HostConfig: { Memory: 1 * MIB } }, "Minimum memory limit allowed is 6MB"],
  [
    { HostConfig: { Memory: 64 * MIB, MemorySwap: 32 * MIB } },
    "Minimum memoryswap limit should be larger than memory limit, see usage",
  ],
  [
    { HostConfig: { MemorySwap: 64 * MIB } },
    "You should always set the Memory limit when using Memoryswap limit, see usage",
  ],
  [
    { HostConfig: { Memory: 64 * MIB, MemoryReservation: 128 * MIB } },
    "Minimum memory limit can not be less than memory reservation limit, see usage",
  ],
  [
    { HostConfig: { NanoCpus: 1e9, CpuPeriod: 100000 } },
    "Conflicting options: Nano CPUs and CPU Period cannot both be set",
    "Conflicting options: Nano CPUs and CPU Period cannot both be set",
  ],
  [
    { HostConfig: { NanoCpus: 1e9, CpuQuota: 100000 } },
    "Conflicting options: Nano CPUs and CPU Quota cannot both be set",
  ],
  [
    { HostConfig: { NanoCpus: 9999e9 } },
    /^range of CPUs is from 0\.01 to \d+\.00, as there are only \d+ CPUs available$/,
    /^Range of CPUs is from 0\.01 to \d+\.00, as there are only \d+ CPUs available$/,
  ],
  [
    { HostConfig: { AutoRemove: true, RestartPolicy: { Name: "always" } } },
    "can't create 'AutoRemove' container with restart policy",
  ],
  [
    { HostConfig: { RestartPolicy: { Name: "sometimes" } } },
    /^invalid restart policy: /,
    "invalid restart policy 'sometimes'",
  ],
  [{ WorkingDir: "relative" }, "the working directory 'relative' is invalid, it needs to be an absolute path"],
  [{ Env: ["=x"] }, "invalid environment variable: =x"],
  [{ HostConfig: { MemorySwappiness: 101 } }, "Invalid value: 101, valid memory swappiness range is 0-100"],
  [{ HostConfig: { OomScoreAdj: 2000 } }, "Invalid value 2000, range for oom score adj is [-1000, 1000]"],
  [{ HostConfig: { CpusetCpus: "1-0" } }, "Invalid value 1-0 for cpuset cpus: invalid format: 1-0"],
  [{ HostConfig: { CpusetMems: "x" } }, "Invalid value x for cpuset mems: invalid format: x"],
  [{ HostConfig: { CpusetCpus: "99999" } }, "Invalid value 99999 for cpuset cpus: value of out range, maximum is 8192"],
  [{ HostConfig: { CpuPeriod: 10 } }, /CPU cfs period can not be less than 1ms \(i\.e\. 1000\) or larger than 1s/],
  [{ HostConfig: { CpuQuota: 10 } }, /CPU cfs quota can not be less than 1ms \(i\.e\. 1000\)/],
  [{ HostConfig: { CapAdd: ["NOPE"] } }, 'invalid CapAdd: unknown capability: "CAP_NOPE"'],
  [{ HostConfig: { CapDrop: ["NOPE"] } }, 'invalid CapDrop: unknown capability: "CAP_NOPE"'],
  [{ HostConfig: { Runtime: "nope" } }, /[Uu]nknown.*runtime.*nope/, "Unknown runtime specified nope"],
  [{ StopSignal: "NOPE" }, /[Ii]nvalid signal: NOPE/, "Invalid signal: NOPE"],
  [{ HostConfig: { CgroupnsMode: "nope" } }, "invalid cgroup namespace mode: nope"],
  [{ Healthcheck: { Test: ["CMD", "true"], Interval: 10 } }, /Interval in Healthcheck cannot be less than 1ms/],
  [{ Healthcheck: { Test: ["CMD", "true"], Retries: -1 } }, /Retries in Healthcheck cannot be negative/],
  [{ HostConfig: { ExtraHosts: ["nocolon"] } }, 'bad format for add-host: "nocolon"'],
];

onEngines("create refuses", (engine) => {
  for (const [config, ours, reference] of REFUSED) {
    test(JSON.stringify(config), async () => {
      const answer = await engine().call("POST", "/containers/create", { Image: "busybox", ...config });
      expect(answer.status).toBe(400);
      const wanted = engine().expected("create-texts", ours, reference ?? ours);
      if (wanted instanceof RegExp) expect(messageOf(answer)).toMatch(wanted);
      else expect(messageOf(answer)).toBe(wanted);
    });
  }

  test("an image without a command", async () => {
    const layers = [await busyboxLayer()];
    await engine().load(await dockerArchive([{ reference: "nocmd:latest", config: {}, layers }]));
    const answer = await engine().call("POST", "/containers/create", { Image: "nocmd" });
    const text = engine().expected("create-texts", "no command specified", "No command specified");
    expect([answer.status, messageOf(answer)]).toEqual([400, text]);
  });

  test("rates that only Windows has", async () => {
    for (const HostConfig of [{ IOMaximumIOps: 10 }, { IOMaximumBandwidth: 10 }]) {
      const answer = await engine().call("POST", "/containers/create", { Image: "busybox", HostConfig });
      expect(answer.status).toBe(engine().expected("bind-status", 400, 500));
      expect(messageOf(answer)).toMatch(/^Invalid QoS settings: linux does not support /i);
    }
  });

  test("an isolation that only Windows has", async () => {
    for (const Isolation of ["hyperv", "process", "default "]) {
      const answer = await engine().call("POST", "/containers/create", { Image: "busybox", HostConfig: { Isolation } });
      expect(answer.status).toBe(engine().expected("bind-status", 400, 500));
      expect(messageOf(answer)).toBe(`Invalid isolation: "${Isolation}" - linux only supports 'default'`);
    }
    for (const Isolation of ["", "default", "DEFAULT"]) {
      const body = { Image: "busybox", HostConfig: { Isolation } };
      const { Id } = (await engine().must(201, "POST", "/containers/create", body)).json<{ Id: string }>();
      expect(await engine().inspect(Id)).toMatchObject({ HostConfig: { Isolation } });
      await engine().remove(Id);
    }
  });

  test("limits in the fields used before 1.18", async () => {
    const asked = async (config: Json) => {
      const answer = await engine().call("POST", "/containers/create", { Image: "busybox", ...config });
      return [answer.status, messageOf(answer)];
    };
    expect(await asked({ Memory: MIB })).toEqual([400, "Minimum memory limit allowed is 6MB"]);
    expect(await asked({ MemorySwap: 64 * MIB, HostConfig: {} })).toEqual([
      400,
      "You should always set the Memory limit when using Memoryswap limit, see usage",
    ]);
    expect(await asked({ Cpuset: "x", HostConfig: {} })).toEqual([
      400,
      "Invalid value x for cpuset cpus: invalid format: x",
    ]);
    expect((await asked({ CpuShares: "many" }))[0]).toBe(engine().expected("bad-json-status", 400, 500));
  });

  test("malformed binds", async () => {
    for (const bind of ["/a:/b:/c:/d", "/a:relative", "/a:/b:nonsense", "/a:/"]) {
      const answer = await engine().call("POST", "/containers/create", {
        Image: "busybox",
        HostConfig: { Binds: [bind] },
      });
      expect([bind, answer.status]).toEqual([bind, engine().expected("bind-status", 400, 500)]);
    }
    const twice = { Image: "busybox", HostConfig: { Binds: ["/tmp:/x", "/var:/x"] } };
    const answer = await engine().call("POST", "/containers/create", twice);
    expect([answer.status, messageOf(answer)]).toEqual([400, "Duplicate mount point: /x"]);
  });

  test("an empty config", async () => {
    const text = "onfig cannot be empty in order to create a container";
    for (const body of ["{}", "null"]) {
      const answer = await engine().call("POST", "/containers/create", body, { headers: JSON_TYPE });
      expect([body, answer.status]).toEqual([body, 400]);
      expect(messageOf(answer)).toContain(text);
    }
  });

  test("a log driver that sends logs elsewhere is refused by name", async () => {
    const body = { Image: "busybox", HostConfig: { LogConfig: { Type: "syslog" } } };
    const answer = await engine().call("POST", "/containers/create", body);
    expect(answer.status).toBe(engine().expected("unbuilt", 501, 201));
    if (answer.status === 501) expect(messageOf(answer)).toBe("HostConfig.LogConfig.Type syslog is not built yet");
    else await engine().remove(answer.json<{ Id: string }>().Id);
  });
});

const JSON_TYPE = { "Content-Type": "application/json" };
