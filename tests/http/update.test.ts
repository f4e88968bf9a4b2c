// POST /containers/{id}/update: what changes, what does not, and which limits a running container gets at once.
import { expect, test } from "vitest";
import { REFERENCE } from "../support/allowed-skips.js";
import { messageOf, type Json } from "../support/engine-client.js";
import { goOn, WAITS } from "../support/gate.js";
import { onEngines, testExcept } from "../support/on-engines.js";
import type { RawResponse } from "../support/raw-http.js";

const MIB = 1 << 20;

onEngines("update", (engine, kind) => {
  test("a running container has its new limits at once", async () => {
    const id = await engine().create({ Cmd: ["sh", "-c", SHOW_WHEN_TOLD], OpenStdin: true, HostConfig: LIMITS });
    await engine().start(id);
    const change = { Memory: 128 * MIB, MemorySwap: 256 * MIB, PidsLimit: 77, CpuQuota: 30_000, CpuShares: 2048 };
    const answer = await update(id, { ...change, MemoryReservation: 16 * MIB, CpusetCpus: "0" });
    expect([answer.status, answer.json()]).toEqual([200, { Warnings: null }]);
    await goOn(engine(), id);
    await engine().wait(id);
    const [memory, swap, reservation, pids, quota, weight, cpus] = (await engine().logs(id)).stdout.split("\n");
    expect([memory, reservation, pids, cpus]).toEqual([`${128 * MIB}`, `${16 * MIB}`, "77", "0"]);
    expect([`${256 * MIB}`, `${128 * MIB}`]).toContain(swap);
    expect(["30000", "30000 100000"]).toContain(quota);
    expect(["2048", "79"]).toContain(weight);
    expect((await engine().inspect<{ HostConfig: Json }>(id)).HostConfig).toMatchObject(change);
    await engine().remove(id);
  });

  test("lower limits apply at once too; the limit on processes is removed", async () => {
    const id = await engine().create({ Cmd: ["sh", "-c", SHOW_WHEN_TOLD], OpenStdin: true, HostConfig: LIMITS });
    await engine().start(id);
    const change = { Memory: 32 * MIB, MemorySwap: 32 * MIB, PidsLimit: -1 };
    expect((await update(id, change)).status).toBe(200);
    await goOn(engine(), id);
    await engine().wait(id);
    const [memory, swap, , pids] = (await engine().logs(id)).stdout.split("\n");
    expect([memory, pids]).toEqual([`${32 * MIB}`, "max"]);
    expect([`${32 * MIB}`, "0"]).toContain(swap);
    expect((await engine().inspect<{ HostConfig: Json }>(id)).HostConfig).toMatchObject({ PidsLimit: 0 });
    await engine().remove(id);
  });

  test("a stopped container has them when it is started", async () => {
    const show = "cat /sys/fs/cgroup/pids/pids.max 2>/dev/null || cat /sys/fs/cgroup/pids.max";
    const id = await engine().create({ Cmd: ["sh", "-c", show] });
    expect((await update(id, { PidsLimit: 33 })).status).toBe(200);
    await engine().start(id);
    await engine().wait(id);
    expect((await engine().logs(id)).stdout).toBe("33\n");
    expect((await update(id, { PidsLimit: 34 })).status).toBe(200);
    await engine().start(id);
    await engine().wait(id);
    expect((await engine().logs(id)).stdout).toBe("33\n34\n");
    await engine().remove(id);
  });

  test("zero and null change nothing", async () => {
    const id = await engine().create({ HostConfig: LIMITS });
    const before = await engine().inspect<{ HostConfig: Json }>(id);
    for (const body of [{}, { Memory: 0, NanoCpus: 0, CpusetCpus: "", PidsLimit: null, BlkioWeightDevice: null }]) {
      expect((await update(id, body)).status).toBe(200);
    }
    const nothing = await engine().call("POST", `/containers/${id}/update`);
    expect(nothing.status).toBe(engine().expected("update-no-body", 200, 500));
    expect((await engine().inspect<{ HostConfig: Json }>(id)).HostConfig).toEqual(before.HostConfig);
    await engine().remove(id);
  });

  test("a value that conflicts with the current ones is refused", async () => {
    const nano = await engine().create({ HostConfig: { NanoCpus: 500_000_000 } });
    const period = await engine().create({ HostConfig: { CpuPeriod: 50_000 } });
    const quota = await engine().create({ HostConfig: { CpuQuota: 50_000 } });
    const options = (one: string, other: string): string =>
      `Conflicting options: ${one} cannot be updated as ${other} has already been set`;
    expect(await refused(nano, { CpuPeriod: 50_000 })).toBe(options("CPU Period", "NanoCPUs"));
    expect(await refused(nano, { CpuQuota: 50_000 })).toBe(options("CPU Quota", "NanoCPUs"));
    expect(await refused(period, { NanoCpus: 500_000_000 })).toBe(options("Nano CPUs", "CPU Period"));
    expect(await refused(quota, { NanoCpus: 500_000_000 })).toBe(options("Nano CPUs", "CPU Quota"));
    const limited = await engine().create({ HostConfig: LIMITS });
    for (const id of [nano, limited]) expect(await refused(id, { Memory: 512 * MIB })).toBe(SWAP);
    const own = await engine().create({ HostConfig: { AutoRemove: true } });
    const policy = "Restart policy cannot be updated because AutoRemove is enabled for the container";
    expect(await refused(own, { RestartPolicy: { Name: "always" } })).toBe(policy);
    for (const id of [nano, period, quota, limited, own]) await engine().remove(id);
  });

  test("a restart policy changes from now on", async () => {
    const id = await engine().create({ Cmd: ["sh", "-c", `${WAITS}; exit 3`] });
    await engine().start(id);
    const RestartPolicy = { Name: "on-failure", MaximumRetryCount: 1 };
    expect((await update(id, { RestartPolicy })).status).toBe(200);
    await goOn(engine(), id);
    await expect.poll(async () => (await engine().inspect<Restarted>(id)).RestartCount).toBe(1);
    expect((await engine().inspect<{ HostConfig: Json }>(id)).HostConfig).toMatchObject({ RestartPolicy });
    const wrong = await update(id, { RestartPolicy: { Name: "sometimes" } });
    expect([wrong.status, messageOf(wrong)]).toEqual([400, expect.stringMatching(/^invalid restart policy/)]);
    await engine().remove(id);
  });

  test("an invalid request is refused after the container is looked up", async () => {
    const id = await engine().create({});
    const bad = await update(id, { Memory: 1 });
    expect([bad.status, messageOf(bad)]).toEqual([400, "Minimum memory limit allowed is 6MB"]);
    await engine().remove(id);
    const missing = await update("nothing", { Memory: 1 });
    expect([missing.status, messageOf(missing)]).toEqual([404, "No such container: nothing"]);
    const typed = await update("nothing", { Memory: "much" });
    expect(typed.status).toBe(engine().expected("bad-json-status", 400, 500));
  });

  test("fields that cannot change are ignored, but their types are checked", async () => {
    const id = await engine().create({});
    expect((await update(id, { Ulimits: [{ Name: "nofile" }], CgroupParent: "/x", Privileged: 1 })).status).toBe(200);
    const wrong = [
      { Ulimits: 1 },
      { Ulimits: [{ Name: 1 }] },
      { CgroupParent: 1 },
      { Devices: "x" },
      { CpuCount: "x" },
    ];
    for (const body of [...wrong, { OomKillDisable: 1 }, { BlkioWeightDevice: [{ Path: 1 }] }]) {
      const answer = await update(id, body);
      expect([body, answer.status]).toEqual([body, engine().expected("bad-json-status", 400, 500)]);
    }
    await engine().remove(id);
  });

  test("kernel memory is no longer supported, and the client gets a warning", async () => {
    const id = await engine().create({});
    const answer = await update(id, { KernelMemory: 64 * MIB });
    const Warnings = ["Specifying a kernel memory limit is deprecated and will be removed in a future release."];
    expect(answer.json()).toEqual({ Warnings });
    await engine().remove(id);
  });

  testExcept(kind, { reference: REFERENCE.after141 })(
    "rates of block devices: null keeps, [] clears, and before 1.55 they are ignored",
    async () => {
      const Path = kind === "simulated" ? "/dev/sda" : "/dev/loop0";
      const rates = (Rate: number) => ({ BlkioDeviceReadBps: [{ Path, Rate }] });
      const id = await engine().create({ HostConfig: rates(MIB) });
      const shown = async () => (await engine().inspect<{ HostConfig: Json }>(id)).HostConfig["BlkioDeviceReadBps"];
      const steps: [string, Json, unknown][] = [
        ["1.54", rates(2 * MIB), rates(MIB).BlkioDeviceReadBps],
        ["1.55", { BlkioDeviceReadBps: null }, rates(MIB).BlkioDeviceReadBps],
        ["1.55", rates(2 * MIB), rates(2 * MIB).BlkioDeviceReadBps],
        ["1.55", { BlkioDeviceReadBps: [] }, []],
      ];
      for (const [version, body, expected] of steps) {
        await engine().must(200, "POST", `/containers/${id}/update`, body, { version });
        expect([version, body, await shown()]).toEqual([version, body, expected]);
      }
      await engine().remove(id);
    },
  );

  testExcept(kind, { reference: REFERENCE.after141 })(
    "rates of a missing device are refused, and not stored",
    async () => {
      const id = await engine().running();
      const body = { BlkioDeviceReadBps: [{ Path: "/dev/nothing", Rate: MIB }] };
      const answer = await engine().call("POST", `/containers/${id}/update`, body, { version: "1.55" });
      expect([answer.status, messageOf(answer)]).toEqual([500, expect.stringContaining("/dev/nothing")]);
      const { HostConfig } = await engine().inspect<{ HostConfig: Json }>(id);
      expect(JSON.stringify(HostConfig)).not.toContain("/dev/nothing");
      await engine().remove(id);
    },
  );

  function update(id: string, body: Json): Promise<RawResponse> {
    return engine().call("POST", `/containers/${id}/update`, body);
  }

  async function refused(id: string, body: Json): Promise<string> {
    const answer = await update(id, body);
    expect(answer.status).toBe(409);
    const prefix = `Cannot update container ${id}: `;
    expect(messageOf(answer).slice(0, prefix.length)).toBe(prefix);
    return messageOf(answer).slice(prefix.length);
  }
});

interface Restarted {
  RestartCount: number;
}

const LIMITS = { Memory: 64 * MIB, MemorySwap: 128 * MIB, PidsLimit: 50, CpuQuota: 50_000 };
const SWAP = "Memory limit should be smaller than already set memoryswap limit, update the memoryswap at the same time";

/**
 * Shows the limits of its cgroups once it continues: memory, with swap, reservation, processes, quota, weight,
 * processors.
 */
const SHOW_WHEN_TOLD = `
${WAITS}
cd /sys/fs/cgroup
if test -d memory; then
  cat memory/memory.limit_in_bytes memory/memory.memsw.limit_in_bytes memory/memory.soft_limit_in_bytes
  cat pids/pids.max cpu/cpu.cfs_quota_us cpu/cpu.shares cpuset/cpuset.cpus
else
  cat memory.max memory.swap.max memory.low pids.max cpu.max cpu.weight cpuset.cpus
fi`;
