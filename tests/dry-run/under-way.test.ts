// Dry runs of an engine with operations under way, of cores that trap, and of clients that leave.

import { afterEach, describe, expect, test, vi } from "vitest";
import type { Plan } from "../../hosts/dry-run/format.js";
import { turn } from "../../hosts/shared/turn.js";
import { trapping, trappingOn } from "../trace/engine.js";
import { Rig, effectsOf } from "./rig.js";

const STUBBORN = ["sh", "-c", "trap '' TERM; while :; do sleep 1; done"];
const PLANNED = { "Coracle-Dry-Run": "plan" };

let rig: Rig;
afterEach(async () => {
  vi.useRealTimers();
  await rig.close();
});

describe("pending operations of the live engine count as successful", () => {
  test("a stop: requests that wait for its end are answered at once", async () => {
    rig = await Rig.open();
    await rig.run("slow", STUBBORN);
    const stopped = rig.ask("live", "POST", "/containers/slow/stop?t=600");
    await expect.poll(() => rig.driver.fork()!.pending.map(({ to }) => to)).toContain("timers");
    const plan = await rig.plan("POST", "/containers/slow/stop?t=900");
    expect(plan.answer?.status).toBe(204);
    expect(effectsOf(plan).filter((effect) => effect.startsWith("processes"))).toEqual([
      // Its own SIGTERM, and the SIGKILL of the pending stop.
      "processes signal",
      "processes signal",
      "processes reap",
    ]);
    expect(Date.parse(plan.now!) - Date.parse(plan.began!)).toBeGreaterThan(500_000);
    await rig.ask("live", "POST", "/containers/slow/kill");
    expect((await stopped).status).toBe(204);
  });

  test("a pull: a request for the same image finds it", async () => {
    rig = await Rig.open();
    rig.host.timers.pace = "stopped";
    const pulled = rig.ask("live", "POST", "/images/create?fromImage=alpine&tag=latest");
    const isUnpacking = () => rig.driver.fork()!.pending.some(({ command }) => command.tag === "layer");
    while (!isUnpacking()) expect(await rig.host.timers.step()).toBe(true);
    rig.host.timers.pace = "fast";
    const dry = await rig.fetch("live", "POST", "/images/create?fromImage=alpine&tag=latest", undefined, {
      "Coracle-Dry-Run": "1",
    });
    expect(await dry.text()).toMatch(/Status: (Downloaded newer image|Image is up to date) for alpine:latest/);
    expect((await pulled).text).toContain("Downloaded newer image");
  });
});

describe("a core that traps", () => {
  test("ends only the dry run, and the next one starts", async () => {
    rig = await Rig.open({}, trapping);
    const trapped = await rig.ask("session", "POST", "/trap");
    expect(trapped).toEqual({ status: 500, text: expect.stringContaining("the engine had to restart") });
    expect((await rig.ask("session", "POST", "/containers/prune")).status).toBe(200);
    const single = await rig.fetch("live", "POST", "/trap", undefined, { "Coracle-Dry-Run": "1" });
    expect(single.status).toBe(500);
    for (let at = 0; at < 8; at++) expect((await rig.plan("POST", "/containers/prune")).answer?.status).toBe(200);
    expect(rig.driver.epoch).toBe(1);
  });

  test("releases attached clients, and is forgotten by the live engine", async () => {
    rig = await Rig.open({}, trapping);
    const body = { Image: "busybox", Cmd: ["cat"], OpenStdin: true };
    expect((await rig.ask("session", "POST", "/containers/create?name=cat", body)).status).toBe(201);
    const connection = await rig.connect("session", "/containers/cat/attach?stream=1&stdout=1");
    expect(rig.kept).toBe(1);
    expect((await rig.ask("session", "POST", "/trap")).status).toBe(500);
    await expect(new Response(connection.readable).text()).rejects.toThrow();
    expect(rig.kept).toBe(0);
  });

  test("while a dry run starts: only that one is refused, each time", async () => {
    rig = await Rig.open({}, trappingOn("/events"));
    const why = expect.stringMatching(/cannot start a dry run: .*unreachable/);
    for (let at = 0; at < 6; at++) {
      expect(await rig.ask("session", "POST", "/containers/prune")).toEqual({ status: 503, text: why });
      const single = await rig.fetch("live", "POST", "/containers/prune", undefined, PLANNED);
      expect([single.status, await single.text()]).toEqual([503, why]);
    }
    await expect.poll(() => rig.kept).toBe(0);
    expect((await rig.ask("live", "GET", "/_ping")).status).toBe(200);
  });

  test("while the live instance is down, no dry run can start", async () => {
    rig = await Rig.open({}, trapping);
    const trapped = rig.ask("live", "POST", "/trap");
    rig.driver.cut();
    const refused = await rig.ask("session", "POST", "/containers/prune");
    expect(refused).toEqual({ status: 503, text: expect.stringContaining("cannot start a dry run") });
    void trapped.catch(() => {});
  });
});

describe("between the copy of the live instance and the dry run", () => {
  const copied = async (): Promise<void> => {
    while (rig.copies === 0) await turn();
  };

  test("the end of a process is not missed", async () => {
    rig = await Rig.open();
    const container = await rig.run("web", ["sleep", "1000"]);
    const inspected = rig.ask("session", "GET", "/containers/web/json");
    await copied();
    const at = rig.host.timers.now().wall;
    rig.happen({ tag: "exited", val: { container, run: 1, exit: { code: 7, outOfMemory: false, lost: false, at } } });
    await inspected;
    const { State } = JSON.parse((await rig.ask("session", "GET", "/containers/web/json")).text) as { State: unknown };
    expect(State).toMatchObject({ Status: "exited", ExitCode: 7 });
  });

  test("the close of the engine is not missed", async () => {
    rig = await Rig.open();
    const refused = rig.ask("session", "POST", "/containers/prune");
    await copied();
    rig.dryRuns.close("enough");
    expect(await refused).toEqual({ status: 503, text: expect.stringContaining("cannot start a dry run: enough") });
    expect(rig.kept).toBe(0);
  });
});

test("a real exec that gets the same id, and ends, does not count as the imagined one", async () => {
  rig = await Rig.open();
  await rig.run("web", ["sleep", "1000"]);
  const create = async (at: "live" | "session"): Promise<string> => {
    const { text } = await rig.ask(at, "POST", "/containers/web/exec", { Cmd: ["true"] });
    return (JSON.parse(text) as { Id: string }).Id;
  };
  const exec = await create("session");
  expect(await create("live")).toBe(exec);
  expect((await rig.ask("live", "POST", `/exec/${exec}/start`, { Detach: true })).status).toBe(200);
  await expect.poll(async () => (await rig.ask("live", "GET", `/exec/${exec}/json`)).text).toContain('"ExitCode":0');
  expect((await rig.ask("session", "POST", `/exec/${exec}/start`, { Detach: true })).status).toBe(200);
  await expect.poll(async () => (await rig.ask("session", "GET", `/exec/${exec}/json`)).text).toContain('"ExitCode":0');
});

test("a real container that gets the same id does not count as the imagined one", async () => {
  rig = await Rig.open();
  const dry = await rig.ask("session", "POST", "/containers/create?name=dry", { Image: "busybox", Cmd: ["cat"] });
  const { Id } = JSON.parse(dry.text) as { Id: string };
  const real = await rig.run("real", ["sh", "-c", "echo said; echo > /made"]);
  expect(real).toBe(Id);
  await expect.poll(async () => (await rig.ask("live", "GET", "/containers/real/json")).text).toContain('"exited"');
  expect(await rig.ask("session", "GET", `/containers/${Id}/changes`)).toEqual({ status: 200, text: "null\n" });
  expect((await rig.ask("session", "POST", `/containers/${Id}/start`)).status).toBe(204);
  expect((await rig.ask("session", "GET", `/containers/${Id}/logs?stdout=1`)).text).toBe("");
  expect((await rig.ask("session", "GET", `/containers/${Id}/json`)).text).toContain('"running"');
  expect((await rig.ask("session", "POST", `/containers/${Id}/wait`)).text).toContain('"StatusCode":0');
  expect((await rig.ask("session", "GET", `/containers/${Id}/export`)).text).not.toContain("made");
});

describe("clients", () => {
  test("that attach get no output, and are released", async () => {
    rig = await Rig.open();
    const body = { Image: "busybox", Cmd: ["cat"], OpenStdin: true };
    expect((await rig.ask("session", "POST", "/containers/create?name=cat", body)).status).toBe(201);
    const connection = await rig.connect("session", "/containers/cat/attach?stream=1&stdin=1&stdout=1&stderr=1");
    expect([connection.status, connection.headers.get("coracle-dry-run")]).toEqual([101, "1"]);
    const writer = connection.writable.getWriter();
    await writer.write(new TextEncoder().encode("thrown away"));
    expect((await rig.ask("session", "POST", "/containers/cat/start")).status).toBe(204);
    expect(await new Response(connection.readable).text()).toBe("");
    expect((await rig.ask("session", "POST", "/containers/cat/wait")).text).toContain('"StatusCode":0');
  });

  test("that attach with a plan get it when the container would have ended", async () => {
    rig = await Rig.open();
    const body = { Image: "busybox", Cmd: ["cat"], OpenStdin: true };
    const attach = (name: string) =>
      rig.fetch("session", "POST", `/containers/${name}/attach?stream=1&stdout=1`, undefined, PLANNED);
    await rig.ask("session", "POST", "/containers/create?name=cat", body);
    await rig.ask("session", "POST", "/containers/cat/start");
    const plan = (await (await attach("cat")).json()) as Plan;
    expect(plan.answer).toMatchObject({ status: 200, body: { text: "" } });
    expect(plan.plan).toContainEqual(expect.objectContaining({ ended: expect.objectContaining({ code: 0 }) }));
  });

  test("that wait for a real process are refused after a minute", async () => {
    rig = await Rig.open();
    await rig.run("web", ["sleep", "1000"]);
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const waiting = rig.fetch("live", "POST", "/v1.29/containers/web/wait", undefined, { "Coracle-Dry-Run": "1" });
    await turns();
    await vi.advanceTimersByTimeAsync(59_000);
    let answered = false;
    void waiting.then(() => (answered = true));
    expect(answered).toBe(false);
    await vi.advanceTimersByTimeAsync(2_000);
    const answer = await waiting;
    expect([answer.status, await answer.text()]).toEqual([500, expect.stringContaining("did not finish in 60 s")]);
    vi.useRealTimers();
    expect((await rig.plan("POST", "/containers/web/stop")).answer?.status).toBe(204);
  });

  test("that leave make room for waiting ones", async () => {
    rig = await Rig.open();
    await rig.run("web", ["sleep", "1000"]);
    const leaving = new AbortController();
    const waits = Array.from({ length: 4 }, () =>
      rig.fetch("live", "POST", "/v1.29/containers/web/wait", undefined, { "Coracle-Dry-Run": "1" }, leaving.signal),
    );
    const behind = rig.plan("POST", "/containers/prune");
    await expect(Promise.race([behind, new Promise((resolve) => setTimeout(resolve, 200, "waits"))])).resolves.toBe(
      "waits",
    );
    leaving.abort();
    for (const wait of waits) await expect(wait).rejects.toThrow();
    expect((await behind).answer?.status).toBe(200);
  });
});

test("an idle session ends after five minutes", async () => {
  rig = await Rig.open();
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const ask = async (method: string, target: string, body?: unknown) => {
    const answer = rig.ask("session", method, target, body);
    await turns();
    return answer;
  };
  expect((await ask("POST", "/containers/create?name=cat", { Image: "busybox" })).status).toBe(201);
  await vi.advanceTimersByTimeAsync(4 * 60_000);
  expect((await ask("GET", "/containers/cat/json")).status).toBe(200);
  await vi.advanceTimersByTimeAsync(4 * 60_000);
  expect((await ask("GET", "/containers/cat/json")).status).toBe(200);
  await vi.advanceTimersByTimeAsync(6 * 60_000);
  expect((await ask("GET", "/containers/cat/json")).status).toBe(404);
});

/** Enough turns for everything that needs no time. */
async function turns(): Promise<void> {
  for (let at = 0; at < 50; at++) await turn();
}
