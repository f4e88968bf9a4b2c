// Many execs, one after the other and some at once, attached and detached: nothing of them is left on the machine.
// `CORACLE_TEST_EXECS` is how many.
import { afterAll, beforeAll, expect, test } from "vitest";
import { atOnce } from "../support/at-once.js";
import { recordsOf, takeCensus } from "../support/census.js";
import { pause } from "../support/commands.js";
import type { DaemonProcess } from "../support/daemon-process.js";
import { EngineClient } from "../support/engine-client.js";
import { engines, startCoracle } from "../support/engines.js";
import { Footprint } from "../support/footprint.js";
import { frames } from "../support/frames.js";
import { describeUnless } from "../support/on-engines.js";

const linux = engines().find((engine) => engine.kind === "linux");
const missing = linux === undefined ? "another engine was chosen" : linux.missing;
const COUNT = Number(process.env["CORACLE_TEST_EXECS"] ?? 200);
const AT_ONCE = 4;
/** Every so many of them nobody is attached to. */
const DETACHED_EACH = 10;
/** What heaps grow to at so many of anything. */
const MEBIBYTES_MAX = 80;

describeUnless(missing, "many execs", () => {
  let daemon: DaemonProcess;
  let engine: EngineClient;

  beforeAll(async () => {
    daemon = await startCoracle();
    engine = new EngineClient(daemon.socketPath);
  });
  afterAll(async () => daemon?.close());

  test(`${COUNT} leave nothing`, { timeout: 30_000 + COUNT * 500 }, async () => {
    // On no network: the thread that makes networks would open files of its own, and close them again.
    const id = await engine.running({ HostConfig: { NetworkMode: "none" } });
    await Promise.all(Array.from({ length: AT_ONCE }, (_, at) => one(id, at)));
    await pause(500);
    const before = await takeCensus(daemon, [id]);
    const records = recordsOf(daemon);
    const footprint = await Footprint.of(daemon);
    await atOnce(COUNT, AT_ONCE, (at) => one(id, at));
    await pause(500);
    const after = await takeCensus(daemon, [id]);
    expect(after.openFiles).toEqual(before.openFiles);
    expect(after.execRoot).toEqual(before.execRoot);
    expect(after.processes).toEqual(before.processes);
    expect(after.mounts).toEqual(before.mounts);
    expect(after.cgroups).toEqual(before.cgroups);
    expect(recordsOf(daemon)).toEqual(records);
    console.log(`${COUNT} execs: ${footprint.grown().toFixed(1)} MiB`);
    expect(footprint.grown()).toBeLessThan(MEBIBYTES_MAX);
    expect((await engine.inspect<{ ExecIDs: unknown }>(id)).ExecIDs).toBeNull();
    await engine.remove(id);
  });

  async function one(id: string, at: number): Promise<void> {
    const Cmd = ["echo", String(at)];
    const made = await engine.must(201, "POST", `/containers/${id}/exec`, { Cmd, AttachStdout: true });
    const { Id } = made.json<{ Id: string }>();
    const Detach = at % DETACHED_EACH === 0;
    const answer = await engine.must(200, "POST", `/exec/${Id}/start`, { Detach });
    if (!Detach) expect(frames(answer.body).stdout).toBe(`${at}\n`);
  }
});
