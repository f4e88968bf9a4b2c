// Dry runs in another program: a session of `Engine.dryRun`, the header of any request, and after a crash.

import { afterEach, beforeEach, expect, test } from "vitest";
import { openEngine } from "../../hosts/embedding/open.js";
import type { Engine } from "../../hosts/embedding/engine.js";
import { engineAgent } from "../../hosts/embedding/node-agent.js";
import { simulatedHost } from "../../hosts/simulated/host.js";
import { core, effectsOf } from "./rig.js";

const JSON_BODY = { "content-type": "application/json" };
const CREATE = { method: "POST", headers: JSON_BODY, body: '{"Image":"busybox","Cmd":["cat"],"OpenStdin":true}' };

let engine: Engine;
beforeEach(async () => {
  engine = await openEngine({ host: simulatedHost(), core });
});
afterEach(() => engine.close());

test("a session sees its imagined changes, and its plan lists them", async () => {
  const dry = engine.dryRun();
  expect(dry.plan()).toMatchObject({ began: null, plan: [] });
  expect((await dry.fetch("/containers/create?name=web", CREATE)).status).toBe(201);
  const connection = await dry.connect("/containers/web/attach?stream=1&stdout=1", { method: "POST" });
  expect(connection.status).toBe(101);
  expect((await dry.fetch("/containers/web/start", { method: "POST" })).status).toBe(204);
  expect(await new Response(connection.readable).text()).toBe("");
  expect((await engine.fetch("/containers/web/json")).status).toBe(404);
  expect(effectsOf(dry.plan())).toContain("processes launch");
  const other = engine.dryRun();
  expect((await other.fetch("/containers/web/json")).status).toBe(404);
  dry.close();
  expect(dry.plan()).toMatchObject({ began: null, plan: [] });
  expect((await dry.fetch("/containers/web/json")).status).toBe(404);
});

test("the header makes any request a dry run, over an agent, too", async () => {
  const headers = { ...JSON_BODY, "Coracle-Dry-Run": "1" };
  const created = await engine.fetch("/containers/create?name=web", { ...CREATE, headers });
  expect([created.status, created.headers.get("coracle-dry-run")]).toEqual([201, "1"]);
  const { request } = await import("node:http");
  const status = await new Promise((resolve, reject) => {
    const sent = request({
      agent: engineAgent(engine),
      host: "engine",
      method: "POST",
      path: "/containers/create",
      headers,
    });
    sent.on("response", (response) => resolve(response.resume().headers["coracle-dry-run"])).on("error", reject);
    sent.end(CREATE.body);
  });
  expect(status).toBe("1");
  expect(await (await engine.fetch("/containers/json?all=1")).json()).toEqual([]);
});

test("the subnet of a network that a session removes is free in it, though the machine still has its route", async () => {
  const network = (Name: string, subnet: string): RequestInit => {
    const body = JSON.stringify({ Name, IPAM: { Config: [{ Subnet: subnet }] } });
    return { method: "POST", headers: JSON_BODY, body };
  };
  for (const [name, subnet] of [
    ["first", "10.7.0.0/24"],
    ["second", "10.8.0.0/24"],
  ] as const) {
    expect((await engine.fetch("/networks/create", network(name, subnet))).status).toBe(201);
  }
  const dry = engine.dryRun();
  expect((await dry.fetch("/networks/first", { method: "DELETE" })).status).toBe(204);
  expect((await dry.fetch("/networks/create", network("again", "10.7.0.0/24"))).status).toBe(201);
  expect((await dry.fetch("/networks/create", network("other", "10.8.0.0/24"))).status).toBe(403);
});

test("none can start while the engine is down, and an earlier one has ended", async () => {
  const dry = engine.dryRun();
  expect((await dry.fetch("/containers/create?name=web", CREATE)).status).toBe(201);
  engine.crash();
  await expect(dry.fetch("/containers/web/json")).rejects.toThrow();
  await engine.reopen();
  expect((await dry.fetch("/containers/web/json")).status).toBe(404);
  await engine.close();
  await expect(dry.fetch("/containers/web/json")).rejects.toThrow();
});
