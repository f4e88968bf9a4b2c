// OOM kills while the container keeps running: each is reported when it happens, and inspect shows it from then on.
import { expect, test } from "vitest";
import { until } from "../support/commands.js";
import { MEMORY_EATER } from "../support/measured/memory-eater.js";
import { onEngines } from "../support/on-engines.js";
import { pastOf, stamp } from "../support/past-events.js";

const Memory = 16 << 20;

onEngines("OOM kills", (engine, kind) => {
  test("are reported while the container keeps running", async () => {
    const since = await stamp(engine());
    const HostConfig = { Memory, MemorySwap: Memory, NetworkMode: "none" };
    const id = await engine().running({ Cmd: ["sleep", "1000"], StopSignal: "SIGKILL", HostConfig });
    expect(await state(id)).toMatchObject({ Running: true, OOMKilled: false });
    for (let times = 1; times <= 2; times++) {
      await eat(id);
      await until("its event", async () => (await told(id, since)) >= times);
      const known = engine().expected("oom-killed-at-once", true, false);
      expect(await state(id)).toMatchObject({ Running: true, OOMKilled: known });
    }
    // The reference reports it each time its watcher wakes.
    if (kind !== "reference") expect(await told(id, since)).toBe(2);
    await engine().must(204, "POST", `/containers/${id}/kill`);
    await engine().wait(id);
    expect(await state(id)).toMatchObject({ Running: false, OOMKilled: true });
    await engine().start(id);
    const sticks = engine().expected("oom-killed-at-once", false, true);
    expect(await state(id)).toMatchObject({ Running: true, OOMKilled: sticks });
    await engine().remove(id);
    if (kind !== "reference") expect(await told(id, since)).toBe(2);
  });

  /** Runs in an exec, so the container's first process keeps running. */
  async function eat(id: string): Promise<void> {
    const exec = { Cmd: MEMORY_EATER, AttachStdout: true };
    const { Id } = (await engine().must(201, "POST", `/containers/${id}/exec`, exec)).json<{ Id: string }>();
    await engine().must(200, "POST", `/exec/${Id}/start`, {});
  }

  async function told(id: string, since: string): Promise<number> {
    const events = await pastOf(engine(), id, since);
    return events.filter(({ Action }) => Action === "oom").length;
  }

  async function state(id: string): Promise<unknown> {
    return (await engine().inspect<{ State: unknown }>(id)).State;
  }
});
