// Engines that test files borrow one after another (support/lending): leftovers of a file are removed, and an engine
// with remaining leftovers is not lent again.
import { mkdirSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, inject, test, vi } from "vitest";
import type { TestProject } from "vitest/node";
import { engines, RunningEngine, type EngineKind } from "./support/engines.js";
import { borrow } from "./support/lending/borrowed.js";
import lend from "./support/lending/lender.js";
import { lentSeconds } from "./support/lending/cost.js";

/** An engine of this kind, or the reason why there is none. */
async function borrowed(kind: EngineKind, settlesWithin?: number): Promise<RunningEngine | string> {
  const engine = engines().find((one) => one.kind === kind);
  if (engine === undefined) return `CORACLE_TEST_ENGINES leaves out ${kind}`;
  return engine.missing ?? new RunningEngine(engine, await borrow(engine, inject("lender"), settlesWithin));
}

test.for<EngineKind>(["linux", "simulated", "reference"])(
  "everything that a file made is removed: %s",
  async (kind, { skip }) => {
    const cost = lentSeconds();
    const engine = await borrowed(kind);
    if (typeof engine === "string") return skip(engine);
    await engine.running({ Volumes: { "/data": {} } });
    await engine.create({}, "?name=left");
    await engine.must(201, "POST", "/images/busybox/tag?repo=other&tag=1");
    const id = await engine.create({ Cmd: ["touch", "/new"] });
    await engine.must(201, "POST", `/commit?container=${id}&repo=child`);
    await engine.daemon.close();
    // The time used meanwhile counts for this file.
    expect(lentSeconds()).toBeGreaterThan(cost);
    // Another file may have had it in between.
    const next = await borrowed(kind);
    if (typeof next === "string") throw new Error(next);
    expect(await next.read("/containers/json?all=1")).toEqual([]);
    const images = await next.read<{ RepoTags: string[] }[]>("/images/json");
    expect(images.map(({ RepoTags }) => RepoTags)).toEqual([["busybox:latest"]]);
    await next.daemon.close();
  },
);

test("leftovers that no request can remove are reported, and the engine is ended: linux", async ({ skip }) => {
  const engine = await borrowed("linux", 1000);
  if (typeof engine === "string") return skip(engine);
  writeFileSync(join(engine.daemon.directories.execRoot, "forgotten"), "");
  // Without the failure, the daemon would answer pings as long as it runs.
  await expect(engine.daemon.close()).rejects.toThrow("the tests left in the engine on linux: + execRoot: forgotten");
  await expect(engine.read("/_ping")).rejects.toThrow();
});

test("a layer without an image is reported: linux", async ({ skip }) => {
  const engine = await borrowed("linux", 1000);
  if (typeof engine === "string") return skip(engine);
  mkdirSync(join(engine.daemon.directories.dataRoot, "layers/forgotten"));
  await expect(engine.daemon.close()).rejects.toThrow(
    "the tests left in the engine on linux: + kept: layers/forgotten",
  );
});

test("a cgroup of a removed container is reported: linux", async ({ skip }) => {
  const engine = await borrowed("linux", 1000);
  if (typeof engine === "string") return skip(engine);
  const left = `/sys/fs/cgroup/left-${await engine.create({ Cmd: ["true"] })}`;
  mkdirSync(left);
  try {
    await expect(engine.daemon.close()).rejects.toThrow(`the tests left in the engine on linux: + cgroups: ${left}`);
  } finally {
    rmdirSync(left);
  }
});

test("a file that ended without giving its engine back is named: simulated", async ({ skip }) => {
  const engine = engines().find(({ kind }) => kind === "simulated");
  if (engine === undefined) return skip("CORACLE_TEST_ENGINES leaves out simulated");
  let socketPath = "";
  const provide = (name: string, value: string): void => {
    if (name === "lender") socketPath = value;
  };
  const root = { getProvidedContext: () => (socketPath === "" ? {} : { lender: socketPath }), provide };
  const project = { vitest: { getRootProject: () => root } } as unknown as TestProject;
  const close = await lend(project);
  // Another project of the same run has the same lender, and its end ends nothing.
  const before = socketPath;
  expect([await lend(project), socketPath]).toEqual([undefined, before]);
  await (await borrow(engine, socketPath)).close();
  await borrow(engine, socketPath);
  const told = vi.spyOn(console, "error").mockImplementation(() => {});
  await close!();
  const lines = told.mock.calls.flat();
  told.mockRestore();
  expect(lines).toEqual(["tests/lending.test.ts has not given back the engine that it had: simulated"]);
});
