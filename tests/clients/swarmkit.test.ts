// SwarmKit, unmodified: an orchestrator above two engines of one machine. The tests build on one another.
import { afterAll, beforeAll, expect, test } from "vitest";
import { SIMULATED } from "../support/allowed-skips.js";
import { busyboxLayer, dockerArchive } from "../support/archives/images.js";
import { until } from "../support/commands.js";
import type { DaemonProcess } from "../support/daemon-process.js";
import { EngineClient } from "../support/engine-client.js";
import { engines, startBeside, startSimulated, type Engine } from "../support/engines.js";
import { describeUnless, testExcept } from "../support/on-engines.js";
import { Swarm, SWARMKIT_MISSING } from "./swarmkit/swarm.js";

for (const engine of engines().filter(({ kind }) => kind !== "reference")) {
  describeUnless(engine.missing ?? SWARMKIT_MISSING, `SwarmKit on ${engine.kind}`, () => onTwo(engine));
}

function onTwo({ kind, start }: Engine): void {
  const daemons: DaemonProcess[] = [];
  const clients: EngineClient[] = [];
  let swarm: Swarm;
  beforeAll(async () => {
    daemons.push(await start());
    daemons.push(kind === "linux" ? await startBeside(daemons[0]!) : await startSimulated());
    swarm = await Swarm.open();
    for (const [at, { socketPath }] of daemons.entries()) {
      clients.push(new EngineClient(socketPath));
      const config = { Cmd: ["sleep", "1000"], StopSignal: "SIGKILL" };
      await clients[at]!.load(await dockerArchive([{ reference: "task:1", config, layers: [await busyboxLayer()] }]));
      await swarm.join(`n${at + 1}`, socketPath);
    }
  });
  afterAll(async () => {
    await swarm?.close();
    for (const daemon of daemons.reverse()) await daemon.close();
  });

  test("six tasks of a service are spread three and three", async () => {
    await swarm.control("service", "create", "--name", "web", "--image", "task:1", "--replicas", "6");
    await settled([3, 3]);
  });

  test("a drained node has none, and gets new ones when it is active again and the service grows", async () => {
    await swarm.control("node", "drain", "n1");
    await settled([0, 6]);
    await swarm.control("node", "activate", "n1");
    await swarm.control("service", "update", "web", "--replicas", "12");
    await settled([6, 6]);
  });

  test("a container that was stopped is replaced", async () => {
    const [stopped = ""] = await running(clients[0]!);
    await clients[0]!.must(204, "POST", `/containers/${stopped}/stop?t=0`);
    await settled([6, 6]);
    expect(await running(clients[0]!)).not.toContain(stopped);
  });

  testExcept(kind, { simulated: SIMULATED.killed })(
    "an engine is killed: its tasks run on, and are found again",
    async () => {
      const before = await running(clients[1]!);
      const pids = await Promise.all(before.map(pidOf));
      await daemons[1]!.end("SIGKILL");
      for (const pid of pids) process.kill(pid, 0);
      await daemons[1]!.start();
      expect(await running(clients[1]!)).toEqual(before);
      expect(await Promise.all(before.map(pidOf))).toEqual(pids);
      await until("twelve tasks", async () => (await inService()).length === 12);
    },
  );

  test("without its service, no container is left", async () => {
    await swarm.control("service", "rm", "web");
    for (const client of clients) {
      await until("no container", async () => (await client.read<unknown[]>("/containers/json?all=1")).length === 0);
    }
  });

  /** Waits until that many tasks run on each of the nodes, and as many containers on its engine. */
  async function settled(counts: readonly number[]): Promise<void> {
    const now = async (): Promise<number[]> => {
      const tasks = await inService();
      const containers = await Promise.all(clients.map(running));
      return containers.map((ids, at) =>
        tasks.filter(({ node }) => node === `n${at + 1}`).length === ids.length ? ids.length : -1,
      );
    };
    await expect.poll(now, { timeout: 90_000, interval: 200 }).toEqual(counts);
  }

  /** The tasks that run, and shall. */
  async function inService(): Promise<readonly { node: string }[]> {
    return (await swarm.tasks()).filter(({ wish, state }) => wish === "RUNNING" && state === "RUNNING");
  }

  async function running(client: EngineClient): Promise<string[]> {
    return (await client.read<{ Id: string }[]>("/containers/json")).map(({ Id }) => Id).sort();
  }

  async function pidOf(id: string): Promise<number> {
    return (await clients[1]!.inspect<{ State: { Pid: number } }>(id)).State.Pid;
  }
}
