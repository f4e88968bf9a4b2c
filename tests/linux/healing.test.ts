// `kill -9` of the daemon or of a supervisor: running containers keep running and keep all their output, the end of those
// that ended is known, and nothing is left over.

import { statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { run, until } from "../support/commands.js";
import { takeCensus, type Census } from "../support/measured/census.js";
import { childrenOf, commandLineOf, findProcesses } from "../support/processes.js";
import { describeUnless } from "../support/on-engines.js";
import { killedDaemon, missing } from "./killed-daemon.js";

/** Largest delay of times from the kernel, which advances them by ticks. */
const CLOCK_MS = 20;

describeUnless(missing, "kill -9 of the daemon", () => {
  const killed = killedDaemon();
  const { started, execIn, codeOf, stateOf, killAndRestart, expectNothingLeft } = killed;

  test("a container keeps running, with the same process and all its output", async () => {
    const script = "trap 'echo over; exit 5' TERM; i=0; while :; do i=$((i+1)); echo line $i; sleep 0.03; done";
    const id = await started({ Cmd: ["sh", "-c", script] });
    const { Pid } = await stateOf(id);
    const lines = async (): Promise<string[]> => (await killed.engine.logs(id)).stdout.split("\n");
    await until("some lines", async () => (await lines()).length > 5);
    await killed.daemon.end("SIGKILL");
    const size = logSize(id);
    await until("lines while no daemon is there", () => logSize(id) > size + 200);
    await killed.daemon.start();
    expect(await stateOf(id)).toMatchObject({ Status: "running", Pid });
    const seen = (await lines()).length;
    await until("more lines", async () => (await lines()).length > seen);
    process.kill(Pid as number, "SIGTERM");
    expect(await killed.engine.wait(id)).toBe(5);
    const all = await lines();
    expect(all).toEqual([...Array.from({ length: all.length - 2 }, (_, index) => `line ${index + 1}`), "over", ""]);
    await killed.engine.remove(id);
    await expectNothingLeft();
  });

  test("a container on another's network stays there, and is cleaned up with it", async () => {
    const owner = await started({ Hostname: "owner", Cmd: ["sleep", "60"] });
    const id = await started({ Cmd: ["sleep", "60"], HostConfig: { NetworkMode: `container:${owner}` } });
    await killAndRestart();
    expect(await stateOf(id)).toMatchObject({ Status: "running" });
    const HostConfig = { NetworkMode: `container:${id}` };
    const { stdout } = await killed.engine.run({ HostConfig, Cmd: ["sh", "-c", "hostname; ls /sys/class/net"] });
    expect(stdout).toBe("owner\neth0\nlo\n");
    for (const one of [owner, id]) await killed.engine.remove(one);
    await expectNothingLeft();
  });

  test("a follower after the restart sees the rest", async () => {
    const id = await started({ Cmd: ["sh", "-c", "echo before; sleep 1; echo after"] });
    await until("its first line", async () => (await killed.engine.logs(id)).stdout === "before\n");
    await killAndRestart();
    expect((await killed.engine.logs(id, "stdout=1&follow=1")).stdout).toBe("before\nafter\n");
    await killed.engine.remove(id);
  });

  test("the code of a container that ended meanwhile is known", async () => {
    const script = "trap 'echo last words; exit 7' TERM; echo ready; while :; do sleep 0.02; done";
    const id = await started({ Cmd: ["sh", "-c", script] });
    await until("its trap", async () => (await killed.engine.logs(id)).stdout === "ready\n");
    await killed.daemon.end("SIGKILL");
    const told = Date.now();
    await endedAlone(id, "SIGTERM");
    const ended = Date.now();
    await killed.daemon.start();
    const state = await stateOf(id);
    expect(state).toMatchObject({ Status: "exited", ExitCode: 7, Running: false, Pid: 0 });
    // The time of its end, not of its detection.
    const finished = Date.parse(state["FinishedAt"] as string);
    expect([finished >= told - CLOCK_MS, finished <= ended + CLOCK_MS]).toEqual([true, true]);
    expect((await killed.engine.logs(id)).stdout).toBe("ready\nlast words\n");
    await killed.engine.remove(id);
    await expectNothingLeft();
  });

  test("unterminated output of a container that ended without a daemon has the time of its end", async () => {
    const id = await started({ Cmd: ["sh", "-c", "sleep 0.4; printf 'last words'; sleep 0.4"] });
    await killed.daemon.end("SIGKILL");
    await killed.daemon.start();
    await until("its last words", async () => (await stateOf(id))["Status"] === "exited");
    const told = async (): Promise<string> => (await killed.engine.logs(id, "stdout=1&timestamps=1")).stdout;
    const ended = Date.parse((await stateOf(id))["FinishedAt"] as string);
    await until("its end", async () => Math.abs(Date.parse((await told()).split(" ")[0]!) - ended) < 100);
    expect((await told()).split("Z ")[1]).toBe("last words");
    await killed.engine.start(id);
    await killed.engine.wait(id);
    const again = await killed.engine.logs(id, "stdout=1&tail=1");
    expect(again.stdout).toBe("last words");
    await killed.engine.remove(id);
    await expectNothingLeft();
  });

  test("an auto-remove container that ended meanwhile is removed", async () => {
    const id = await started({ Cmd: ["sleep", "1000"], HostConfig: { AutoRemove: true } });
    await killed.daemon.end("SIGKILL");
    await endedAlone(id, "SIGKILL");
    await killed.daemon.start();
    await until("its removal", async () => (await killed.engine.call("GET", `/containers/${id}/json`)).status === 404);
    await expectNothingLeft();
  });

  test("SIGTERM also leaves containers running", async () => {
    const id = await started({ Cmd: ["sleep", "1000"] });
    const { Pid } = await stateOf(id);
    await killed.daemon.end("SIGTERM");
    await killed.daemon.start();
    expect(await stateOf(id)).toMatchObject({ Status: "running", Pid });
    await killed.engine.must(204, "POST", `/containers/${id}/stop?t=0`);
    expect((await stateOf(id))["ExitCode"]).toBe(137);
    await killed.engine.remove(id);
    await expectNothingLeft();
  });

  test("attached and detached execs continue, and leave nothing when they end", async () => {
    const id = await started({ Cmd: ["sleep", "1000"] });
    const quiet = await takeCensus(killed.daemon, killed.ids);
    const detached = await execIn(id, {
      Cmd: ["sh", "-c", "until [ -e /dev/shm/go ]; do sleep 0.05; done; echo $? > /dev/shm/detached"],
    });
    await killed.engine.must(200, "POST", `/exec/${detached}/start`, { Detach: true });
    const attached = await execIn(id, {
      Cmd: ["sh", "-c", "until [ -e /dev/shm/go ]; do sleep 0.05; done; echo $? > /dev/shm/attached"],
      AttachStdout: true,
    });
    const cut = killed.engine.call("POST", `/exec/${attached}/start`, {}).catch(() => null);
    await until("its start", async () => (await killed.engine.read<{ Pid: number }>(`/exec/${attached}/json`)).Pid > 0);
    await killAndRestart();
    await cut;
    // The engine keeps nothing of an exec: a later request is told so.
    await killed.engine.must(404, "GET", `/exec/${detached}/json`);
    expect(await codeOf(id, ["touch", "/dev/shm/go"])).toBe(0);
    await until(
      "both ends",
      async () => (await codeOf(id, ["test", "-e", "/dev/shm/detached", "-a", "-e", "/dev/shm/attached"])) === 0,
    );
    await expectCalm(quiet);
    expect((await takeCensus(killed.daemon, killed.ids)).processes).toEqual(quiet.processes);
    await killed.engine.remove(id);
    await expectNothingLeft();
  });

  test("execs that ended without an engine leave nothing", async () => {
    const id = await started({ Cmd: ["sleep", "1000"] });
    const quiet = await takeCensus(killed.daemon, killed.ids);
    const exec = await execIn(id, { Cmd: ["sleep", "1000"] });
    await killed.engine.must(200, "POST", `/exec/${exec}/start`, { Detach: true });
    const { Pid } = await killed.engine.read<{ Pid: number }>(`/exec/${exec}/json`);
    await killed.daemon.end("SIGKILL");
    process.kill(Pid, "SIGKILL");
    await until("its end", () => commandLineOf(Pid) === "");
    await killed.daemon.start();
    await expectCalm(quiet);
    await killed.engine.remove(id);
    await expectNothingLeft();
  });

  test("networks of a container that kept running still work", async () => {
    const HostConfig = { PortBindings: { "80/tcp": [{ HostPort: "18200" }] } };
    const serve = "while :; do echo -e 'HTTP/1.0 200 OK\\r\\n\\r\\nserved' | nc -l -p 80; done";
    const id = await started({ Cmd: ["sh", "-c", serve], ExposedPorts: { "80/tcp": {} }, HostConfig });
    const address = await addressOf(id);
    await killAndRestart();
    expect(await addressOf(id)).toBe(address);
    const text = await until("the published port", async () => {
      const response = await fetch(`http://${killed.daemon.netns.address}:18200/`).catch(() => null);
      return response?.text();
    });
    expect(text).toBe("served\n");
    const ask = 'fetch("http://[::1]:18200/").then(async (it) => console.log(await it.text()))';
    const forwarded = await until("the published port on IPv6", async () => {
      const { code, stdout } = await run(killed.daemon.netns.inside([process.execPath, "-e", ask]));
      return code === 0 && stdout;
    });
    expect(forwarded).toBe("served\n\n");
    const other = await started({ Cmd: ["sleep", "1000"] });
    expect(await addressOf(other)).not.toBe(address);
    for (const one of [id, other]) await killed.engine.remove(one);
    await expectNothingLeft();
  });

  test("the supervisor killed: the container is not left as running, waits are answered", async () => {
    const id = await started({ Cmd: ["sleep", "1000"] });
    const waiting = killed.engine.wait(id);
    const supervisor = findProcesses("conmon", id)[0];
    if (supervisor === undefined) throw new Error("no supervisor of the container was found");
    process.kill(supervisor, "SIGKILL");
    expect(await waiting).toBe(137);
    const state = await until("its end", async () => {
      const now = await stateOf(id);
      return now["Running"] === false ? now : null;
    });
    expect(state).toMatchObject({ Status: "exited", ExitCode: 137 });
    expect(state["Error"]).not.toBe("");
    await killed.engine.remove(id);
    await expectNothingLeft();
  });

  test("the supervisor killed while the daemon is down", async () => {
    const id = await started({ Cmd: ["sleep", "1000"] });
    await killed.daemon.end("SIGKILL");
    for (const supervisor of findProcesses("conmon", id)) process.kill(supervisor, "SIGKILL");
    await killed.daemon.start();
    await until("its end", async () => (await stateOf(id))["Running"] === false);
    expect((await stateOf(id))["ExitCode"]).toBe(137);
    await killed.engine.remove(id);
    await expectNothingLeft();
  });

  /** An earlier engine's processes are checked once a second. */
  async function expectCalm(quiet: Census): Promise<void> {
    const execRoot = async (): Promise<string> => (await takeCensus(killed.daemon, killed.ids)).execRoot.join("\n");
    await until("calm", async () => (await execRoot()) === quiet.execRoot.join("\n")).catch(() => {});
    expect(await execRoot()).toBe(quiet.execRoot.join("\n"));
  }

  /**
   * Sends a signal to the first process of a container while no daemon runs, and waits until it and its supervisor have
   * ended.
   */
  async function endedAlone(id: string, signal: NodeJS.Signals): Promise<void> {
    const supervisors = findProcesses("conmon", id);
    for (const pid of supervisors.flatMap(childrenOf)) process.kill(pid, signal);
    await until("its end", () => supervisors.every((pid) => commandLineOf(pid) === ""));
  }

  /** Size of the log file in use. */
  function logSize(id: string): number {
    return statSync(join(killed.daemon.directories.dataRoot, "containers", id, "log")).size;
  }

  async function addressOf(id: string): Promise<string> {
    return (await killed.engine.inspect<{ NetworkSettings: { IPAddress: string } }>(id)).NetworkSettings.IPAddress;
  }
});
