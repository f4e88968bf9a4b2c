// The daemon killed at random moments while many clients work with it: whatever a client was told before is so after
// the next start. `CORACLE_TEST_CUTS` is how many times; `CORACLE_TEST_CUTS_SEED` the seed, which a run prints.
import { afterAll, beforeAll, expect, test } from "vitest";
import { takeCensus, type Census } from "../support/census.js";
import { pause, until } from "../support/commands.js";
import type { DaemonProcess } from "../support/daemon-process.js";
import { EngineClient } from "../support/engine-client.js";
import { engines, startCoracle } from "../support/engines.js";
import { describeUnless } from "../support/on-engines.js";
import { findProcesses } from "../support/processes.js";
import { randomFrom } from "../support/random.js";

const linux = engines().find((engine) => engine.kind === "linux");
const missing = linux === undefined ? "another engine was chosen" : linux.missing;
const CUTS = Number(process.env["CORACLE_TEST_CUTS"] ?? 5);
const SEED = Number(process.env["CORACLE_TEST_CUTS_SEED"] ?? Date.now() % 1_000_000);
const CLIENTS = 8;
/** So long, at most, do they work before the daemon is killed. */
const LONGEST_MS = 1500;
const CALM_MS = 3000;

type Held = Omit<Census, "openFiles">;

type State = "none" | "created" | "running" | "paused" | "exited";

/** What a client may ask for, when, and what is so once it has been answered. */
interface Step {
  readonly from: readonly State[];
  readonly to: State;
  readonly request: (name: string) => readonly [method: string, path: string, body?: unknown];
}

const CONFIG = { Image: "busybox", Cmd: ["sh", "-c", "echo began; exec sleep 1000"], Volumes: { "/data": {} } };

const STEPS: readonly Step[] = [
  { from: ["none"], to: "created", request: (name) => ["POST", `/containers/create?name=${name}`, CONFIG] },
  { from: ["created", "exited"], to: "running", request: (name) => ["POST", `/containers/${name}/start`] },
  { from: ["running"], to: "exited", request: (name) => ["POST", `/containers/${name}/stop?t=0`] },
  { from: ["running"], to: "running", request: (name) => ["POST", `/containers/${name}/restart?t=0`] },
  { from: ["running"], to: "running", request: (name) => ["POST", `/containers/${name}/update`, { CpuShares: 512 }] },
  { from: ["running"], to: "paused", request: (name) => ["POST", `/containers/${name}/pause`] },
  { from: ["paused"], to: "running", request: (name) => ["POST", `/containers/${name}/unpause`] },
  {
    from: ["created", "running", "paused", "exited"],
    to: "none",
    request: (name) => ["DELETE", `/containers/${name}?force=1&v=1`],
  },
];

/** A container, and what its client knows of it. */
interface Known {
  readonly name: string;
  state: State;
  /** It was asked for and not answered. */
  asked: Step | null;
}

describeUnless(missing, "the daemon killed under load", () => {
  const random = randomFrom(SEED);
  const containers = Array.from({ length: CLIENTS }, (_, at): Known => ({
    name: `of-${at}`,
    state: "none",
    asked: null,
  }));
  let daemon: DaemonProcess;
  let engine: EngineClient;
  let before: Held;
  let isUp = false;

  beforeAll(async () => {
    daemon = await startCoracle();
    engine = new EngineClient(daemon.socketPath);
    await engine.run({ Cmd: ["true"] });
    // What is taken down behind the answer.
    await pause(CALM_MS);
    before = await census(new Set());
  });
  afterAll(async () => daemon?.close());

  test(`${CUTS} times: what was promised is kept`, { timeout: 60_000 + CUTS * 30_000 }, async () => {
    console.log(`the daemon killed under load: seed ${SEED}`);
    const ids = new Set<string>();
    for (let cut = 0; cut < CUTS; cut += 1) {
      isUp = true;
      const work = containers.map((container) => workWith(container));
      await pause(random(LONGEST_MS));
      isUp = false;
      await daemon.end("SIGKILL");
      expect((await Promise.all(work)).filter((wrong) => wrong !== null)).toEqual([]);
      await daemon.start();
      for (const container of containers) await expectKept(container, ids);
    }
    for (const { name } of containers) await engine.call("DELETE", `/containers/${name}?force=1&v=1`);
    expect(await engine.read("/containers/json?all=1")).toEqual([]);
    expect((await engine.read<{ Volumes: unknown }>("/volumes")).Volumes).toEqual([]);
    await until("calm", async () => JSON.stringify(await census(ids)) === JSON.stringify(before)).catch(() => {});
    expect(await census(ids)).toEqual(before);
  });

  /** One request after the other, until the daemon is gone. What was answered wrongly, or null. */
  async function workWith(container: Known): Promise<string | null> {
    while (isUp) {
      const fit = STEPS.filter(({ from }) => from.includes(container.state));
      const step = fit[random(fit.length)]!;
      container.asked = step;
      const [method, path, body] = step.request(container.name);
      const answer = await engine.call(method, path, body).catch(() => null);
      if (answer === null) return null;
      if (answer.status >= 300) return `${container.state}: ${method} ${path}: ${answer.status} ${answer.text}`;
      container.state = step.to;
      container.asked = null;
      // Some are at rest when the daemon is killed.
      await pause(random(LONGEST_MS / 2));
    }
    return null;
  }

  /** It is as its client was told. If more was asked for, it may be so already, or on the way, and is removed. */
  async function expectKept(container: Known, ids: Set<string>): Promise<void> {
    const { name, state, asked } = container;
    const found = await until(`${name} to be in a state that stays`, async () => {
      const now = await stateOf(name, ids);
      return ["removing", "restarting", "ending"].includes(now) ? null : now;
    });
    // What is restarted or removed by force ends first.
    const between: State[] = state === "none" ? [] : ["exited"];
    const possible = asked === null ? [state] : [state, asked.to, ...between];
    expect(possible, `${name}: ${JSON.stringify({ state, asked: asked?.to, found })}`).toContain(found);
    if (asked === null) return;
    await engine.call("DELETE", `/containers/${name}?force=1&v=1`);
    await until(`${name} to be gone`, async () => (await stateOf(name, ids)) === "none");
    container.state = "none";
    container.asked = null;
  }

  /** As the engine tells it, which must be as it is. */
  async function stateOf(name: string, ids: Set<string>): Promise<string> {
    const answer = await engine.call("GET", `/containers/${name}/json`);
    if (answer.status === 404) return "none";
    const { Id, State } = answer.json<{ Id: string; State: { Status: string; Pid: number } }>();
    ids.add(Id);
    const runs = State.Status === "running" || State.Status === "paused";
    if (runs) expect(() => process.kill(State.Pid, 0)).not.toThrow();
    // Its supervisor may take a moment longer.
    else if (State.Pid !== 0 || findProcesses("conmon", Id).length > 0) return "ending";
    return State.Status;
  }

  async function census(ids: Set<string>): Promise<Held> {
    const { openFiles: _, ...rest } = await takeCensus(daemon, [...ids]);
    return rest;
  }
});
