// Health checks: states, streaks, results, timings, events, and the effects of pause and stop.
import { expect, test } from "vitest";
import { REFERENCE } from "../support/allowed-skips.js";
import { until } from "../support/commands.js";
import type { Json } from "../support/engine-client.js";
import { tarOf } from "../support/archives/images.js";
import { onEngines, testExcept } from "../support/on-engines.js";

const MS = 1_000_000;

interface Health {
  Status: string;
  FailingStreak: number;
  Log: { Start: string; End: string; ExitCode: number; Output: string }[];
}

onEngines("health", (engine, kind) => {
  test("starting, then healthy, and unhealthy after the allowed number of failures", async () => {
    const id = await engine().running({
      Cmd: ["sh", "-c", "touch /well; exec sleep 1000"],
      Healthcheck: check(["CMD-SHELL", "test -e /well || { echo ill; exit 4; }"], { Retries: 2, Interval: 1000 * MS }),
    });
    expect((await health(id)).Status).toBe("starting");
    expect((await listed(id)).Status).toMatch(/^Up .* \(health: starting\)$/);
    await status(id, "healthy");
    expect((await listed(id)).Status).toMatch(/^Up .* \(healthy\)$/);
    const good = (await health(id)).Log.at(-1)!;
    expect([good.ExitCode, good.Output]).toEqual([0, ""]);
    expect(Date.parse(good.End)).toBeGreaterThanOrEqual(Date.parse(good.Start));
    await exec(id, ["rm", "/well"]);
    await status(id, "unhealthy");
    expect((await listed(id)).Status).toMatch(/^Up .* \(unhealthy\)$/);
    const ill = await health(id);
    expect(ill.FailingStreak).toBeGreaterThanOrEqual(2);
    expect(ill.Log.at(-1)).toMatchObject({ ExitCode: 4, Output: "ill\n" });
    await exec(id, ["touch", "/well"]);
    await status(id, "healthy");
    expect((await health(id)).FailingStreak).toBe(0);
    expect(await events(id)).toEqual(["healthy", "unhealthy", "healthy"]);
    await engine().remove(id);
  });

  test("five results are kept, and 4096 bytes of each", async () => {
    const id = await engine().running({ Healthcheck: check(["CMD", "sh", "-c", "yes | head -c 5000"]) });
    const ends = new Set<string>();
    await until("six checks", async () => {
      for (const { End } of (await health(id)).Log) ends.add(End);
      return ends.size >= 6;
    });
    const { Log } = await health(id);
    expect(Log.length).toBe(5);
    expect(Log[0]!.Output).toBe(`${"y\n".repeat(2048)}...`);
    await engine().remove(id);
  });

  test("a check that takes too long is killed", async () => {
    const id = await engine().running({
      Healthcheck: check(["CMD", "sh", "-c", "echo before; sleep 1000"], { Timeout: 2000 * MS, Retries: 1 }),
    });
    await status(id, "unhealthy");
    const { ExitCode, Output } = (await health(id)).Log[0]!;
    expect(ExitCode).toBe(-1);
    expect(Output).toBe(
      engine().expected(
        "health-timeout",
        "Health check exceeded timeout (2s): before\n",
        "Health check exceeded timeout (2s)",
      ),
    );
    await engine().remove(id);
  });

  test("a check that cannot be started gives the reason", async () => {
    const id = await engine().running({ Healthcheck: check(["CMD", "nope"], { Retries: 1 }) });
    await status(id, "unhealthy");
    const { ExitCode, Output } = (await health(id)).Log[0]!;
    expect(ExitCode).toBe(-1);
    expect(Output).toMatch(/^OCI runtime exec failed: .*exec: "nope": executable file not found in \$PATH: unknown$/);
    await engine().remove(id);
  });

  test("failures during the start period do not count", async () => {
    const config = {
      ...{ Image: "busybox", Cmd: ["sleep", "1000"], StopSignal: "SIGKILL" },
      Healthcheck: check(["CMD", "false"], { Retries: 1, StartPeriod: 1500 * MS, StartInterval: 100 * MS }),
    };
    // The reference has only the usual interval.
    const version = kind === "reference" ? "1.41" : "1.44";
    const made = await engine().must(201, "POST", "/containers/create", config, { version });
    const { Id: id } = made.json<{ Id: string }>();
    await engine().start(id);
    await until("two results", async () => (await health(id)).Log.length >= 2);
    expect(await health(id)).toMatchObject({ Status: "starting", FailingStreak: 0 });
    await status(id, "unhealthy");
    await engine().remove(id);
  });

  testExcept(kind, { reference: REFERENCE.after141 })(
    "StartInterval counts during the start period, from 1.44",
    async () => {
      const config = (more: Json): Json => ({
        ...{ Image: "busybox", Cmd: ["sleep", "1000"], StopSignal: "SIGKILL" },
        Healthcheck: { Test: ["CMD", "true"], Interval: 3600_000 * MS, StartPeriod: 3600_000 * MS, ...more },
      });
      const made = await engine().must(201, "POST", "/containers/create", config({ StartInterval: 100 * MS }), {
        version: "1.44",
      });
      const { Id: id } = made.json<{ Id: string }>();
      await engine().start(id);
      await status(id, "healthy");
      await engine().remove(id);
    },
  );

  test("pausing and stopping make it unhealthy without an event; a new run starts over and keeps the results", async () => {
    const Healthcheck = check(["CMD-SHELL", "while [ -e /wait ]; do sleep 0.05; done"], {
      Interval: 1000 * MS,
      Timeout: 3600_000 * MS,
    });
    const id = await engine().running({ Healthcheck });
    await status(id, "healthy");
    await engine().must(204, "POST", `/containers/${id}/pause`);
    expect((await health(id)).Status).toBe("unhealthy");
    await engine().must(204, "POST", `/containers/${id}/unpause`);
    await status(id, "healthy");
    // The log may get one more entry, from a check that the stop cut off.
    const known = (await health(id)).Log.slice(-3);
    await engine().must(204, "POST", `/containers/${id}/stop?t=0`);
    const stopped = await health(id);
    expect(stopped.Status).toBe("unhealthy");
    expect(known.every(({ ExitCode }) => ExitCode === 0)).toBe(true);
    expect(known.length).toBeGreaterThan(0);
    expect(stopped.Log).toEqual(expect.arrayContaining(known));
    // The new run's first check has not run yet, so the state is read before it.
    const headers = { "Content-Type": "application/x-tar" };
    await engine().must(200, "PUT", `/containers/${id}/archive?path=/`, await tarOf([{ name: "wait" }]), { headers });
    await engine().start(id);
    const again = await health(id);
    expect([again.Status, again.FailingStreak]).toEqual(["starting", 0]);
    expect(again.Log.length).toBeGreaterThan(0);
    expect((await events(id)).slice(0, 2)).toEqual(["healthy", "healthy"]);
    await engine().remove(id);
  });

  test("an empty check counts as none, and inspect shows it", async () => {
    const id = await engine().running({ Healthcheck: {} });
    const { Config, State } = await engine().inspect<{ Config: Json; State: Json }>(id);
    expect([Config["Healthcheck"], State["Health"]]).toEqual([{}, undefined]);
    await engine().remove(id);
  });

  test("the list can be filtered by it", async () => {
    const id = await engine().running({ Healthcheck: check(["CMD", "true"]) });
    const plain = await engine().running({ Healthcheck: { Test: ["NONE"] } });
    await status(id, "healthy");
    expect(await filtered("healthy")).toEqual([id]);
    expect(await filtered("none")).toContain(plain);
    expect(await filtered("none")).not.toContain(id);
    expect((await engine().inspect<{ State: Json }>(plain)).State["Health"]).toBeUndefined();
    if (kind !== "reference") {
      const all = await engine().read<{ Id: string; Health: Json }[]>("/containers/json", { version: "1.52" });
      expect(all.find(({ Id }) => Id === id)?.Health).toEqual({ Status: "healthy", FailingStreak: 0 });
      expect(all.find(({ Id }) => Id === plain)?.Health["Status"]).toBe("none");
    }
    await engine().remove(id);
    await engine().remove(plain);
  });

  test("a check runs as the container's user, with its environment, in its directory", async () => {
    const id = await engine().running({
      ...{ User: "1000:1000", Env: ["WORD=said"], WorkingDir: "/tmp" },
      Healthcheck: check(["CMD-SHELL", "echo $WORD; id -u; pwd"]),
    });
    await status(id, "healthy");
    expect((await health(id)).Log[0]!.Output).toBe("said\n1000\n/tmp\n");
    await engine().remove(id);
  });

  function check(Test: readonly string[], more: Json = {}): Json {
    return { Test, Interval: 100 * MS, Timeout: 20_000 * MS, ...more };
  }

  async function health(id: string): Promise<Health> {
    return (await engine().inspect<{ State: { Health: Health } }>(id)).State.Health;
  }

  async function status(id: string, wanted: string): Promise<void> {
    await until(wanted, async () => (await health(id)).Status === wanted);
  }

  async function listed(id: string): Promise<{ Status: string }> {
    const all = await engine().read<{ Id: string; Status: string }[]>("/containers/json");
    return all.find(({ Id }) => Id === id)!;
  }

  async function filtered(wanted: string): Promise<string[]> {
    const filters = encodeURIComponent(JSON.stringify({ health: [wanted] }));
    return (await engine().read<{ Id: string }[]>(`/containers/json?filters=${filters}`)).map(({ Id }) => Id);
  }

  /** The exec must exit with 0. */
  async function exec(id: string, Cmd: readonly string[]): Promise<void> {
    const made = await engine().must(201, "POST", `/containers/${id}/exec`, { Cmd });
    const { Id } = made.json<{ Id: string }>();
    await engine().must(200, "POST", `/exec/${Id}/start`, { Detach: true });
    await until("its end", async () => (await engine().read<Json>(`/exec/${Id}/json`))["ExitCode"] === 0);
  }

  async function events(id: string): Promise<string[]> {
    const filters = encodeURIComponent(JSON.stringify({ container: [id], event: ["health_status"] }));
    const text = (await engine().must(200, "GET", `/events?since=1&until=${Date.now() / 1000}&filters=${filters}`))
      .text;
    const lines = text.split("\n").filter((line) => line !== "");
    return lines.map((line) => (JSON.parse(line) as { Action: string }).Action.replace("health_status: ", ""));
  }
});
