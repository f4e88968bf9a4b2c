// Restart: one run ends and another begins; the container's identity stays.
import { expect, test } from "vitest";
import { REFERENCE } from "../support/allowed-skips.js";
import { messageOf } from "../support/engine-client.js";
import { onEngines, testExcept } from "../support/on-engines.js";
import { pastOf, short, stamp } from "../support/past-events.js";

onEngines("restart", (engine, kind) => {
  test("of a running, a paused, an ended and a new container; its events in order", async () => {
    const id = await engine().running();
    const first = await state(id);
    const since = await stamp(engine());
    await engine().must(204, "POST", `/containers/${id}/restart?t=5`);
    const second = await state(id);
    expect(second).toMatchObject({ Status: "running", ExitCode: 0, Error: "" });
    expect(second["Pid"]).not.toBe(first["Pid"]);
    expect(second["StartedAt"]).not.toBe(first["StartedAt"]);
    expect((await pastOf(engine(), id, since, 7)).map(short)).toEqual([
      "container kill",
      "container die",
      "network disconnect",
      "container stop",
      "network connect",
      "container start",
      "container restart",
    ]);
    await engine().must(204, "POST", `/containers/${id}/pause`);
    await engine().must(204, "POST", `/containers/${id}/restart?t=5`);
    expect(await state(id)).toMatchObject({ Status: "running", Paused: false });
    await engine().must(204, "POST", `/containers/${id}/kill`);
    await engine().must(204, "POST", `/containers/${id}/restart`);
    expect(await state(id)).toMatchObject({ Status: "running" });
    await engine().remove(id);
    const fresh = await engine().create({ Cmd: ["sleep", "1000"] });
    await engine().must(204, "POST", `/containers/${fresh}/restart`);
    expect(await state(fresh)).toMatchObject({ Status: "running" });
    await engine().remove(fresh);
  });

  test("SIGTERM is sent and waited for; the container's StopTimeout counts", async () => {
    const script = "trap 'echo bye; exit 0' TERM; echo hello; while :; do sleep 0.05; done";
    const id = await engine().running({ Cmd: ["sh", "-c", script], StopSignal: "SIGTERM" });
    await expect.poll(async () => (await engine().logs(id)).stdout).toBe("hello\n");
    await engine().must(204, "POST", `/containers/${id}/restart?t=20`);
    await expect.poll(async () => (await engine().logs(id)).stdout).toBe("hello\nbye\nhello\n");
    await engine().remove(id);
    const deaf = { Cmd: ["sh", "-c", "trap '' TERM; while :; do sleep 0.05; done"], StopSignal: "SIGTERM" };
    const [usual, stubborn] = [await engine().running(deaf), await engine().running({ ...deaf, StopTimeout: 1 })];
    const later = engine().call("POST", `/containers/${usual}/stop`);
    await engine().must(204, "POST", `/containers/${stubborn}/restart`);
    // An earlier stop still has its ten seconds.
    expect(await state(usual)).toMatchObject({ Status: "running" });
    await engine().must(204, "POST", `/containers/${usual}/kill`);
    expect((await later).status).toBe(204);
    for (const id of [usual, stubborn]) await engine().remove(id);
  });

  test("a container that removes itself stays, until it ends by itself", async () => {
    const id = await engine().running({ HostConfig: { AutoRemove: true } });
    await engine().must(204, "POST", `/containers/${id}/restart?t=5`);
    expect(await state(id)).toMatchObject({ Status: "running" });
    await engine().must(204, "POST", `/containers/${id}/kill`);
    await expect.poll(async () => (await engine().call("GET", `/containers/${id}/json`)).status).toBe(404);
  });

  test("every error but 404 is 500", async () => {
    expect(await refusal("nobody", "")).toEqual([404, "No such container: nobody"]);
    const id = await engine().running();
    expect((await refusal(id, "?t=x"))[0]).toBe(500);
    await engine().remove(id);
    const broken = await engine().create({ Cmd: ["/nothing/here"] });
    const [status, message] = await refusal(broken, "");
    expect(status).toBe(500);
    expect(message).toMatch(new RegExp(`^Cannot restart container ${broken}: .*no such file or directory`));
    await engine().remove(broken);
  });

  testExcept(kind, { reference: REFERENCE.after141 })("from 1.42 with the client's signal", async () => {
    const script = "trap 'echo usr; exit 0' USR1; trap '' TERM; echo up; while :; do sleep 0.05; done";
    const id = await engine().running({ Cmd: ["sh", "-c", script] });
    await expect.poll(async () => (await engine().logs(id)).stdout).toBe("up\n");
    const version = { version: "1.42" };
    await engine().must(204, "POST", `/containers/${id}/restart?t=20&signal=USR1`, undefined, version);
    await expect.poll(async () => (await engine().logs(id)).stdout).toBe("up\nusr\nup\n");
    const bad = await engine().call("POST", `/containers/${id}/restart?signal=NOPE`, undefined, version);
    expect([bad.status, messageOf(bad)]).toEqual([500, `Cannot restart container ${id}: invalid signal: NOPE`]);
    await engine().remove(id);
  });

  test("the next run keeps a published port", async () => {
    const id = await engine().running({
      ExposedPorts: { "80/tcp": {} },
      HostConfig: { PortBindings: { "80/tcp": [{ HostPort: "18160" }] } },
    });
    for (let round = 0; round < 3; round += 1) await engine().must(204, "POST", `/containers/${id}/restart?t=0`);
    const { NetworkSettings } = await engine().inspect<{ NetworkSettings: { Ports: Record<string, unknown[]> } }>(id);
    expect(NetworkSettings.Ports["80/tcp"]?.[0]).toMatchObject({ HostPort: "18160" });
    await engine().remove(id);
  });

  async function refusal(id: string, query: string): Promise<[number, string]> {
    const answer = await engine().call("POST", `/containers/${id}/restart${query}`);
    return [answer.status, messageOf(answer)];
  }

  async function state(id: string): Promise<Record<string, unknown>> {
    return (await engine().inspect<{ State: Record<string, unknown> }>(id)).State;
  }
});
