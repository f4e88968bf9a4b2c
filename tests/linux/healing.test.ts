// `kill -9` of the daemon at any point: after the next start the list is correct, running containers still run and have
// all their output, the end of ended ones is known, and nothing is left over.
import { statSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { pause, run, until } from "../support/commands.js";
import { takeCensus, type Census } from "../support/measured/census.js";
import { childrenOf, commandLineOf, findProcesses } from "../support/processes.js";
import type { DaemonProcess } from "../support/daemon-process.js";
import { EngineClient, type Json } from "../support/engine-client.js";
import { engines, startCoracle } from "../support/engines.js";
import { encodeRequest, RawConnection } from "../support/raw-http.js";
import { describeUnless } from "../support/on-engines.js";
import { busyboxLayer, tarOf } from "../support/archives/images.js";
import { startMemoryRegistry, type MemoryRegistry } from "../support/registry/memory-registry.js";
import { packImage } from "../support/registry/push-image.js";

const linux = engines().find((engine) => engine.kind === "linux");
const missing = linux === undefined ? "another engine was chosen" : linux.missing;

/** Time limit for cleanup after an answer (of veths, for example). */
const CALM_MS = 60_000;
/** Largest delay of times from the kernel, which advances them by ticks. */
const CLOCK_MS = 20;

/** How long after a request the daemon is killed. */
const DELAYS_MS = [0, 1, 3, 6, 10, 15, 25, 40, 60, 90, 150];

/** Progress messages of a pull; null: half of a layer has arrived and no more comes. */
const PULL_LINES = [
  "Pulling from",
  "Pulling fs layer",
  null,
  "Download complete",
  "Extracting",
  "Pull complete",
] as const;

describeUnless(missing, "kill -9 of the daemon", () => {
  let daemon: DaemonProcess;
  let engine: EngineClient;
  let before: Census;
  const ids: string[] = [];

  beforeAll(async () => {
    daemon = await startCoracle(["--insecure-registry", "10.213.0.0/16"]);
    engine = new EngineClient(daemon.socketPath);
    // The bridge and its rules appear with the first container and stay.
    await engine.run({ Cmd: ["true"] });
    await killAndRestart();
    before = await calmCensus();
  });
  afterEach(async () => removeAll());
  afterAll(async () => daemon?.close());

  test("a container keeps running, with the same process and all its output", async () => {
    const script = "trap 'echo over; exit 5' TERM; i=0; while :; do i=$((i+1)); echo line $i; sleep 0.03; done";
    const id = await started({ Cmd: ["sh", "-c", script] });
    const { Pid } = await stateOf(id);
    const lines = async (): Promise<string[]> => (await engine.logs(id)).stdout.split("\n");
    await until("some lines", async () => (await lines()).length > 5);
    await daemon.end("SIGKILL");
    const size = logSize(id);
    await until("lines while no daemon is there", () => logSize(id) > size + 200);
    await daemon.start();
    expect(await stateOf(id)).toMatchObject({ Status: "running", Pid });
    const seen = (await lines()).length;
    await until("more lines", async () => (await lines()).length > seen);
    process.kill(Pid as number, "SIGTERM");
    expect(await engine.wait(id)).toBe(5);
    const all = await lines();
    expect(all).toEqual([...Array.from({ length: all.length - 2 }, (_, index) => `line ${index + 1}`), "over", ""]);
    await engine.remove(id);
    await expectNothingLeft();
  });

  test("a container on another's network stays there, and is cleaned up with it", async () => {
    const owner = await started({ Hostname: "owner", Cmd: ["sleep", "60"] });
    const id = await started({ Cmd: ["sleep", "60"], HostConfig: { NetworkMode: `container:${owner}` } });
    await killAndRestart();
    expect(await stateOf(id)).toMatchObject({ Status: "running" });
    const HostConfig = { NetworkMode: `container:${id}` };
    const { stdout } = await engine.run({ HostConfig, Cmd: ["sh", "-c", "hostname; ls /sys/class/net"] });
    expect(stdout).toBe("owner\neth0\nlo\n");
    for (const one of [owner, id]) await engine.remove(one);
    await expectNothingLeft();
  });

  test("a follower after the restart sees the rest", async () => {
    const id = await started({ Cmd: ["sh", "-c", "echo before; sleep 1; echo after"] });
    await until("its first line", async () => (await engine.logs(id)).stdout === "before\n");
    await killAndRestart();
    expect((await engine.logs(id, "stdout=1&follow=1")).stdout).toBe("before\nafter\n");
    await engine.remove(id);
  });

  test("the code of a container that ended meanwhile is known", async () => {
    const script = "trap 'echo last words; exit 7' TERM; echo ready; while :; do sleep 0.02; done";
    const id = await started({ Cmd: ["sh", "-c", script] });
    await until("its trap", async () => (await engine.logs(id)).stdout === "ready\n");
    await daemon.end("SIGKILL");
    const told = Date.now();
    await endedAlone(id, "SIGTERM");
    const ended = Date.now();
    await daemon.start();
    const state = await stateOf(id);
    expect(state).toMatchObject({ Status: "exited", ExitCode: 7, Running: false, Pid: 0 });
    // The time of its end, not of its detection.
    const finished = Date.parse(state["FinishedAt"] as string);
    expect([finished >= told - CLOCK_MS, finished <= ended + CLOCK_MS]).toEqual([true, true]);
    expect((await engine.logs(id)).stdout).toBe("ready\nlast words\n");
    await engine.remove(id);
    await expectNothingLeft();
  });

  test("unterminated output of a container that ended without a daemon has the time of its end", async () => {
    const id = await started({ Cmd: ["sh", "-c", "sleep 0.4; printf 'last words'; sleep 0.4"] });
    await daemon.end("SIGKILL");
    await daemon.start();
    await until("its last words", async () => (await stateOf(id))["Status"] === "exited");
    const told = async (): Promise<string> => (await engine.logs(id, "stdout=1&timestamps=1")).stdout;
    const ended = Date.parse((await stateOf(id))["FinishedAt"] as string);
    await until("its end", async () => Math.abs(Date.parse((await told()).split(" ")[0]!) - ended) < 100);
    expect((await told()).split("Z ")[1]).toBe("last words");
    await engine.start(id);
    await engine.wait(id);
    const again = await engine.logs(id, "stdout=1&tail=1");
    expect(again.stdout).toBe("last words");
    await engine.remove(id);
    await expectNothingLeft();
  });

  test("an auto-remove container that ended meanwhile is removed", async () => {
    const id = await started({ Cmd: ["sleep", "1000"], HostConfig: { AutoRemove: true } });
    await daemon.end("SIGKILL");
    await endedAlone(id, "SIGKILL");
    await daemon.start();
    await until("its removal", async () => (await engine.call("GET", `/containers/${id}/json`)).status === 404);
    await expectNothingLeft();
  });

  test("SIGTERM also leaves containers running", async () => {
    const id = await started({ Cmd: ["sleep", "1000"] });
    const { Pid } = await stateOf(id);
    await daemon.end("SIGTERM");
    await daemon.start();
    expect(await stateOf(id)).toMatchObject({ Status: "running", Pid });
    await engine.must(204, "POST", `/containers/${id}/stop?t=0`);
    expect((await stateOf(id))["ExitCode"]).toBe(137);
    await engine.remove(id);
    await expectNothingLeft();
  });

  test("attached and detached execs continue, and leave nothing when they end", async () => {
    const id = await started({ Cmd: ["sleep", "1000"] });
    const quiet = await takeCensus(daemon, ids);
    const detached = await execIn(id, {
      Cmd: ["sh", "-c", "until [ -e /dev/shm/go ]; do sleep 0.05; done; echo $? > /dev/shm/detached"],
    });
    await engine.must(200, "POST", `/exec/${detached}/start`, { Detach: true });
    const attached = await execIn(id, {
      Cmd: ["sh", "-c", "until [ -e /dev/shm/go ]; do sleep 0.05; done; echo $? > /dev/shm/attached"],
      AttachStdout: true,
    });
    const cut = engine.call("POST", `/exec/${attached}/start`, {}).catch(() => null);
    await until("its start", async () => (await engine.read<{ Pid: number }>(`/exec/${attached}/json`)).Pid > 0);
    await killAndRestart();
    await cut;
    // The engine keeps nothing of an exec: a later request is told so.
    await engine.must(404, "GET", `/exec/${detached}/json`);
    expect(await codeOf(id, ["touch", "/dev/shm/go"])).toBe(0);
    await until(
      "both ends",
      async () => (await codeOf(id, ["test", "-e", "/dev/shm/detached", "-a", "-e", "/dev/shm/attached"])) === 0,
    );
    await expectCalm(quiet);
    expect((await takeCensus(daemon, ids)).processes).toEqual(quiet.processes);
    await engine.remove(id);
    await expectNothingLeft();
  });

  test("execs that ended without an engine leave nothing", async () => {
    const id = await started({ Cmd: ["sleep", "1000"] });
    const quiet = await takeCensus(daemon, ids);
    const exec = await execIn(id, { Cmd: ["sleep", "1000"] });
    await engine.must(200, "POST", `/exec/${exec}/start`, { Detach: true });
    const { Pid } = await engine.read<{ Pid: number }>(`/exec/${exec}/json`);
    await daemon.end("SIGKILL");
    process.kill(Pid, "SIGKILL");
    await until("its end", () => commandLineOf(Pid) === "");
    await daemon.start();
    await expectCalm(quiet);
    await engine.remove(id);
    await expectNothingLeft();
  });

  test("killed at any moment of an exec's start: the container keeps running and accepts another", async () => {
    for (const delay of DELAYS_MS.slice(0, 8)) {
      const id = await started({ Cmd: ["sleep", "1000"] });
      const exec = await execIn(id, { Cmd: ["sleep", "1000"] });
      void engine.call("POST", `/exec/${exec}/start`, { Detach: true }).catch(() => null);
      await pause(delay);
      await killAndRestart();
      expect(await codeOf(id, ["sh", "-c", "exit 6"])).toBe(6);
      await engine.remove(id);
    }
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
      const response = await fetch(`http://${daemon.netns.address}:18200/`).catch(() => null);
      return response?.text();
    });
    expect(text).toBe("served\n");
    const ask = 'fetch("http://[::1]:18200/").then(async (it) => console.log(await it.text()))';
    const forwarded = await until("the published port on IPv6", async () => {
      const { code, stdout } = await run(daemon.netns.inside([process.execPath, "-e", ask]));
      return code === 0 && stdout;
    });
    expect(forwarded).toBe("served\n\n");
    const other = await started({ Cmd: ["sleep", "1000"] });
    expect(await addressOf(other)).not.toBe(address);
    for (const one of [id, other]) await engine.remove(one);
    await expectNothingLeft();
  });

  test.each(DELAYS_MS)("create, killed after %d ms", async (delayMs) => {
    const name = `half-${delayMs}`;
    await killedDuring(delayMs, () =>
      engine.call("POST", `/containers/create?name=${name}`, { Image: "busybox", Cmd: ["true"] }),
    );
    await expectTruth();
    const list = await listed();
    expect(list.filter((one) => one.Names.includes(`/${name}`)).length).toBeLessThanOrEqual(1);
    await removeAll();
    ids.push(await engine.create({}, `?name=${name}`));
    await removeAll();
    await expectNothingLeft();
  });

  test.each(DELAYS_MS)("start, killed after %d ms", async (delayMs) => {
    const id = await created({ Cmd: ["sh", "-c", "echo on; sleep 1000"] });
    await killedDuring(delayMs, () => engine.call("POST", `/containers/${id}/start`));
    await expectTruth();
    const { Status } = await stateOf(id);
    expect(["created", "running", "exited"]).toContain(Status);
    if (Status !== "running") await engine.must(204, "POST", `/containers/${id}/start`);
    await until("its output", async () => (await engine.logs(id)).stdout.startsWith("on\n"));
    await removeAll();
    // Setting up networks keeps files open for a while. This is waited for once.
    await expectNothingLeft({ besideOpenFiles: delayMs !== DELAYS_MS[0] });
  });

  test.each(DELAYS_MS)("stop, killed after %d ms", async (delayMs) => {
    const script = "trap 'sleep 0.05; exit 3' TERM; echo ready; while :; do sleep 0.01; done";
    const id = await started({ Cmd: ["sh", "-c", script] });
    await until("its trap", async () => (await engine.logs(id)).stdout === "ready\n");
    await killedDuring(delayMs, () => engine.call("POST", `/containers/${id}/stop?t=5`));
    await expectTruth();
    await engine.call("POST", `/containers/${id}/stop?t=5`);
    expect(await stateOf(id)).toMatchObject({ Status: "exited", ExitCode: 3 });
    await removeAll();
    await expectNothingLeft();
  });

  test.each(DELAYS_MS)("remove, killed after %d ms", async (delayMs) => {
    const id = await started({ Cmd: ["sleep", "1000"] }, `?name=removed-${delayMs}`);
    await killedDuring(delayMs, () => engine.call("DELETE", `/containers/${id}?force=1`));
    await expectTruth();
    await engine.call("DELETE", `/containers/${id}?force=1`);
    await until("its removal", async () => (await engine.call("GET", `/containers/${id}/json`)).status === 404);
    const again = await engine.create({}, `?name=removed-${delayMs}`);
    await engine.remove(again);
    await expectNothingLeft();
  });

  test("pull, killed at each of its steps: nothing incomplete, and the next pull succeeds", async () => {
    const registry = await startMemoryRegistry(daemon.netns.hostAddress);
    try {
      for (const [at, line] of PULL_LINES.entries()) await pullKilled(registry, `killed${at}`, line);
    } finally {
      await registry.close();
    }
    await expectNothingLeft();
  });

  /** Killed once the client has received that line. */
  async function pullKilled(registry: MemoryRegistry, name: string, line: string | null): Promise<void> {
    const own = [
      await tarOf([{ name: "a", body: Buffer.alloc(2 << 20, name) }]),
      await tarOf([{ name: "b", body: name }]),
    ];
    const layers = [await busyboxLayer(), ...own];
    const image = packImage({ reference: null, config: { Cmd: ["cat", "/b"] }, layers });
    registry.put(name, ["1"], image);
    let isHalfThere = false;
    registry.fault((_, response, bytes) => {
      if (line !== null || bytes === null || bytes.length < 1000) return false;
      const half = bytes.subarray(0, bytes.length / 2);
      response.writeHead(200, { "Content-Length": bytes.length }).write(half, () => (isHalfThere = true));
      return true;
    });
    const connection = await RawConnection.open(engine.socketPath);
    const target = `/v1.41/images/create?fromImage=${registry.host}/${name}&tag=1`;
    connection.send(encodeRequest({ method: "POST", target }));
    if (line === null) await until("half a layer", () => isHalfThere);
    else await connection.untilText(`"status":"${line}`);
    await daemon.end("SIGKILL");
    connection.close();
    await daemon.start();
    registry.fault(null);
    const reference = `${registry.host}/${name}:1`;
    if ((await engine.call("GET", `/images/${reference}/json`)).status === 404) {
      await engine.must(200, "POST", `/images/create?fromImage=${registry.host}/${name}&tag=1`);
    }
    expect((await engine.run({ Image: reference })).stdout).toBe(name);
    await engine.must(200, "DELETE", `/images/${reference}`);
  }

  test("the supervisor killed: the container is not left as running, waits are answered", async () => {
    const id = await started({ Cmd: ["sleep", "1000"] });
    const waiting = engine.wait(id);
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
    await engine.remove(id);
    await expectNothingLeft();
  });

  test("the supervisor killed while the daemon is down", async () => {
    const id = await started({ Cmd: ["sleep", "1000"] });
    await daemon.end("SIGKILL");
    for (const supervisor of findProcesses("conmon", id)) process.kill(supervisor, "SIGKILL");
    await daemon.start();
    await until("its end", async () => (await stateOf(id))["Running"] === false);
    expect((await stateOf(id))["ExitCode"]).toBe(137);
    await engine.remove(id);
    await expectNothingLeft();
  });

  async function created(config: Json, query = ""): Promise<string> {
    const id = await engine.create(config, query);
    ids.push(id);
    return id;
  }

  async function execIn(id: string, config: Json): Promise<string> {
    return (await engine.must(201, "POST", `/containers/${id}/exec`, config)).json<{ Id: string }>().Id;
  }

  /** An earlier engine's processes are checked once a second. */
  async function expectCalm(quiet: Census): Promise<void> {
    const execRoot = async (): Promise<string> => (await takeCensus(daemon, ids)).execRoot.join("\n");
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
    return statSync(join(daemon.directories.dataRoot, "containers", id, "log")).size;
  }

  /** Exit code of an exec that is waited for. */
  async function codeOf(id: string, Cmd: readonly string[]): Promise<number> {
    const exec = await execIn(id, { Cmd, AttachStdout: true });
    await engine.must(200, "POST", `/exec/${exec}/start`, {});
    return (await engine.read<{ ExitCode: number }>(`/exec/${exec}/json`)).ExitCode;
  }

  async function started(config: Json, query = ""): Promise<string> {
    const id = await created(config, query);
    await engine.start(id);
    return id;
  }

  async function stateOf(id: string): Promise<Json> {
    return (await engine.inspect<{ State: Json }>(id)).State;
  }

  async function addressOf(id: string): Promise<string> {
    return (await engine.inspect<{ NetworkSettings: { IPAddress: string } }>(id)).NetworkSettings.IPAddress;
  }

  function listed(): Promise<{ Id: string; Names: string[]; State: string }[]> {
    return engine.read("/containers/json?all=1");
  }

  async function killAndRestart(): Promise<void> {
    await daemon.end("SIGKILL");
    await daemon.start();
  }

  /** Begins a request, kills the daemon, and starts it again. */
  async function killedDuring(delayMs: number, request: () => Promise<unknown>): Promise<void> {
    const answer = request().catch(() => null);
    await pause(delayMs);
    await daemon.end("SIGKILL");
    await answer;
    await daemon.start();
  }

  /**
   * `ps -a` is correct: containers listed as running have a process, others have none. A removal completes by itself.
   */
  async function expectTruth(): Promise<void> {
    await until("removals to end", async () => (await listed()).every(({ State }) => State !== "removing"));
    for (const { Id, State } of await listed()) {
      ids.push(Id);
      const state = await stateOf(Id);
      expect(["created", "running", "exited"]).toContain(State);
      expect(state["Status"]).toBe(State);
      if (State === "running") {
        expect(() => process.kill(state["Pid"] as number, 0)).not.toThrow();
        continue;
      }
      expect(state["Pid"]).toBe(0);
      // It may take a moment longer than its container.
      await until(`no supervisor of ${Id}`, () => findProcesses("conmon", Id).length === 0);
    }
  }

  async function removeAll(): Promise<void> {
    for (const { Id } of await listed()) await engine.call("DELETE", `/containers/${Id}?force=1&v=1`);
    await until("an empty list", async () => (await listed()).length === 0);
  }

  async function expectNothingLeft({ besideOpenFiles = false } = {}): Promise<void> {
    expect(await listed()).toEqual([]);
    const looked = (census: Census): Partial<Census> => (besideOpenFiles ? { ...census, openFiles: [] } : census);
    expect(await settled(looked)).toEqual(looked(before));
  }

  /** The stable state: unchanged for longer than any cleanup after an answer takes. */
  async function calmCensus(): Promise<Census> {
    let last = await takeCensus(daemon, ids);
    await until("what is held stays the same", async () => {
      await pause(1000);
      const before = JSON.stringify(last);
      last = await takeCensus(daemon, ids);
      return JSON.stringify(last) === before;
    });
    return last;
  }

  /** The selected parts of the census, once they are stable. */
  async function settled(looked: (census: Census) => Partial<Census>): Promise<Partial<Census>> {
    const deadline = Date.now() + CALM_MS;
    for (;;) {
      const now = looked(await takeCensus(daemon, ids));
      if (Date.now() > deadline || JSON.stringify(now) === JSON.stringify(looked(before))) return now;
      await pause(50);
    }
  }
});
