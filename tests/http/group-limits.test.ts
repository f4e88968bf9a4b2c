// Limits from a create or an update, read in the container's own cgroup while it runs.
import { expect, test } from "vitest";
import { messageOf, type Json } from "../support/engine-client.js";
import { frames } from "../support/frames.js";
import { limitsShown, sharesOf, SHOW_LIMITS, type GroupLimits } from "../support/measured/group-limits.js";
import { onEngines } from "../support/on-engines.js";

const MIB = 1 << 20;

type Expected = Partial<GroupLimits>;

/** The limits in a create, and those of the cgroup. */
const CREATED: readonly [host: Json, expected: Expected][] = [
  [{}, { quota: Infinity, memory: Infinity, reservation: 0, processes: Infinity }],
  [{ CpuShares: 300 }, { shares: 300 }],
  [{ CpuPeriod: 50_000 }, { period: 50_000, quota: Infinity }],
  [{ CpuQuota: 25_000 }, { period: 100_000, quota: 25_000 }],
  [
    { CpuPeriod: 50_000, CpuQuota: 25_000 },
    { period: 50_000, quota: 25_000 },
  ],
  [{ CpuQuota: -1 }, { quota: Infinity }],
  [{ NanoCpus: 1_234_567_890 }, { period: 100_000, quota: 123_456 }],
  [
    { CpusetCpus: "1", CpusetMems: "0" },
    { cpus: "1", nodes: "0" },
  ],
  // If swap is not given, there is as much swap as memory.
  [{ Memory: 64 * MIB }, { memory: 64 * MIB, both: 128 * MIB }],
  [
    { Memory: 64 * MIB, MemorySwap: 96 * MIB },
    { memory: 64 * MIB, both: 96 * MIB },
  ],
  [
    { Memory: 64 * MIB, MemorySwap: -1 },
    { memory: 64 * MIB, both: Infinity },
  ],
  [
    { Memory: 64 * MIB, MemoryReservation: 32 * MIB },
    { memory: 64 * MIB, reservation: 32 * MIB },
  ],
  [{ MemoryReservation: 32 * MIB }, { memory: Infinity, reservation: 32 * MIB }],
  [{ PidsLimit: 50 }, { processes: 50 }],
  [{ PidsLimit: -1 }, { processes: Infinity }],
];

/** The limits of a container, those in an update, and those of the cgroup of the same run. */
const UPDATED: readonly [host: Json, change: Json, expected: Expected][] = [
  [{}, { CpuShares: 512 }, { shares: 512 }],
  [{}, { CpuPeriod: 50_000, CpuQuota: 20_000 }, { period: 50_000, quota: 20_000 }],
  [{ CpuPeriod: 50_000, CpuQuota: 20_000 }, { CpuPeriod: 100_000 }, { period: 100_000, quota: 20_000 }],
  [{ CpuQuota: 20_000 }, { CpuQuota: -1 }, { quota: Infinity }],
  [{ NanoCpus: 500_000_000 }, { NanoCpus: 1_500_000_000 }, { period: 100_000, quota: 150_000 }],
  [{}, { CpusetCpus: "1", CpusetMems: "0" }, { cpus: "1", nodes: "0" }],
  [{ CpusetCpus: "1" }, { CpusetCpus: "0-1" }, { cpus: "0-1" }],
  [{}, { Memory: 64 * MIB, MemorySwap: 64 * MIB }, { memory: 64 * MIB, both: 64 * MIB }],
  [{ Memory: 64 * MIB }, { Memory: 32 * MIB }, { memory: 32 * MIB, both: 128 * MIB }],
  [{ Memory: 64 * MIB }, { Memory: 256 * MIB, MemorySwap: 512 * MIB }, { memory: 256 * MIB, both: 512 * MIB }],
  [{ Memory: 64 * MIB }, { MemorySwap: 100 * MIB }, { memory: 64 * MIB, both: 100 * MIB }],
  [{ Memory: 64 * MIB }, { MemoryReservation: 32 * MIB }, { memory: 64 * MIB, reservation: 32 * MIB }],
  [{}, { PidsLimit: 20 }, { processes: 20 }],
  [{ PidsLimit: 20 }, { PidsLimit: 0 }, { processes: Infinity }],
  [{ PidsLimit: 20 }, { CpuShares: 100 }, { shares: 100, processes: 20 }],
];

onEngines("control groups", (engine, kind) => {
  test.each(CREATED)("created with %j", async (host, expected) => {
    const HostConfig = { NetworkMode: "none", ...host };
    const { stdout } = await engine().run({ Cmd: ["sh", "-c", SHOW_LIMITS], HostConfig });
    expectLimits(limitsShown(stdout), expected);
  });

  test.each(UPDATED)("%j, updated to %j while it runs", async (host, change, expected) => {
    const id = await engine().running({ HostConfig: { NetworkMode: "none", ...host } });
    await engine().must(200, "POST", `/containers/${id}/update`, change);
    expectLimits(await limitsOf(id), expected);
    await engine().remove(id);
  });

  test("unlimited swap for a container with a memory limit", async () => {
    const id = await engine().running({ HostConfig: { NetworkMode: "none", Memory: 64 * MIB } });
    await engine().must(200, "POST", `/containers/${id}/update`, { MemorySwap: -1 });
    const both = engine().expected("update-swap", Infinity, 128 * MIB);
    expectLimits(await limitsOf(id), { memory: 64 * MIB, both });
    await engine().remove(id);
  });

  test("values that the kernel rejects are reported, and nothing is changed", async () => {
    // Memory has no limit, so memory plus swap cannot have one; cgroup v2 counts swap separately.
    const { CgroupVersion } = await engine().read<{ CgroupVersion: string }>("/info");
    const id = await engine().running({ HostConfig: { NetworkMode: "none", CpuShares: 300 } });
    const answer = await engine().call("POST", `/containers/${id}/update`, { CpuShares: 600, MemorySwap: 100 * MIB });
    expect(answer.status).toBe(CgroupVersion === "1" ? 500 : 200);
    if (CgroupVersion === "1") {
      expect(messageOf(answer)).toContain(`Cannot update container ${id}: `);
      expect((await engine().inspect<{ HostConfig: Json }>(id)).HostConfig).toMatchObject({ CpuShares: 300 });
      // The reference keeps the earlier value.
      if (kind !== "reference") expectLimits(await limitsOf(id), { shares: 300, both: Infinity });
    }
    await engine().remove(id);
  });

  test("processors and memory nodes that do not exist", async () => {
    const create = (HostConfig: Json) => engine().call("POST", "/containers/create", { Image: "busybox", HostConfig });
    const refusals = async (send: (body: Json) => ReturnType<typeof create>) => {
      const answers = [await send({ CpusetCpus: "0,99" }), await send({ CpusetMems: "98" })];
      return answers.map((answer) => [answer.status, messageOf(answer).replace(/available: .*/, "")]);
    };
    const expected = [
      [400, "Requested CPUs are not available - requested 0,99, "],
      [400, "Requested memory nodes are not available - requested 98, "],
    ];
    expect(await refusals(create)).toEqual(expected);
    const id = await engine().create();
    expect(await refusals((body) => engine().call("POST", `/containers/${id}/update`, body))).toEqual(expected);
    await engine().remove(id);
  });

  async function limitsOf(id: string): Promise<GroupLimits> {
    const body = { Cmd: ["sh", "-c", SHOW_LIMITS], AttachStdout: true };
    const { Id } = (await engine().must(201, "POST", `/containers/${id}/exec`, body)).json<{ Id: string }>();
    const { body: output } = await engine().must(200, "POST", `/exec/${Id}/start`, {});
    return limitsShown(frames(output).stdout);
  }
});

function expectLimits(found: GroupLimits, { shares, ...expected }: Expected): void {
  expect(found).toMatchObject(expected);
  if (shares !== undefined) expect(sharesOf(shares)).toContain(found.shares);
}
