// Containers with a restart policy, paused containers and containers that are being restarted, across `kill -9` and
// restarts of the daemon.
import { readFileSync } from "node:fs";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { pause, until } from "../support/commands.js";
import { findProcesses, readFor } from "../support/processes.js";
import type { DaemonProcess } from "../support/daemon-process.js";
import { EngineClient, type Json } from "../support/engine-client.js";
import { missingLinux, startCoracle } from "../support/engines.js";
import { describeUnless } from "../support/on-engines.js";

const missing = missingLinux();

/** How long after a request the daemon is killed. */
const DELAYS_MS = [0, 2, 5, 10, 20, 40, 80, 160];

const ticksOf = (pid: number): string => readFor(pid, "root/tmp/ticks");

/** As reported by the kernel for its cgroup: by cgroup v1's freezer, or by v2. */
function isFrozen(pid: number): boolean {
  const groups = readFor(pid, "cgroup").trim().split("\n");
  const place = (named: string) => groups.map((line) => line.split(":")).find((fields) => fields[1] === named)?.[2];
  const frozen = place("freezer");
  if (frozen === undefined) return /^frozen 1$/m.test(readFileSync(`/sys/fs/cgroup${place("")}/cgroup.events`, "utf8"));
  return readFileSync(`/sys/fs/cgroup/freezer${frozen}/freezer.state`, "utf8") === "FROZEN\n";
}

interface Inspected {
  readonly Status: string;
  readonly Pid: number;
  readonly RestartCount: number;
}

describeUnless(missing, "restarts across restarts of the daemon", () => {
  let daemon: DaemonProcess;
  let engine: EngineClient;

  beforeAll(async () => {
    daemon = await startCoracle([]);
    engine = new EngineClient(daemon.socketPath);
  });
  afterEach(async () => {
    const left = await engine.read<{ Id: string }[]>("/containers/json?all=1");
    for (const { Id } of left) await engine.remove(Id);
  });
  afterAll(async () => daemon?.close());

  test("policies decide what is started with the daemon", async () => {
    const [always, unless] = [policy("always"), policy("unless-stopped")];
    const stopped = await engine.running(always);
    const left = await engine.running(unless);
    for (const id of [stopped, left]) await engine.must(204, "POST", `/containers/${id}/stop?t=0`);
    const died = await engine.running(unless);
    const runsOn = await engine.running(always);
    const well = await engine.create({ Cmd: ["true"], ...policy("on-failure") });
    await engine.start(well);
    await engine.wait(well);
    const never = await engine.create(always);
    const fails = await engine.create({ Cmd: ["sh", "-c", "exit 3"], ...always });
    await engine.start(fails);
    const before = await inspected(runsOn);
    const { Pid } = await inspected(died);
    await daemon.end("SIGKILL");
    process.kill(Pid, "SIGKILL");
    await until("its supervisor's end", () => findProcesses("conmon", died).length === 0);
    await daemon.start();
    for (const id of [stopped, died]) await becomes(id, "running");
    expect(await inspected(stopped)).toMatchObject({ RestartCount: 0 });
    expect(await inspected(died)).toMatchObject({ RestartCount: 1 });
    expect(await inspected(runsOn)).toEqual(before);
    // Every container that restarts at all has done so by the time that a failing one has restarted twice.
    const { RestartCount } = await inspected(fails);
    await until("two more restarts", async () => (await inspected(fails)).RestartCount >= RestartCount + 2);
    for (const id of [left, well]) expect(await inspected(id)).toMatchObject({ Status: "exited" });
    expect(await inspected(never)).toMatchObject({ Status: "created" });
  });

  test("a container that waits between two runs continues to fail", async () => {
    const id = await engine.create({ Cmd: ["sh", "-c", "exit 3"], ...policy("always") });
    await engine.start(id);
    await until("five restarts", async () => (await inspected(id)).RestartCount >= 5);
    await daemon.end("SIGKILL");
    await daemon.start();
    const { RestartCount } = await inspected(id);
    expect(RestartCount).toBeGreaterThanOrEqual(5);
    await until("one more", async () => (await inspected(id)).RestartCount > RestartCount);
  });

  test("a paused container stays paused", async () => {
    const { id, pid } = await ticker();
    await engine.must(204, "POST", `/containers/${id}/pause`);
    const before = ticksOf(pid);
    await daemon.end("SIGKILL");
    await daemon.start();
    expect(await inspected(id)).toMatchObject({ Status: "paused", Pid: pid });
    expect([isFrozen(pid), ticksOf(pid)]).toEqual([true, before]);
    await engine.must(204, "POST", `/containers/${id}/unpause`);
    await ticking(pid);
  });

  test.each(DELAYS_MS)("restart, killed after %d ms: it runs afterwards", async (delayMs) => {
    const id = await engine.running({ Cmd: ["sleep", "1000"], HostConfig: { AutoRemove: true } });
    await killedDuring(delayMs, `/containers/${id}/restart?t=0`);
    await becomes(id, "running");
    await engine.must(204, "POST", `/containers/${id}/restart?t=0`);
  });

  test.each(DELAYS_MS)("pause and unpause, killed after %d ms: its reported state is correct", async (delayMs) => {
    const { id, pid } = await ticker();
    for (const verb of ["pause", "unpause"]) {
      await killedDuring(delayMs, `/containers/${id}/${verb}`);
      const { Status } = await inspected(id);
      expect(["paused", "running"], verb).toContain(Status);
      if (Status === "paused") expect(isFrozen(pid)).toBe(true);
      else await ticking(pid);
      if (verb === "pause" && Status === "running") await engine.must(204, "POST", `/containers/${id}/pause`);
    }
  });

  function policy(Name: string): Json {
    return { HostConfig: { RestartPolicy: { Name } } };
  }

  /** A container that counts in a file, so that no output is in transit when it is frozen. */
  async function ticker(): Promise<{ id: string; pid: number }> {
    const count = "while :; do i=$((i+1)); echo $i >/tmp/ticks; sleep 0.02; done";
    const id = await engine.running({ Cmd: ["sh", "-c", count] });
    const { Pid: pid } = await inspected(id);
    await ticking(pid);
    return { id, pid };
  }

  async function ticking(pid: number): Promise<void> {
    const before = ticksOf(pid);
    await until("a tick", () => !["", before].includes(ticksOf(pid)));
  }

  async function inspected(id: string): Promise<Inspected> {
    const { State, RestartCount } = await engine.inspect<{ State: Inspected; RestartCount: number }>(id);
    return { Status: State.Status, Pid: State.Pid, RestartCount };
  }

  async function becomes(id: string, status: string): Promise<void> {
    await until(`${status} ${id}`, async () => (await inspected(id)).Status === status);
  }

  async function killedDuring(delayMs: number, path: string): Promise<void> {
    const answer = engine.call("POST", path).catch(() => null);
    await pause(delayMs);
    await daemon.end("SIGKILL");
    await answer;
    await daemon.start();
  }
});
