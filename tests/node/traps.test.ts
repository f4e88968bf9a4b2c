// Traps of the core: waiting clients get an incident id, the trace up to the trap is kept, the engine continues with
// another instance, and containers are not affected.

import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { decodeTrace } from "../../hosts/trace/decode.js";
import { replay } from "../../hosts/trace/replay.js";
import { until } from "../support/commands.js";
import { EngineClient } from "../support/engine-client.js";
import { engines, type Engine } from "../support/engines.js";
import { describeUnless } from "../support/on-engines.js";
import { startTrapping, type TrappingDaemon } from "../support/trapping-daemon.js";
import { identity, trapping } from "../trace/engine.js";

const COUNTING = "i=0; while true; do i=$((i+1)); echo line $i; sleep 0.1; done";

/** An OCI runtime that hangs without making a container: the file `asked` next to it shows that it was called. */
const HANGING = `#!/bin/sh
case "$*" in
*--version*) echo "runc version 1.1.5" ;;
*create*) touch "\${0%/*}/asked"; while :; do sleep 0.1; done ;;
esac
`;

for (const engine of engines().filter(({ kind }) => kind !== "reference")) {
  describeUnless(engine.missing, `a trap of the core, ${engine.kind}`, () => trapsOf(engine));
}

function trapsOf({ kind }: Engine): void {
  let daemon: TrappingDaemon;
  let client: EngineClient;
  let id = "";
  let pid = 0;
  const directory = mkdtempSync(join(tmpdir(), "coracle-traps-"));

  beforeAll(async () => {
    writeFileSync(join(directory, "hanging"), HANGING, { mode: 0o755 });
    const runtime = ["--add-runtime", `hanging=${join(directory, "hanging")}`];
    daemon = await startTrapping(kind, `trapping-${kind}`, runtime);
    client = new EngineClient(daemon.socketPath);
    id = await client.running({ Cmd: ["sh", "-c", COUNTING] }, "?name=counting");
    pid = (await stateOf(id)).Pid;
  });
  afterAll(async () => {
    await daemon?.close();
    rmSync(directory, { recursive: true });
  });

  async function stateOf(container: string): Promise<{ Status: string; Pid: number }> {
    return (await client.inspect<{ State: { Status: string; Pid: number } }>(container)).State;
  }

  async function lineCount(): Promise<number> {
    return (await client.logs(id)).stdout.split("\n").length - 1;
  }

  /** The container still has the same process, and its log has every line once. */
  async function expectUntouched(): Promise<void> {
    expect(await stateOf(id)).toMatchObject({ Status: "running", Pid: pid });
    const before = await lineCount();
    await until("more lines", async () => (await lineCount()) > before);
    const lines = (await client.logs(id)).stdout.trimEnd().split("\n");
    expect(lines).toEqual(lines.map((_, at) => `line ${at + 1}`));
  }

  /** Sends the request that traps. Returns the incident in its answer. */
  async function trap(): Promise<string> {
    const answer = await client.call("GET", "/trap", undefined, { version: null });
    expect(answer.status).toBe(500);
    const message = answer.json<{ message: string }>().message;
    expect(message).toMatch(
      /^the engine had to restart: the core trapped: Error: unreachable \(incident [0-9a-f]{12}\)$/,
    );
    return /[0-9a-f]{12}/.exec(message)![0];
  }

  async function fileOf(incident: string): Promise<string> {
    const line = await until("the log to name the trace", () => lineWith(incident));
    return /trace="?([^"\s]+)/.exec(line)![1]!;
  }

  function lineWith(incident: string): string | undefined {
    return daemon
      .log()
      .split("\n")
      .find((line) => line.includes("is kept") && line.includes(incident));
  }

  test("is reported with an id, which names its trace", async () => {
    const waiting = client.call("POST", `/containers/${id}/wait?condition=not-running`).catch(() => null);
    const following = client.call("GET", `/containers/${id}/logs?stdout=1&follow=1`);
    await until("the follower to be there", async () => (await lineCount()) > 3);
    const incident = await trap();
    expect(daemon.log()).toContain(`msg="an instance of the core was lost" error="the core trapped`);
    expect(daemon.log()).toContain(`incident=${incident}`);
    const file = await fileOf(incident);
    expect(file).toContain(`incident-${incident}.ndjson`);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const trace = decodeTrace(readFileSync(file, "utf8"));
    expect(trace.segments[0]!.calls.at(-1)).toMatchObject({ out: null, input: { val: { target: "/trap" } } });
    expect(replay(trace, trapping, { identity }).difference).toBeNull();
    // A head had been sent, so the connection breaks off.
    expect((await waiting)?.status ?? "broken off").toBe("broken off");
    await firstAnswer(performance.now(), "with streams under way");
    await expectUntouched();
    // A stream that was bound continues to the container's end.
    const seen = await lineCount();
    await until("more lines", async () => (await lineCount()) > seen);
    await client.must(204, "POST", `/containers/${id}/kill`);
    const text = (await following).body.toString("latin1");
    expect(text).toContain(`line ${seen}\n`);
    await client.start(id);
    pid = (await stateOf(id)).Pid;
  });

  /** Measures the time to the next instance's first answer; earlier requests were refused. Prints the time. */
  async function firstAnswer(since: number, during: string): Promise<void> {
    await until("the next instance", async () => {
      const { status, text } = await client.call("GET", "/containers/json");
      if (status !== 200) expect(text).toContain("the engine cannot continue right now: the core trapped");
      return status === 200;
    });
    console.log(
      `${kind}: ${during} the next instance answered ${Math.round(performance.now() - since)} ms after a trap`,
    );
  }

  test("is survived in a moment", async () => {
    await forget();
    id = await client.running({ Cmd: ["sh", "-c", COUNTING] }, "?name=counting-on");
    pid = (await stateOf(id)).Pid;
    await trap();
    await firstAnswer(performance.now(), "with nothing under way");
    await expectUntouched();
  });

  // The simulated world's runtimes never hang.
  if (kind === "linux")
    test("is survived even if a launch never ends", async () => {
      await forget();
      const launched = await client.create({ HostConfig: { Runtime: "hanging" } });
      const starting = client.call("POST", `/containers/${launched}/start`);
      await until("the runtime to be asked", () => existsSync(join(directory, "asked")));
      await trap();
      await firstAnswer(performance.now(), "while a launch hangs");
      expect((await starting).status).toBe(500);
      expect((await stateOf(launched)).Status).not.toBe("running");
      await client.must(204, "DELETE", `/containers/${launched}?force=1`);
      await expectUntouched();
    });

  test("in the opening of the next instance is survived too", async () => {
    await forget();
    id = await client.running({ Cmd: ["sh", "-c", COUNTING] }, "?name=counting-again");
    pid = (await stateOf(id)).Pid;
    writeFileSync(daemon.openTraps, "1");
    const first = await trap();
    await firstAnswer(performance.now(), "with a trap in its opening");
    await expectUntouched();
    const incidents = [...daemon.log().matchAll(/was lost" error=.* incident=([0-9a-f]{12})/g)].map(([, one]) => one!);
    expect(incidents.slice(-2)[0]).toBe(first);
    const opened = decodeTrace(readFileSync(await fileOf(incidents.at(-1)!), "utf8"));
    expect(opened.segments).toHaveLength(1);
    expect(opened.segments[0]).toMatchObject({ start: { tag: "open", out: null }, calls: [] });
  });

  /** Traps count for a minute, or until the daemon is restarted. */
  async function forget(): Promise<void> {
    await daemon.end("SIGTERM");
    await daemon.start();
  }

  test("for the third time within a minute ends the process, which names the trace; containers keep running", async () => {
    await forget();
    const before = daemon.log().length;
    writeFileSync(daemon.openTraps, "9");
    await client.call("GET", "/trap", undefined, { version: null }).catch(() => {});
    await until("the daemon to end", () => {
      try {
        process.kill(daemon.pid(), 0);
        return readFileSync(`/proc/${daemon.pid()}/stat`, "utf8").split(") ")[1]!.startsWith("Z");
      } catch {
        return true;
      }
    });
    const said = daemon.log().slice(before);
    const [, trace] =
      /level=fatal msg="no instance of the core can be kept" error=.* trace="?([^"\s]+)/.exec(said) ?? [];
    expect(said.match(/an instance of the core was lost/g)).toHaveLength(3);
    expect(decodeTrace(readFileSync(trace!, "utf8")).segments[0]!.end.why).toBe("lost");
    // Even the first open fails, so the start fails and names the trace.
    await expect(daemon.start()).rejects.toThrow(/ended with code 1: .*no instance of the core can be kept.*trace=/s);
    writeFileSync(daemon.openTraps, "0");
    await daemon.start();
    if (kind === "linux") await expectUntouched();
  });
}
