// OOM kills: reported while the container keeps running, found by the next engine, and reported before the container's
// end.

import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, test } from "vitest";
import type { processes as wit } from "../../../hosts/shared/host.js";
import { MemoryKills } from "../../../runtime-linux/cgroups/memory-kills.js";
import { until } from "../../support/commands.js";
import { startEngine } from "../processes/engine.js";
import { newDirectory, openFixture } from "../processes/fixture.js";
import { onRuntimes } from "../processes/on-runtimes.js";

const EAT = "dd if=/dev/zero of=/dev/null bs=60M count=1";
const limited = (spec: { linux: { resources: Record<string, unknown> } }) =>
  (spec.linux.resources = { memory: { limit: 20 << 20, swap: 20 << 20 } });

onRuntimes("kills for memory", (on) => {
  it("are reported one by one, and to an engine that finds the container", async () => {
    const { container } = await on.launch(["sh", "-c", `${EAT}; read x; ${EAT}; read x; ${EAT}`], {
      spec: limited,
      openStdin: true,
    });
    for (let kills = 1; kills <= 2; kills++) {
      await until("a kill", () => told(container).includes(kills));
      expect(on.fixture.exits).toEqual([]);
      const found = await on.fixture.processes.inventory();
      expect(found).toMatchObject([{ container, state: { tag: "running" }, memoryKills: kills }]);
      await on.fixture.processes.stdio.stdin(container, 1).write(Buffer.from("on\n"));
    }
    expect(await on.fixture.exited(container)).toMatchObject({ code: 137, outOfMemory: true });
    expect(told(container)).toEqual([1, 2, 3]);
    expect(await on.fixture.processes.inventory()).toMatchObject([{ state: { tag: "exited" }, memoryKills: 3 }]);
    await on.clear(container);
  });

  it("are found, and reported from then on, by an engine that takes over", async () => {
    const directory = newDirectory();
    const engine = startEngine(directory, on.runtime, [`read x; ${EAT}; read x; ${EAT}; sleep 1000`]);
    const [{ container } = { container: "" }] = await engine.launched(1);
    await engine.kill();
    const again = await openFixture(on.runtime, directory);
    const { processes } = again;
    const perform = (command: wit.ProcessCommand) => processes.perform(1n, command, () => {});
    expect(await processes.inventory()).toMatchObject([{ container, memoryKills: 0 }]);
    const resources = Buffer.from(JSON.stringify({ memory: { limit: 20 << 20, swap: 20 << 20 } }));
    await perform({ tag: "limit", val: { subject: on.subject(container), resources, rates: [] } });
    for (let kills = 1; kills <= 2; kills++) {
      await processes.stdio.stdin(container, 1).write(Buffer.from("on\n"));
      await until("a kill", () => again.memoryKills.at(-1)?.kills === kills);
    }
    expect(await processes.inventory()).toMatchObject([{ container, memoryKills: 2 }]);
    await perform({ tag: "reap", val: on.subject(container) });
    await again.close();
  });

  const told = (container: string): number[] =>
    on.fixture.memoryKills.filter((kill) => kill.container === container).map(({ kills }) => kills);
});

test("a notice is removed so that the next one is seen; the kernel has the count", () => {
  const directory = mkdtempSync(join(tmpdir(), "coracle-memory-"));
  const events = join(directory, "memory.events");
  const kills = new MemoryKills({ controller: () => ({ path: directory, v2: true }), file: () => events });
  const run = { name: "run", container: "c", directory };
  const told: number[] = [];
  try {
    writeFileSync(events, "oom 4\noom_kill 3\n");
    kills.watch(run, (count) => told.push(count));
    expect(told).toEqual([]); // of an earlier run, if any: none has been detected in this one
    writeFileSync(join(directory, "oom"), "");
    kills.ended(run);
    expect([told, existsSync(join(directory, "oom")), kills.count(run)]).toEqual([[3], false, 3]);
    rmSync(events);
    expect(kills.count(run)).toBe(1); // the cgroup is gone
  } finally {
    kills.close();
    rmSync(directory, { recursive: true });
  }
});
