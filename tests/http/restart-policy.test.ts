// Restart policies: when, how often and after what delay a container is restarted, and what ends this.
import { expect, test } from "vitest";
import { until } from "../support/commands.js";
import { messageOf } from "../support/engine-client.js";
import { onEngines } from "../support/on-engines.js";
import { pastOf, short, stamp } from "../support/past-events.js";

const ALWAYS = { RestartPolicy: { Name: "always" } };
/** Ends at once: the more often it has failed, the longer the delay in which it can be inspected. */
const FAILING = { Cmd: ["sh", "-c", "exit 3"], HostConfig: ALWAYS };

interface State {
  readonly Status: string;
  readonly Running: boolean;
  readonly Restarting: boolean;
  readonly Pid: number;
  readonly ExitCode: number;
  readonly Error: string;
}

onEngines("restart policy", (engine) => {
  test.concurrent("on-failure: a limited number of times, with doubling delays; no restart events", async () => {
    const since = await stamp(engine());
    const id = await engine().create({
      Cmd: ["sh", "-c", "exit 3"],
      HostConfig: { RestartPolicy: { Name: "on-failure", MaximumRetryCount: 3 } },
    });
    await engine().start(id);
    await until("its last end", async () => (await inspected(id)).Status === "exited");
    expect(await inspected(id)).toMatchObject({
      RestartCount: 3,
      ExitCode: 3,
      Error: "",
      Running: false,
      Restarting: false,
    });
    const events = (await pastOf(engine(), id, since, 9)).filter(({ Type }) => Type === "container");
    const run = ["container start", "container die"];
    expect(events.map(short)).toEqual(["container create", ...run, ...run, ...run, ...run]);
    const starts = events.filter(({ Action }) => Action === "start").map(({ timeNano }) => timeNano / 1e6);
    const dies = events.filter(({ Action }) => Action === "die").map(({ timeNano }) => timeNano / 1e6);
    // The API guarantees these minimum delays. How much longer they are depends on the machine.
    for (const [at, delay] of [100, 200, 400].entries()) {
      expect((starts[at + 1] ?? 0) - (dies[at] ?? 0)).toBeGreaterThanOrEqual(delay - 20);
    }
    await engine().remove(id);
  });

  test.concurrent("on-failure does not restart after success", async () => {
    const config = { Cmd: ["true"], HostConfig: { RestartPolicy: { Name: "on-failure" } } };
    const id = await engine().create(config);
    await engine().start(id);
    await engine().wait(id);
    await anotherRestart();
    expect(await inspected(id)).toMatchObject({ Status: "exited", ExitCode: 0, RestartCount: 0 });
    await engine().remove(id);
  });

  test("during the delay its status is restarting: which requests are refused", async () => {
    const id = await restarting();
    const wait = `Container ${id} is restarting, wait until the container is running`;
    expect(await refusal("POST", id, "/start")).toEqual([304, ""]);
    expect(await refusal("POST", id, "/pause")).toEqual([409, wait]);
    expect(await refusal("POST", id, "/unpause")).toEqual([500, `Container ${id} is not paused`]);
    const [status, message] = await refusal("DELETE", id, "");
    expect([status, message.includes("restarting")]).toEqual([409, true]);
    const [listed] = await engine().read<{ State: string; Status: string; Ports: unknown[] }[]>(
      `/containers/json?filters=${encodeURIComponent(JSON.stringify({ id: [id], status: ["restarting"] }))}`,
    );
    expect(listed).toMatchObject({ State: "restarting", Ports: [] });
    expect(listed?.Status).toMatch(/^Restarting \(3\) .* ago$/);
    const counted = await engine().read<{ ContainersRunning: number; ContainersStopped: number }>("/info");
    expect(counted).toMatchObject({ ContainersRunning: 0, ContainersStopped: 1 });
    await engine().remove(id);
  });

  test.concurrent("stop and kill during the delay: no more runs, and the code of the last one", async () => {
    // The witness begins last: if one of the others had not been stopped, it would have restarted before it.
    const [stopped, killed, witness] = [await failing(), await failing(), await failing()];
    for (const [end, id] of [
      ["stop", stopped],
      ["kill", killed],
    ] as const) {
      await untilRestarting(id, 5);
      const since = await stamp(engine());
      await engine().must(204, "POST", `/containers/${id}/${end}`);
      expect(await inspected(id)).toMatchObject({ Status: "exited", Running: false, Restarting: false, ExitCode: 3 });
      const words = (await pastOf(engine(), id, since)).map(short);
      expect([end, words]).toEqual([end, end === "stop" ? ["container stop"] : []]);
      expect((await engine().call("POST", `/containers/${id}/stop`)).status).toBe(304);
    }
    const { RestartCount } = await inspected(killed);
    await untilRestarting(witness, RestartCount + 1);
    for (const id of [stopped, killed]) expect(await inspected(id)).toMatchObject({ Status: "exited" });
    for (const id of [stopped, killed, witness]) await engine().remove(id);
  });

  test.concurrent("restart during the delay starts it at once, and resets the count", async () => {
    const id = await restarting();
    await engine().must(204, "POST", `/containers/${id}/restart`);
    expect((await inspected(id)).RestartCount).toBeLessThan(6);
    await engine().remove(id);
  });

  test.concurrent("a container stopped or killed by a client stays down; any signal may disarm the policy", async () => {
    await Promise.all([
      endedByHand("stop?t=0", "", true),
      endedByHand("kill", "", true),
      endedByHand("kill?signal=HUP", "", true),
      endedByHand("kill?signal=HUP", "SIGTERM", false),
    ]);
  });

  test.concurrent("a wait returns at an end before a restart; during the delay it waits for the next end", async () => {
    const id = await engine().create({ Cmd: ["sh", "-c", "sleep 0.5; exit 3"], HostConfig: ALWAYS });
    await engine().start(id);
    const codes = engine().expected("wait-over-restart", [3], [3, 0]);
    expect(codes).toContain(await engine().wait(id));
    expect(codes).toContain(await engine().wait(id));
    // A restart is counted at the end before it: the second wait saw a second end.
    expect((await inspected(id)).RestartCount).toBeGreaterThanOrEqual(2);
    await engine().remove(id);
  });

  test.concurrent("a container that cannot be started is not retried", async () => {
    const once = await engine().create({ Cmd: ["/once"], HostConfig: ALWAYS });
    expect((await engine().call("POST", `/containers/${once}/start`)).status).toBe(400);
    await anotherRestart();
    expect(await inspected(once)).toMatchObject({ Status: "created", ExitCode: 127, RestartCount: 0 });
    await engine().remove(once);
  });

  test("with AutoRemove it is refused", async () => {
    const body = { Image: "busybox", HostConfig: { ...ALWAYS, AutoRemove: true } };
    const answer = await engine().call("POST", "/containers/create", body);
    expect([answer.status, messageOf(answer)]).toEqual([
      400,
      "can't create 'AutoRemove' container with restart policy",
    ]);
  });

  async function endedByHand(end: string, StopSignal: string, stays: boolean): Promise<void> {
    const signal = StopSignal === "" ? {} : { StopSignal };
    const config = {
      Image: "busybox",
      Cmd: ["sh", "-c", "trap 'exit 5' HUP; echo ready; while :; do sleep 0.05; done"],
    };
    const body = { ...config, ...signal, HostConfig: ALWAYS };
    const { Id } = (await engine().must(201, "POST", "/containers/create", body)).json<{ Id: string }>();
    await engine().start(Id);
    await until("its trap", async () => (await engine().logs(Id)).stdout === "ready\n");
    const ended = await engine().beginWait(Id, "next-exit");
    await engine().must(204, "POST", `/containers/${Id}/${end}`);
    await ended();
    await anotherRestart();
    if (!stays) await until("its second run", async () => (await inspected(Id)).Status === "running");
    const { Status, RestartCount } = await inspected(Id);
    expect([end, StopSignal, Status, RestartCount]).toEqual([
      end,
      StopSignal,
      ...(stays ? ["exited", 0] : ["running", 1]),
    ]);
    await engine().remove(Id);
  }

  async function failing(): Promise<string> {
    const id = await engine().create(FAILING);
    await engine().start(id);
    return id;
  }

  /** A container that ended earlier would have restarted by now, because one that fails only now has been. */
  async function anotherRestart(): Promise<void> {
    const id = await failing();
    await untilRestarting(id, 2);
    await engine().remove(id);
  }

  /** A container that has failed often enough to wait between two runs for a while. */
  async function restarting(): Promise<string> {
    const id = await failing();
    await untilRestarting(id, 6);
    expect(await inspected(id)).toMatchObject({ Running: true, Restarting: true, Pid: 0, ExitCode: 3 });
    return id;
  }

  /** Waits for its `time`th restart, or a later one. The delay begins at 100 ms and doubles each time. */
  async function untilRestarting(id: string, time: number): Promise<void> {
    await until(`restart ${time}`, async () => {
      const { Status, RestartCount } = await inspected(id);
      return Status === "restarting" && RestartCount >= time;
    });
  }

  async function refusal(method: string, id: string, verb: string): Promise<[number, string]> {
    const answer = await engine().call(method, `/containers/${id}${verb}`);
    return [answer.status, answer.status === 304 ? "" : messageOf(answer)];
  }

  async function inspected(id: string): Promise<State & { RestartCount: number }> {
    const { State: state, RestartCount } = await engine().inspect<{ State: State; RestartCount: number }>(id);
    return { ...state, RestartCount };
  }
});
