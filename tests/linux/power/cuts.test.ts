// Loss of power while images are made: the disk keeps only what was flushed, in the midst of a load, an import, a build,
// a commit, a pull and a push. What was answered is there, byte for byte; what was not is whole or not there at all; no
// half of anything is left. `CORACLE_TEST_POWER_CUTS` sets how often each is cut, `CORACLE_TEST_POWER_CUTS_SEED` the seed,
// which a run prints.

import { createHash } from "node:crypto";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { membersOf } from "../../support/archives/saved.js";
import { must, pause, run, until } from "../../support/commands.js";
import type { DaemonProcess } from "../../support/daemon-process.js";
import { EngineClient } from "../../support/engine-client.js";
import { missingLinux, startCoracle } from "../../support/engines.js";
import { describeUnless } from "../../support/on-engines.js";
import { childrenOf, findProcesses } from "../../support/processes.js";
import { randomFrom } from "../../support/random.js";
import { startMemoryRegistry, type MemoryRegistry } from "../../support/registry/memory-registry.js";
import { startTakingRegistry, type TakingRegistry } from "../../support/registry/taking-registry.js";
import { FailingDisk, missingDisk } from "./disk.js";
import { PREPARED, type Operation, type Prepare } from "./operations.js";

const missing = missingLinux() ?? missingDisk;
const CUTS = Number(process.env["CORACLE_TEST_POWER_CUTS"] ?? 2);
const SEED = Number(process.env["CORACLE_TEST_POWER_CUTS_SEED"] ?? Date.now() % 1_000_000);

describeUnless(missing, "loss of power while images are made", () => {
  const random = randomFrom(SEED);
  /** Images that were answered as made. */
  const kept = new Set<string>();
  let [disk, daemon, engine]: [FailingDisk, DaemonProcess, EngineClient] = [] as never;
  let [source, target]: [MemoryRegistry, TakingRegistry] = [] as never;
  const data = (...names: string[]): string => join(disk.place, "data", ...names);

  beforeAll(async () => {
    console.log(`loss of power while images are made: seed ${SEED}`);
    disk = await FailingDisk.open();
    daemon = await startCoracle(["--insecure-registry", "10.213.0.0/16"], data());
    engine = new EngineClient(daemon.socketPath);
    source = await startMemoryRegistry(daemon.netns.hostAddress);
    target = await startTakingRegistry(daemon.netns.hostAddress);
    kept.add("busybox:latest");
  });
  afterAll(async () => {
    await source?.close();
    await target?.close();
    await daemon?.close();
    await disk?.close();
  });

  test.each(Object.entries(PREPARED))(
    `%s, ${CUTS} times`,
    { timeout: 60_000 + CUTS * 30_000, retry: 0 },
    async (name, prepare) => {
      const tally = { done: 0, whole: 0, absent: 0 };
      const longest = await durationOf(prepare, `${name}-whole`);
      for (let cut = 0; cut < CUTS; cut += 1) tally[await cutDuring(prepare, `${name}-${cut}`, longest)] += 1;
      console.log(`${name}, of ${longest} ms: ${JSON.stringify(tally)}`);
      // One of each stays until the end.
      for (const reference of [...kept].filter((one) => one.includes(`${name}-`)).slice(1)) await remove(reference);
    },
  );

  test("in the end nothing is left of what was removed", async () => {
    for (const { Id } of await engine.read<{ Id: string }[]>("/containers/json?all=1")) await engine.remove(Id);
    kept.delete("busybox:latest");
    for (const reference of kept) await remove(reference);
    await engine.must(200, "POST", "/images/prune");
    await engine.must(200, "POST", "/build/prune?all=1");
    const busybox = await engine.read<{ RootFS: { Layers: string[] } }>("/images/busybox/json");
    const layers = busybox.RootFS.Layers.map((digest) => digest.slice("sha256:".length));
    const found = (): string[] => readdirSync(data("layers")).filter((name) => name !== "tmp");
    // Layers are moved away first, and removed then.
    const isOver = (): boolean => found().length === layers.length && readdirSync(data("layers/tmp")).length === 0;
    await until("the layers to go", isOver).catch(() => {});
    expect(found()).toEqual(layers);
    expectNoHalves([]);
  });

  /** How long the operation takes when nothing goes wrong, in ms. */
  async function durationOf(prepare: Prepare, name: string): Promise<number> {
    const operation = await prepare({ engine, source, target }, name);
    const begun = performance.now();
    expect(operation.isDone(await operation.ask())).toBe(true);
    kept.add(operation.reference);
    return Math.ceil(performance.now() - begun);
  }

  /**
   * Whether the request was answered as done, or its image was there all the same, or not. `longest`: the time from the
   * request to the cut, in ms.
   */
  async function cutDuring(prepare: Prepare, name: string, longest: number): Promise<"done" | "whole" | "absent"> {
    const operation = await prepare({ engine, source, target }, name);
    if (operation.known === true) kept.add(operation.reference);
    const cut = await disk.arm();
    const asked = operation.ask().then(
      (answer) => operation.isDone(answer),
      () => false,
    );
    await pause(random(longest));
    await cut();
    await endAll();
    const isDone = await asked;
    await disk.back();
    await daemon.start();
    if (isDone) kept.add(operation.reference);
    for (const reference of kept) await expectWhole(reference);
    const isThere = (await engine.call("GET", `/images/${operation.reference}/json`)).status === 200;
    if (isThere) await expectWhole(operation.reference);
    // What has arrived of a layer stays for the next pull.
    expectNoHalves(name.startsWith("pull") ? ["rest-"] : []);
    await completes(operation);
    return isDone ? "done" : isThere ? "whole" : "absent";
  }

  /** What a machine without power no longer has. */
  async function endAll(): Promise<void> {
    await daemon.end("SIGKILL");
    const { root, execRoot } = daemon.directories;
    for (const pid of findProcesses(`${root}/`)) for (const one of [...childrenOf(pid), pid]) killed(one);
    const mounts = (await must(["cat", "/proc/self/mounts"])).split("\n").map((line) => line.split(" ")[1] ?? "");
    const left = mounts.filter(
      (path) => path === execRoot || [execRoot, disk.place].some((above) => path.startsWith(`${above}/`)),
    );
    for (const path of left.toReversed()) await run(["umount", "-l", path]);
    await must(["rm", "-rf", execRoot]);
  }

  async function remove(reference: string): Promise<void> {
    await engine.must(200, "DELETE", `/images/${reference}`);
    kept.delete(reference);
  }

  /** The same request does its work now. */
  async function completes(operation: Operation): Promise<void> {
    const answer = await operation.ask();
    const isUpToDate = answer.text.includes("Image is up to date");
    expect([operation.reference, operation.isDone(answer) || isUpToDate, answer.text]).toEqual([
      operation.reference,
      true,
      answer.text,
    ]);
    await expectWhole(operation.reference);
    kept.add(operation.reference);
  }

  /** All its layers have the bytes that its config names. */
  async function expectWhole(reference: string): Promise<void> {
    const saved = await engine.must(200, "GET", `/images/${reference}/get`);
    const members = await membersOf(saved.body);
    const [{ Config, Layers }] = JSON.parse(String(members.get("manifest.json"))) as [Listed];
    const { rootfs } = JSON.parse(String(members.get(Config))) as { rootfs: { diff_ids: string[] } };
    const digests = Layers.map((layer) => digestOf(members.get(layer) ?? Buffer.alloc(0)));
    expect([reference, digests]).toEqual([reference, rootfs.diff_ids]);
  }

  /** `besides`: beginnings of names that may be there. */
  function expectNoHalves(besides: readonly string[]): void {
    for (const name of ["archives", "layers/tmp"]) {
      const names = existsSync(data(name)) ? readdirSync(data(name)) : [];
      expect([name, names.filter((one) => !besides.some((start) => one.startsWith(start)))]).toEqual([name, []]);
    }
  }
});

interface Listed {
  Config: string;
  Layers: string[];
}

function digestOf(bytes: Uint8Array): string {
  return `sha256:${createHash("sha256").update(bytes).digest("hex")}`;
}

function killed(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has ended by itself.
  }
}
