// `CgroupParent`: a container's cgroup below one that the client named, and everything the engine does with it there.
import { readdirSync, rmdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { SIMULATED } from "../support/allowed-skips.js";
import type { Json } from "../support/engine-client.js";
import { onEngines, testExcept } from "../support/on-engines.js";

/** A unique name. Cgroups that a client names stay after the container, so the test must remove them. */
const PARENT = `coracle-test-${process.pid}`;
const ROOT = "/sys/fs/cgroup";

onEngines("cgroup parent", (engine, kind) => {
  afterAll(() => {
    if (kind !== "simulated") for (const path of groups()) removeBelow(path);
  });

  const groupOf = async (parent: string): Promise<[string, string]> => {
    const HostConfig = { CgroupParent: parent, CgroupnsMode: "host", NetworkMode: "none" };
    const { stdout, id } = await engine().run({ HostConfig, Cmd: ["cat", "/proc/self/cgroup"] });
    return [stdout, id];
  };

  test.each([
    [`/${PARENT}`, `/${PARENT}`],
    [`${PARENT}/deep`, `/${PARENT}/deep`],
    [`../../${PARENT}/./x/..`, `/${PARENT}`],
  ])("%s", async (parent, path) => {
    const [seen, id] = await groupOf(parent);
    expect(seen).toContain(`:${path}/${id}\n`);
    expect((await groupOf(""))[0]).not.toContain(PARENT);
  });

  test.each(["container:nobody", "nonsense"])("HostConfig.Cgroup %s is only shown in inspect", async (Cgroup) => {
    const HostConfig = { Cgroup, CgroupParent: PARENT, CgroupnsMode: "host", NetworkMode: "none" };
    const id = await engine().create({ HostConfig, Cmd: ["cat", "/proc/self/cgroup"] });
    await engine().start(id);
    await engine().wait(id);
    expect((await engine().logs(id)).stdout).toContain(`:/${PARENT}/${id}\n`);
    expect(await engine().inspect(id)).toMatchObject({ HostConfig: { Cgroup } });
    await engine().remove(id);
  });

  testExcept(kind, { simulated: SIMULATED.cgroups })(
    "a container is paused, limited, measured and removed there",
    async () => {
      const HostConfig = { CgroupParent: PARENT, NetworkMode: "none", Memory: 32 << 20 };
      const id = await engine().running({ HostConfig });
      expect(withGroup(id).length).toBeGreaterThan(0);
      await engine().must(204, "POST", `/containers/${id}/pause`);
      expect(await engine().inspect(id)).toMatchObject({ State: { Status: "paused" } });
      await engine().must(204, "POST", `/containers/${id}/unpause`);
      await engine().must(200, "POST", `/containers/${id}/update`, { Memory: 64 << 20, MemorySwap: 128 << 20 });
      const stats = await engine().read<{ memory_stats: Json; pids_stats: Json }>(`/containers/${id}/stats?stream=0`);
      expect(stats).toMatchObject({ memory_stats: { limit: 64 << 20 }, pids_stats: { current: 1 } });
      const { Processes } = await engine().read<{ Processes: unknown[] }>(`/containers/${id}/top`);
      expect(Processes).toHaveLength(1);
      await engine().remove(id);
      expect(withGroup(id)).toEqual([]);
    },
  );

  /** Our cgroups, in every hierarchy. */
  function groups(): string[] {
    const tops = [ROOT, ...readdirSync(ROOT).map((name) => join(ROOT, name))];
    return tops.map((top) => join(top, PARENT)).filter((path) => namesIn(path).length > 0);
  }

  function withGroup(id: string): string[] {
    return groups().filter((path) => namesIn(path).includes(id));
  }
});

function namesIn(path: string): string[] {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
}

function removeBelow(path: string): void {
  for (const entry of readdirSync(path, { withFileTypes: true }))
    if (entry.isDirectory()) removeBelow(join(path, entry.name));
  rmdirSync(path);
}
