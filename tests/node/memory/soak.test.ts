// A long run of mixed work leaves nothing behind: memory, descriptors, threads and files are in the end what they were
// near its beginning. `CORACLE_TEST_SOAK=30` works for so many minutes after the first one, in place of some seconds, and
// compares memory, too: it takes a minute until the engine has as much as its work needs.

import { readdirSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { pause } from "../../support/commands.js";
import type { DaemonProcess } from "../../support/daemon-process.js";
import { EngineClient } from "../../support/engine-client.js";
import { missingLinux, startCoracle } from "../../support/engines.js";
import { describeUnless } from "../../support/on-engines.js";
import { readFor, rssKibibytes } from "../../support/processes.js";
import { startMemoryRegistry, type MemoryRegistry } from "../../support/registry/memory-registry.js";
import { pullLines, smallImage } from "../../support/registry/pulls.js";
import { packImage } from "../../support/registry/push-image.js";

const MINUTES = Number(process.env["CORACLE_TEST_SOAK"] ?? 0);
const MINUTE_MS = 60_000;
const [FIRST_MS, WORK_MS] = MINUTES > 0 ? [MINUTE_MS, MINUTES * MINUTE_MS] : [3_000, 6_000];
/** Then nothing of what was under way is left: threads for content, with their descriptors, end after three seconds. */
const REST_MS = 6_000;
/** Memory goes up and down with the work: the median of so many looks counts. */
const LOOKS = 40;
const LOOK_MS = 500;
const MEBIBYTES_MAX = 70;
const LAYERS = 4;
const LAYER_BYTES = 2 ** 20;

interface Held {
  /** At the end of the work. */
  mebibytes: number;
  // The others after it.
  descriptors: number;
  threads: number;
  /** Files and directories below its roots. */
  files: number;
}

describeUnless(missingLinux(), "a long run of mixed work", () => {
  let daemon: DaemonProcess;
  let engine: EngineClient;
  let registry: MemoryRegistry;

  beforeAll(async () => {
    daemon = await startCoracle(["--insecure-registry", "10.213.0.0/16"]);
    engine = new EngineClient(daemon.socketPath);
    registry = await startMemoryRegistry(daemon.netns.hostAddress);
    registry.put("soak", ["1"], packImage(await smallImage("soak", LAYERS, LAYER_BYTES)));
  });
  afterAll(async () => {
    await registry.close();
    await daemon.close();
  });

  /** Returns what the engine has in the end. */
  async function work(ms: number): Promise<Held> {
    const until = Date.now() + ms;
    const repeated = async (act: () => Promise<void>): Promise<void> => {
      do await act();
      while (Date.now() < until);
    };
    const looks: number[] = [];
    const look = async (): Promise<void> => {
      looks.push(rssMebibytes());
      await pause(LOOK_MS);
    };
    await Promise.all([look, run, run, execInto, readLog, pull, readEvents].map((act) => repeated(act)));
    const last = looks.slice(-LOOKS).sort((a, b) => a - b);
    await pause(REST_MS);
    return held(last[last.length >> 1]!);
  }

  function rssMebibytes(): number {
    return Math.round(rssKibibytes(daemon.pid()) / 1024);
  }

  async function run(): Promise<void> {
    expect(await engine.run({ Cmd: ["sh", "-c", "echo out; exit 3"] })).toMatchObject({ code: 3, stdout: "out\n" });
  }

  async function execInto(): Promise<void> {
    const id = await engine.running({ HostConfig: { NetworkMode: "none" } });
    for (let i = 0; i < 5; i++) {
      const asked = { Cmd: ["echo", "from an exec"], AttachStdout: true };
      const made = await engine.must(201, "POST", `/containers/${id}/exec`, asked);
      const { text } = await engine.must(200, "POST", `/exec/${made.json<{ Id: string }>().Id}/start`, {});
      expect(text).toContain("from an exec\n");
    }
    await engine.remove(id);
  }

  async function readLog(): Promise<void> {
    const id = await engine.create({ Cmd: ["seq", "20000"], HostConfig: { NetworkMode: "none" } });
    await engine.start(id);
    const followed = await engine.logs(id, "stdout=1&follow=1");
    expect(followed.stdout).toBe(await engine.logs(id).then(({ stdout }) => stdout));
    expect(followed.stdout.endsWith("\n20000\n")).toBe(true);
    await engine.remove(id);
  }

  async function pull(): Promise<void> {
    const name = `${registry.host}/soak`;
    const lines = await pullLines(engine, `fromImage=${encodeURIComponent(name)}&tag=1`);
    expect(lines.at(-1)).toMatchObject({ status: `Status: Downloaded newer image for ${name}:1` });
    await engine.must(200, "DELETE", `/images/${name}:1`);
  }

  async function readEvents(): Promise<void> {
    const now = Math.floor(Date.now() / 1000);
    await engine.must(200, "GET", `/events?since=${now - 5}&until=${now}`);
    await pause(100);
  }

  function held(mebibytes: number): Held {
    const pid = daemon.pid();
    const { dataRoot, execRoot } = daemon.directories;
    return {
      mebibytes,
      descriptors: readdirSync(`/proc/${pid}/fd`).length,
      threads: Number(/^Threads:\s+(\d+)/m.exec(readFor(pid, "status"))?.[1] ?? 0),
      files: [dataRoot, execRoot].reduce((sum, root) => sum + readdirSync(root, { recursive: true }).length, 0),
    };
  }

  const timeout = 2 * (FIRST_MS + WORK_MS) + 5 * MINUTE_MS;
  test("ends with what the engine had near its beginning", { timeout }, async () => {
    const first = await work(FIRST_MS);
    const last = await work(WORK_MS);
    const told = `${JSON.stringify(first)} near the beginning, ${JSON.stringify(last)} at the end`;
    const compared: (keyof Held)[] = ["descriptors", "threads", "files"];
    if (MINUTES > 0) {
      await pause(MINUTE_MS);
      const rested = rssMebibytes();
      console.log(`${told}, ${rested} MiB a minute later`);
      expect(rested, "a minute later").toBeLessThanOrEqual(MEBIBYTES_MAX);
      compared.push("mebibytes");
    }
    for (const what of compared) expect(last[what], `${what}: ${told}`).toBeLessThanOrEqual(1.1 * first[what]);
  });
});
