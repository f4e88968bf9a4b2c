// A pull during which the engine dies: the next engine goes on where it was.

import { expect, test } from "vitest";
import type { Engine } from "../../hosts/embedding/engine.js";
import { openEngine } from "../../hosts/embedding/open.js";
import { simulatedHost } from "../../hosts/simulated/host.js";

/** So many bytes arrive in a second. */
const SPEED = 10_000;
const SECONDS = 5n;
const SECOND = 1_000_000_000n;
const MS = 1_000_000n;

test("a pull that the engine's death interrupted goes on from the bytes that are there", async () => {
  const host = simulatedHost({ pace: "stopped", images: [] });
  const engine = await openEngine({ host });
  host.faults.inject({ kind: "registry-slow", bytesPerSecond: SPEED });
  pull(engine).catch(() => {});
  // The image's configuration, then its layer.
  const blobs = (): number => host.world.registryRequests().filter(({ url }) => url.includes("/blobs/")).length;
  while (blobs() < 2) expect(await host.timers.step()).toBe(true);
  const begun = host.timers.now().monotonic;
  while (host.timers.now().monotonic < begun + SECONDS * SECOND) await host.timers.step();
  host.faults.inject({ kind: "engine-crash", afterOutputs: 0 })();
  await engine.reopen();
  const [rest, ...others] = host.world.found().rests;
  expect([rest?.chain, others]).toEqual([expect.stringMatching(/^sha256:/), []]);
  expect(rest!.at / MS).toBe(host.timers.now().wall / MS);

  host.faults.lift("registry-slow");
  const again = pull(engine);
  let text: string | null = null;
  void again.then((lines) => (text = lines));
  while (text === null) await host.timers.step();
  const lines = (await again).trimEnd().split("\r\n");
  const first = lines.map((line) => JSON.parse(line) as Line).find(({ status }) => status === "Downloading");
  expect(first?.progressDetail.current).toBeGreaterThanOrEqual(SPEED * (Number(SECONDS) - 1));
  expect(lines.at(-1)).toContain("Downloaded newer image");
  expect(host.world.found().rests).toEqual([]);
  await engine.close();
});

interface Line {
  status: string;
  progressDetail: { current: number };
}

async function pull(engine: Engine): Promise<string> {
  const response = await engine.fetch("/images/create?fromImage=busybox&tag=latest", { method: "POST" });
  return response.text();
}
