// Traps of the real core in the simulated world, whose time shows how soon the next instance opens.

import { expect, test } from "vitest";
import { openEngine } from "../../hosts/embedding/open.js";
import { simulatedHost } from "../../hosts/simulated/host.js";
import { trapping } from "../trace/engine.js";

test("no time passes between a trap and the next instance, even during a pull that takes years", async () => {
  const host = simulatedHost({ pace: "stopped", images: [] });
  const engine = await openEngine({ host, core: trapping });
  host.faults.inject({ kind: "registry-slow", bytesPerSecond: 1 });
  const pull = engine.fetch("/images/create?fromImage=busybox", { method: "POST" });
  const pulling = pull.then((response) => response.text());
  pulling.catch(() => {});
  // The image's configuration, then its layer.
  const blobs = (): number => host.world.registryRequests().filter(({ url }) => url.includes("/blobs/")).length;
  while (blobs() < 2) expect(await host.timers.step()).toBe(true);
  const at = host.timers.now().monotonic;
  const trapped = await engine.fetch("/trap");
  expect([trapped.status, await trapped.text()]).toEqual([500, expect.stringContaining("the core trapped")]);
  expect((await engine.fetch("/images/json")).status).toBe(200);
  expect(host.timers.now().monotonic).toBe(at);
  await expect(pulling).rejects.toThrow();
  await engine.close();
});
