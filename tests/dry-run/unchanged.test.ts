// A dry run changes nothing: the live engine and its world are the same before and after, byte for byte.

import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { busyboxArchive } from "../support/archives/images.js";
import { Rig, effectsOf, eventsOf } from "./rig.js";

const SLEEP = { Image: "busybox", Cmd: ["sleep", "1000"] };

let rig: Rig;
beforeEach(async () => {
  rig = await Rig.open();
});
afterEach(() => rig.close());

test("a long session leaves the core, its records, its journal and all processes unchanged", async () => {
  const web = await rig.run("web", ["sleep", "1000"], { HostConfig: { Binds: ["data:/data"] } });
  await rig.run("done", ["true"]);
  await expect.poll(async () => (await rig.ask("live", "GET", "/containers/done/json")).text).toContain('"exited"');
  const ask = (method: string, target: string, body?: unknown) => rig.ask("session", method, target, body);
  await rig.ask("live", "GET", "/_ping");
  const before = await rig.settled();

  expect((await ask("DELETE", `/containers/web?force=1&v=1`)).status).toBe(204);
  expect((await ask("GET", "/containers/web/json")).status).toBe(404);
  expect((await ask("DELETE", "/volumes/data")).status).toBeLessThan(600);
  expect((await ask("POST", "/containers/prune")).text).toContain("ContainersDeleted");
  const created = await ask("POST", "/containers/create?name=web", { ...SLEEP, HostConfig: { Binds: ["new:/new"] } });
  expect(created.status).toBe(201);
  expect((await ask("POST", "/containers/web/start")).status).toBe(204);
  expect((await ask("POST", "/containers/web/restart?t=30")).status).toBe(204);
  expect((await ask("POST", "/containers/web/pause")).status).toBe(204);
  expect((await ask("POST", "/containers/web/unpause")).status).toBe(204);
  expect((await ask("POST", "/containers/web/update", { CpuShares: 512 })).status).toBe(200);
  expect((await ask("POST", "/containers/web/rename?name=other")).status).toBe(204);
  expect((await ask("POST", "/commit?container=other&repo=kept")).status).toBe(201);
  expect((await ask("POST", "/images/create?fromImage=alpine&tag=latest")).text).toContain("Downloaded newer image");
  expect((await ask("POST", "/images/load", new Uint8Array(await busyboxArchive()))).text).toContain("Loaded image");
  expect((await ask("POST", "/images/busybox/tag?repo=again")).status).toBe(201);
  expect((await ask("DELETE", "/images/alpine")).status).toBe(200);
  const exec = await ask("POST", "/containers/other/exec", { Cmd: ["touch", "/made"] });
  const { Id } = JSON.parse(exec.text) as { Id: string };
  expect((await ask("POST", `/exec/${Id}/start`, { Detach: true })).status).toBe(200);
  expect((await ask("PUT", "/containers/done/archive?path=/tmp", new Uint8Array(1024))).status).toBeLessThan(600);
  expect((await ask("POST", "/containers/other/stop?t=30")).status).toBe(204);
  expect((await ask("DELETE", "/containers/other?v=1")).status).toBe(204);
  await rig.dryRuns.close("enough");

  expect(await rig.everything()).toEqual(before);
  expect(await rig.ask("live", "GET", `/containers/${web}/json`)).toMatchObject({ status: 200 });
}, 60_000);

test("single requests, too, and ids are the next ones", async () => {
  await rig.run("web", ["sleep", "1000"]);
  await rig.ask("live", "GET", "/_ping");
  const before = await rig.settled();
  const dry = await rig.fetch("live", "POST", "/containers/create?name=next", SLEEP, { "Coracle-Dry-Run": "1" });
  expect([dry.status, dry.headers.get("coracle-dry-run")]).toEqual([201, "1"]);
  const told = (await dry.json()) as { Id: string };
  await rig.plan("DELETE", "/containers/web?force=1");
  expect(await rig.everything()).toEqual(before);

  const real = await rig.ask("live", "POST", "/containers/create?name=next", SLEEP);
  expect((JSON.parse(real.text) as { Id: string }).Id).toBe(told.Id);
});

describe("a plan", () => {
  test("of a forced removal", async () => {
    const id = await rig.run("web", ["sleep", "1000"]);
    const plan = await rig.plan("DELETE", "/containers/web?force=1");
    expect(plan).toMatchObject({ format: "coracle-dry-run", version: 2, left: 0, answer: { status: 204 } });
    expect(effectsOf(plan).filter((effect) => !effect.startsWith("timers"))).toEqual([
      "processes signal",
      "networks leave-all",
      "processes reap",
      "content unmount",
      "content drop-container",
    ]);
    expect(eventsOf(plan)).toEqual(["container kill", "container die", "network disconnect", "container destroy"]);
    expect(plan.plan).toContainEqual(expect.objectContaining({ record: { delete: `container/${id}` } }));
    expect(plan.plan).toContainEqual(expect.objectContaining({ ended: { container: id, run: 1, code: 137 } }));
    expect(plan.plan[0]).toMatchObject({
      request: { id: 1, method: "DELETE", target: "/containers/web?force=1" },
    });
  });

  test("of a stop that takes its whole timeout, and comes at once", async () => {
    await rig.run("web", ["sleep", "1000"]);
    const plan = await rig.plan("POST", "/containers/web/stop?t=3600");
    expect(plan.answer?.status).toBe(204);
    const signals = plan.plan.flatMap((entry) =>
      "effect" in entry && entry.effect.command === "signal"
        ? [{ at: entry.at, ...(entry.effect.with as object) }]
        : [],
    );
    expect(signals).toMatchObject([{ number: 15 }, { number: 9 }]);
    const [first, last] = signals.map(({ at }) => Date.parse(at));
    expect(last! - first!).toBeGreaterThanOrEqual(3_600_000);
    expect(last! - first!).toBeLessThan(3_700_000);
  });

  test("of a pull shows no credentials", async () => {
    const auth = Buffer.from(JSON.stringify({ username: "learner", password: "coracle" })).toString("base64");
    const headers = { "Coracle-Dry-Run": "plan", "X-Registry-Auth": auth };
    const target = "/images/create?fromImage=registry.example/team/app&tag=1";
    const response = await rig.fetch("live", "POST", target, undefined, headers);
    const text = await response.text();
    expect(text).toContain("Downloaded newer image");
    expect(text).not.toContain("learner");
    expect(text).not.toContain(auth);
    const plan = JSON.parse(text) as Parameters<typeof effectsOf>[0];
    expect(effectsOf(plan)).toContain("content layer");
    const resolve = plan.plan.find((entry) => "effect" in entry && entry.effect.command === "resolve");
    expect(resolve).toMatchObject({ effect: { how: "asked", outcome: { tag: "resolved" } } });
  });

  test("of an attach and of a refusal", async () => {
    const created = await rig.ask("live", "POST", "/containers/create?name=web", SLEEP);
    expect(created.status).toBe(201);
    const refused = await rig.plan("POST", "/containers/web/pause");
    expect(refused.answer).toMatchObject({ status: 409, body: { json: { message: expect.any(String) } } });
    const missing = await rig.plan("POST", "/containers/nobody/attach?stream=1&stdout=1");
    expect(missing.answer?.status).toBe(404);
  });

  test("keeps numbers that JavaScript cannot hold", async () => {
    const plan = await rig.plan("POST", "/containers/create", SLEEP);
    const record = plan.plan.find((entry) => "record" in entry);
    expect(record).toMatchObject({ record: { value: { json: { created: expect.stringMatching(/^\d{19}$/) } } } });
  });
});

describe("is refused", () => {
  test("a misspelled header: nothing is done for real", async () => {
    const response = await rig.fetch("live", "POST", "/containers/create?name=x", SLEEP, { "coracle-dry-run": "true" });
    expect(response.status).toBe(400);
    expect(await response.json()).toEqual({
      message: "invalid header Coracle-Dry-Run (true): must be '1' or 'plan'",
    });
    expect((await rig.ask("live", "GET", "/containers/x/json")).status).toBe(404);
  });
});
