// Events across restarts of the daemon and `kill -9`: the next daemon reports every event again that a reader received.
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { pause, until } from "../support/commands.js";
import type { DaemonProcess } from "../support/daemon-process.js";
import { EngineClient } from "../support/engine-client.js";
import { missingLinux, startCoracle } from "../support/engines.js";
import { MEMORY_EATER } from "../support/measured/memory-eater.js";
import { describeUnless } from "../support/on-engines.js";
import { findProcesses } from "../support/processes.js";
import { type Event, past, pastSigned, short, stamp } from "../support/past-events.js";
import { encodeRequest, RawConnection } from "../support/raw-http.js";

const missing = missingLinux();
const CUTS = 5;

describeUnless(missing, "events across restarts", () => {
  let daemon: DaemonProcess;
  let engine: EngineClient;

  beforeAll(async () => {
    daemon = await startCoracle(["--events-size", "1m"]);
    engine = new EngineClient(daemon.socketPath);
  });
  // A failed container must not affect the others.
  beforeEach(async () => {
    await engine.call("GET", "/_ping").catch(() => daemon.start());
  });
  afterAll(async () => daemon?.close());

  test("an OOM kill is reported once, whether the daemon was running, was killed after it or started after it", async () => {
    const since = await stamp(engine);
    const eat = MEMORY_EATER.join(" ");
    const touch = (name: string): string => `until touch /${name}; do sleep 0.05; done`;
    const script = `${eat}; ${touch("first")}; until [ -e /go ]; do sleep 0.05; done; ${eat}; ${touch("eaten")}; exec sleep 1000`;
    const HostConfig = { Memory: 16 << 20, MemorySwap: 16 << 20 };
    const id = await engine.running({ Cmd: ["sh", "-c", script], HostConfig });
    const told = async () => (await past(engine, since)).filter(({ Action }) => Action === "oom").length;
    const upper = join(daemon.directories.dataRoot, "containers", id, "upper");
    await until("the first kill to be told", async () => (await told()) > 0);
    await until("its wait for the second", () => existsSync(join(upper, "first")));
    expect(await told()).toBe(1);
    await daemon.end("SIGKILL");
    writeFileSync(join(daemon.directories.execRoot, "containers", id, "rootfs", "go"), "");
    await until("the second kill", () => existsSync(join(upper, "eaten")));
    await daemon.start();
    expect(await told()).toBe(2);
    expect(await engine.inspect(id)).toMatchObject({ State: { Running: true, OOMKilled: true } });
    for (let times = 0; times < 2; times++) {
      await daemon.end("SIGKILL");
      await daemon.start();
      expect(await told()).toBe(2);
    }
    await engine.remove(id);
    expect(await told()).toBe(2);
  });

  test("all events are there after an orderly shutdown, even if no client waited for them", async () => {
    const since = await stamp(engine);
    const id = await engine.running({ Cmd: ["sleep", "1000"] });
    const { Id } = (
      await engine.must(201, "POST", `/containers/${id}/exec`, { Cmd: ["true"], AttachStdout: true })
    ).json<{ Id: string }>();
    await engine.must(200, "POST", `/exec/${Id}/start`, { Detach: true });
    await engine.must(200, "GET", `/containers/${id}/top`);
    const before = await until("the end of the exec", async () => {
      const events = await past(engine, since);
      return events.some(({ Action }) => Action === "exec_die") && events.map(short);
    });
    await daemon.end("SIGTERM");
    await daemon.start();
    expect((await past(engine, since)).map(short).slice(0, before.length)).toEqual(before);
    expect(before).toContain("container top");
    await engine.remove(id);
  });

  test(`what a reader received is sent again after kill -9 (${CUTS} times)`, { retry: 0 }, async () => {
    let count = 0;
    for (let cut = 0; cut < CUTS; cut++) {
      const since = await stamp(engine);
      const reader = await RawConnection.open(engine.socketPath);
      reader.send(encodeRequest({ target: "/v1.41/events" }));
      await reader.head();
      const work = engine.running({ Cmd: ["sleep", "1000"] }).catch(() => "");
      // The last round waits for all events.
      await (cut === CUTS - 1 ? work : pause(30 * cut));
      await daemon.end("SIGKILL");
      const told = linesOf((await reader.rest()).toString());
      await work;
      await daemon.start();
      const again = (await pastSigned(engine, since)).map((event) => JSON.stringify(event));
      count += told.length;
      for (const event of told) expect(again).toContain(JSON.stringify(event));
      for (const { Id } of await engine.read<{ Id: string }[]>("/containers/json?all=1")) await engine.remove(Id);
    }
    expect(count).toBeGreaterThan(1);
  });

  test("actions of the daemon at its start have this reason", async () => {
    const id = await engine.running({ Cmd: ["sleep", "1000"], HostConfig: { RestartPolicy: { Name: "always" } } });
    const since = await stamp(engine);
    const { Pid } = (await engine.read<{ State: { Pid: number } }>(`/containers/${id}/json`)).State;
    await daemon.end("SIGKILL");
    process.kill(Pid, "SIGKILL");
    await until("its supervisor's end", () => findProcesses("conmon", id).length === 0);
    await daemon.start();
    await expect
      .poll(async () => (await pastSigned(engine, since)).filter(({ Action }) => Action === "start").length, {
        timeout: 60_000,
      })
      .toBe(1);
    const told = await pastSigned(engine, since);
    const why = told.map(({ Action, Actor }) => `${Action}: ${Actor.Attributes["coracle.why"]}`);
    expect(why).toContain("die: engine start");
    expect(why).toContain("start: restart policy always");
    await engine.remove(id);
  });
});

/** Complete lines of a chunked reply. */
function linesOf(text: string): Event[] {
  const lines = text.split(/\r?\n/).filter((line) => line.startsWith("{") && line.endsWith("}"));
  return lines.map((line) => JSON.parse(line) as Event);
}
