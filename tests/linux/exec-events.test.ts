// Kills the daemon right after an answer: the event of the answered operation is in the history of the next daemon,
// even if no client read events. For an exec that continues without the daemon, its end is reported there too, after
// its start. `CORACLE_TEST_EXEC_CUTS` sets how often the daemon is killed after a start.

import { existsSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { until } from "../support/commands.js";
import type { DaemonProcess } from "../support/daemon-process.js";
import { EngineClient } from "../support/engine-client.js";
import { missingLinux, startCoracle } from "../support/engines.js";
import { tarOf } from "../support/archives/images.js";
import { describeUnless } from "../support/on-engines.js";
import { type Event, past, stamp } from "../support/past-events.js";
import { encodeRequest, RawConnection } from "../support/raw-http.js";

const missing = missingLinux();
const CUTS = Number(process.env["CORACLE_TEST_EXEC_CUTS"] ?? (process.env["CI"] === "true" ? 25 : 8));

describeUnless(missing, "events of requests that were answered right before the daemon was killed", () => {
  let daemon: DaemonProcess;
  let engine: EngineClient;
  let id: string;
  let since: string;

  beforeAll(async () => {
    daemon = await startCoracle();
    engine = new EngineClient(daemon.socketPath);
    // Its handler makes the signal harmless.
    const Cmd = ["sh", "-c", "trap true USR1; while :; do sleep 1; done"];
    id = await engine.running({ Cmd, Tty: true, HostConfig: { NetworkMode: "none" } });
  });
  afterAll(async () => daemon?.close());

  test(
    `of a detached exec, its creation and its start (${CUTS} times)`,
    { timeout: 60_000 + CUTS * 5000 },
    async () => {
      for (let cut = 0; cut < CUTS; cut++) {
        since = await stamp(engine);
        // For one that ends at once, the end may be there too.
        const exec = await created(cut % 2 === 0 ? ["sleep", "1000"] : ["true"]);
        await engine.must(200, "POST", `/exec/${exec}/start`, { Detach: true });
        await startAnew();
        expect((await actionsOf(exec)).slice(0, 2)).toEqual(["exec_create", "exec_start"]);
      }
    },
  );

  test("the end of an exec that continues, when it comes", async () => {
    since = await stamp(engine);
    const [killed, ended] = [await created(["sleep", "1000"]), await created(["sleep", "1000"])];
    for (const exec of [killed, ended]) await engine.must(200, "POST", `/exec/${exec}/start`, { Detach: true });
    const { Pid } = await engine.read<{ Pid: number }>(`/exec/${killed}/json`);
    await startAnew();
    process.kill(Pid, "SIGTERM");
    await until("exec_die", async () => (await actionsOf(killed)).length === 3);
    await engine.must(204, "POST", `/containers/${id}/restart?t=0`);
    for (const exec of [killed, ended]) {
      await until("exec_die", async () => (await actionsOf(exec)).length === 3);
      expect(await actionsOf(exec)).toEqual(["exec_create", "exec_start", "exec_die"]);
    }
  });

  test("ends while no daemon is running: the code of a detached exec, and only once", async () => {
    since = await stamp(engine);
    const trapping = (name: string) => {
      return ["sh", "-c", `trap 'exit 3' TERM; touch /${name}; while :; do sleep 0.1; done`];
    };
    const [detached, attached] = [await created(trapping("detached")), await created(trapping("attached"))];
    await engine.must(200, "POST", `/exec/${detached}/start`, { Detach: true });
    const connection = await RawConnection.open(engine.socketPath);
    const headers = { Connection: "Upgrade", Upgrade: "tcp", "Content-Type": "application/json" };
    connection.send(encodeRequest({ method: "POST", target: `/exec/${attached}/start`, headers, body: "{}" }));
    expect((await connection.head()).status).toBe(101);
    const pids = await Promise.all([detached, attached].map((exec) => pidOf(exec)));
    for (const name of ["detached", "attached"]) {
      const target = `/containers/${id}/archive?path=/${name}`;
      await until(`the trap of ${name}`, async () => (await engine.call("HEAD", target)).status === 200);
    }
    await daemon.end("SIGKILL");
    for (const pid of pids) process.kill(pid, "SIGTERM");
    await until("end of the execs", async () => !pids.some((pid) => existsSync(`/proc/${pid}`)));
    // Their engine may be killed again before it has reported anything.
    for (let start = 0; start < 3; start++) {
      await daemon.start();
      expect(await actionsOf(detached)).toEqual(["exec_create", "exec_start", "exec_die"]);
      expect(await actionsOf(attached)).toEqual(["exec_create", "exec_start", "exec_die"]);
      await daemon.end("SIGKILL");
    }
    await daemon.start();
    // No engine was there to see how the attached one ended.
    expect(await Promise.all([detached, attached].map((exec) => codeOf(exec)))).toEqual(["3", "137"]);
  });

  test("ends with the container while no daemon is running: before the container's end", async () => {
    since = await stamp(engine);
    const exec = await created(["sleep", "1000"]);
    await engine.must(200, "POST", `/exec/${exec}/start`, { Detach: true });
    const { State } = await engine.read<{ State: { Pid: number } }>(`/containers/${id}/json`);
    await daemon.end("SIGKILL");
    process.kill(State.Pid, "SIGKILL");
    await until("end of the container", async () => !existsSync(`/proc/${State.Pid}`));
    await daemon.start();
    const ends = (await told()).flatMap(({ Action }) => (/^(?:exec_)?die$/.test(Action) ? [Action] : []));
    expect([await actionsOf(exec), ends]).toEqual([
      ["exec_create", "exec_start", "exec_die"],
      ["exec_die", "die"],
    ]);
    expect(await codeOf(exec)).toBe("137");
    await engine.must(204, "POST", `/containers/${id}/start`);
  });

  test("the end of an attached exec, once its stream has ended", async () => {
    since = await stamp(engine);
    const exec = await created(["true"]);
    await engine.must(200, "POST", `/exec/${exec}/start`, { Detach: false });
    await startAnew();
    expect(await actionsOf(exec)).toEqual(["exec_create", "exec_start", "exec_die"]);
  });

  const ASKED: [action: string, ask: () => Promise<unknown>][] = [
    ["exec_create", () => created(["true"])],
    ["kill", () => engine.must(204, "POST", `/containers/${id}/kill?signal=USR1`)],
    ["top", () => engine.must(200, "GET", `/containers/${id}/top`)],
    ["resize", () => engine.must(200, "POST", `/containers/${id}/resize?h=30&w=90`)],
    ["attach", () => attached()],
    ["archive-path", () => engine.must(200, "GET", `/containers/${id}/archive?path=/etc/passwd`)],
    ["extract-to-dir", async () => engine.must(200, "PUT", `/containers/${id}/archive?path=/tmp`, await file())],
    ["export", () => engine.must(200, "GET", `/containers/${id}/export`)],
  ];

  for (const [action, ask] of ASKED) {
    test(`${action}`, async () => {
      since = await stamp(engine);
      await ask();
      await startAnew();
      expect((await told()).map(({ Action }) => Action.split(":")[0])).toContain(action);
    });
  }

  async function startAnew(): Promise<void> {
    await daemon.end("SIGKILL");
    await daemon.start();
  }

  async function created(Cmd: string[]): Promise<string> {
    const answer = await engine.must(201, "POST", `/containers/${id}/exec`, { Cmd, AttachStdout: true });
    return answer.json<{ Id: string }>().Id;
  }

  async function attached(): Promise<void> {
    const connection = await RawConnection.open(engine.socketPath);
    const headers = { Connection: "Upgrade", Upgrade: "tcp" };
    connection.send(encodeRequest({ method: "POST", target: `/containers/${id}/attach?stream=1&stdout=1`, headers }));
    expect((await connection.head()).status).toBe(101);
  }

  function told(): Promise<Event[]> {
    return past(engine, since, { container: [id] });
  }

  async function pidOf(exec: string): Promise<number> {
    let pid = 0;
    await until("exec", async () => (pid = (await engine.read<{ Pid: number }>(`/exec/${exec}/json`)).Pid) > 0);
    return pid;
  }

  async function codeOf(exec: string): Promise<string | undefined> {
    const ends = (await told()).filter(
      ({ Action, Actor }) => Action === "exec_die" && Actor.Attributes["execID"] === exec,
    );
    return ends[0]?.Actor.Attributes["exitCode"];
  }

  async function actionsOf(exec: string): Promise<string[]> {
    const own = (await told()).filter(({ Actor }) => Actor.Attributes["execID"] === exec);
    return own.map(({ Action }) => Action.split(":")[0]!);
  }
});

function file(): Promise<Buffer> {
  return tarOf([{ name: "copied", body: "copied" }]);
}
