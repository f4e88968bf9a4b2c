// Restart policies: when a container is started again, how often and after how long, and what ends it.
import { expect, test } from "vitest";
import { pause } from "../support/commands.js";
import { messageOf } from "../support/engine-client.js";
import { onEngines } from "../support/on-engines.js";
import { pastOf, short, stamp } from "../support/past-events.js";

const ALWAYS = { RestartPolicy: { Name: "always" } };
/** Ends at once: the longer it has been doing so, the longer the delay in which it can be looked at. */
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
  test("on-failure: so many times, with delays that double; no restart events", async () => {
    const since = await stamp(engine());
    const id = await engine().create({
      Cmd: ["sh", "-c", "exit 3"],
      HostConfig: { RestartPolicy: { Name: "on-failure", MaximumRetryCount: 3 } },
    });
    await engine().start(id);
    await expect.poll(() => inspected(id)).toMatchObject({ Status: "exited", RestartCount: 3 });
    expect(await inspected(id)).toMatchObject({ ExitCode: 3, Error: "", Running: false, Restarting: false });
    const events = (await pastOf(engine(), id, since)).filter(({ Type }) => Type === "container");
    const run = ["container start", "container die"];
    expect(events.map(short)).toEqual(["container create", ...run, ...run, ...run, ...run]);
    const starts = events.filter(({ Action }) => Action === "start").map(({ timeNano }) => timeNano / 1e6);
    const dies = events.filter(({ Action }) => Action === "die").map(({ timeNano }) => timeNano / 1e6);
    for (const [at, delay] of [100, 200, 400].entries()) {
      expect((starts[at + 1] ?? 0) - (dies[at] ?? 0)).toBeGreaterThanOrEqual(delay - 20);
    }
    await engine().remove(id);
  });

  test("on-failure leaves a run alone that went well", async () => {
    const config = { Cmd: ["true"], HostConfig: { RestartPolicy: { Name: "on-failure" } } };
    const id = await engine().create(config);
    await engine().start(id);
    await engine().wait(id);
    await pause(400);
    expect(await inspected(id)).toMatchObject({ Status: "exited", ExitCode: 0, RestartCount: 0 });
    await engine().remove(id);
  });

  test("during the delay it is restarting: what is refused, and what is not", async () => {
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

  test("stop and kill during the delay: no more runs, and the code of the last one", async () => {
    for (const end of ["stop", "kill"]) {
      const id = await restarting();
      const since = await stamp(engine());
      await engine().must(204, "POST", `/containers/${id}/${end}`);
      expect(await inspected(id)).toMatchObject({ Status: "exited", Running: false, Restarting: false, ExitCode: 3 });
      const words = (await pastOf(engine(), id, since)).map(short);
      expect([end, words]).toEqual([end, end === "stop" ? ["container stop"] : []]);
      expect((await engine().call("POST", `/containers/${id}/stop`)).status).toBe(304);
      await pause(1500);
      expect(await inspected(id)).toMatchObject({ Status: "exited" });
      await engine().remove(id);
    }
  });

  test("restart during the delay starts it at once, and counts anew", async () => {
    const id = await restarting();
    await engine().must(204, "POST", `/containers/${id}/restart`);
    expect((await inspected(id)).RestartCount).toBeLessThan(3);
    await engine().remove(id);
  });

  test("what is stopped or killed by hand stays down; any signal may disarm the policy", async () => {
    for (const [end, StopSignal, stays] of [
      ["stop?t=0", "", true],
      ["kill", "", true],
      ["kill?signal=HUP", "", true],
      ["kill?signal=HUP", "SIGTERM", false],
    ] as const) {
      const signal = StopSignal === "" ? {} : { StopSignal };
      const config = {
        Image: "busybox",
        Cmd: ["sh", "-c", "trap 'exit 5' HUP; echo ready; while :; do sleep 0.05; done"],
      };
      const body = { ...config, ...signal, HostConfig: ALWAYS };
      const { Id } = (await engine().must(201, "POST", "/containers/create", body)).json<{ Id: string }>();
      await engine().start(Id);
      await expect.poll(async () => (await engine().logs(Id)).stdout).toBe("ready\n");
      const gone = engine().wait(Id, "next-exit");
      await engine().must(204, "POST", `/containers/${Id}/${end}`);
      await gone;
      await pause(800);
      expect([end, StopSignal, (await inspected(Id)).Status]).toEqual([end, StopSignal, stays ? "exited" : "running"]);
      await engine().remove(Id);
    }
  });

  test("a wait is told of the end that a restart follows; one during the delay waits for the next", async () => {
    const id = await engine().create({ Cmd: ["sh", "-c", "sleep 0.5; exit 3"], HostConfig: ALWAYS });
    await engine().start(id);
    const codes = engine().expected("wait-over-restart", [3], [3, 0]);
    expect(codes).toContain(await engine().wait(id));
    const before = Date.now();
    expect(codes).toContain(await engine().wait(id));
    expect(Date.now() - before).toBeGreaterThan(400);
    await engine().remove(id);
  });

  test("what cannot be started at all is not tried again", async () => {
    const once = await engine().create({ Cmd: ["/once"], HostConfig: ALWAYS });
    expect((await engine().call("POST", `/containers/${once}/start`)).status).toBe(400);
    await pause(400);
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

  /** A container that has failed often enough to stay between two runs for a while. */
  async function restarting(): Promise<string> {
    const id = await engine().create(FAILING);
    await engine().start(id);
    const seen = async (): Promise<unknown> => {
      const { Status, RestartCount } = await inspected(id);
      return Status === "restarting" && RestartCount >= 4;
    };
    await expect.poll(seen, { timeout: 60_000, interval: 20 }).toBe(true);
    expect(await inspected(id)).toMatchObject({ Running: true, Restarting: true, Pid: 0, ExitCode: 3 });
    return id;
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
