// A dry-run socket with plain requests, and the header that turns any request into a dry run.

import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { beforeEach, describe, expect, test } from "vitest";
import WebSocket from "ws";
import type { Plan } from "../../hosts/dry-run/format.js";
import { tarOf } from "../support/archives/images.js";
import { past, stamp } from "../support/past-events.js";
import { findProcesses } from "../support/processes.js";
import { onDryRunEngines } from "./engines.js";

const SLEEP = { Cmd: ["sleep", "1000"] };
const OWN = { version: null };

onDryRunEngines("a dry run", (engine) => {
  const forget = () => engine().dry.call("DELETE", "/coracle/dry-run", undefined, OWN);
  const plan = async (): Promise<Plan> => (await engine().dry.read("/coracle/dry-run", OWN)) as unknown as Plan;
  beforeEach(async () => void (await forget()));

  describe("on a socket of its own", () => {
    test("sees its imagined changes, lists them in order, and forgets them", async () => {
      const { dry, live } = engine();
      expect(await plan()).toEqual({
        ...{ format: "coracle-dry-run", version: 2, began: null, now: null, left: 0, plan: [] },
      });
      const id = await dry.create(SLEEP, "?name=imagined");
      await dry.start(id);
      expect((await dry.inspect<{ State: { Pid: number } }>(id)).State.Pid).toBeGreaterThan(1 << 22);
      const answer = await dry.call("GET", "/containers/imagined/json");
      expect(answer.header("coracle-dry-run")).toBe("1");
      expect((await live.call("GET", `/containers/${id}/json`)).status).toBe(404);

      const told = await plan();
      const kinds = told.plan.map((entry) => Object.keys(entry).find((key) => key !== "at"));
      expect(kinds.slice(0, 2)).toEqual(["request", "record"]);
      expect(new Set(kinds)).toEqual(new Set(["request", "record", "effect", "event", "answer"]));
      const launch = told.plan.find((entry) => "effect" in entry && entry.effect.command === "launch");
      expect(launch).toMatchObject({
        effect: { how: "imagined", with: { container: id, run: 1, spec: { json: { process: { args: SLEEP.Cmd } } } } },
      });
      const times = told.plan.map(({ at }) => at);
      expect(times).toEqual([...times].sort());

      expect((await forget()).status).toBe(204);
      expect((await plan()).plan).toEqual([]);
      expect((await dry.call("GET", `/containers/${id}/json`)).status).toBe(404);
    });

    test("shows the live state as long as its requests only read", async () => {
      const { dry, live } = engine();
      expect(await dry.read("/containers/json?all=1")).toEqual([]);
      const id = await live.create(SLEEP);
      const seen = async () => (await dry.read<{ Id: string }[]>("/containers/json?all=1")).map(({ Id }) => Id);
      await expect.poll(seen).toEqual([id]);
      await live.remove(id);
    });

    test("reports a process that really ends", async () => {
      const { dry, live } = engine();
      const id = await live.create({ Cmd: ["sh", "-c", "read -r line; exit 7"], OpenStdin: true });
      await live.start(id);
      const waited = dry.wait(id);
      await dry.must(204, "POST", `/containers/${id}/pause`);
      await dry.must(204, "POST", `/containers/${id}/unpause`);
      await live.must(204, "POST", `/containers/${id}/kill?signal=KILL`);
      expect(await waited).toBe(137);
      await live.remove(id);
    });

    test("shows earlier events, and imagined ones after them", async () => {
      const { dry, live } = engine();
      const since = await stamp(live);
      const real = await live.create(SLEEP);
      const id = await dry.create(SLEEP);
      await dry.start(id);
      const told = async () => (await past(dry, since)).map(({ Action, Actor }) => `${Action} ${Actor.ID}`);
      await expect.poll(told).toEqual(expect.arrayContaining([`create ${real}`, `create ${id}`, `start ${id}`]));
      expect((await past(live, since)).map(({ Actor }) => Actor.ID)).toEqual([real]);
      await live.remove(real);
    });

    test("refuses reads of imagined objects, and reads real ones", async () => {
      const { dry, live } = engine();
      const real = await live.create({ Cmd: ["sh", "-c", "echo said; sleep 1000"] });
      await live.start(real);
      await expect.poll(async () => (await live.logs(real)).stdout).toBe("said\n");
      expect((await dry.logs(real)).stdout).toBe("said\n");
      expect((await dry.call("GET", `/containers/${real}/archive?path=/etc/passwd`)).status).toBe(200);
      const id = await dry.create(SLEEP);
      await dry.start(id);
      const refused = await dry.call("GET", `/containers/${id}/archive?path=/etc/passwd`);
      expect([refused.status, refused.text]).toEqual([500, expect.stringContaining("a dry run cannot look there")]);
      expect((await dry.call("GET", `/containers/${id}/top`)).status).toBe(500);
      expect((await dry.logs(id)).stdout).toBe("");
      await live.remove(real);
    });

    test("refuses builds, since it unpacks no Dockerfile, and makes no image", async () => {
      const { dry, live } = engine();
      const archive = await tarOf([{ name: "Dockerfile", body: "FROM busybox\nRUN true\n" }]);
      const before = (await live.call("GET", "/images/json?all=1")).text;
      const headers = { "content-type": "application/x-tar" };
      const refused = await dry.call("POST", "/build?t=dry", archive, { headers });
      expect([refused.status, refused.text]).toEqual([501, expect.stringContaining("a dry run cannot build")]);
      expect((await live.call("GET", "/images/json?all=1")).text).toBe(before);
    });

    test("refuses connections for calls of gRPC, whose calls would be carried out", async () => {
      const { dry, live } = engine();
      const headers = { Connection: "Upgrade", Upgrade: "h2c", "X-Docker-Expose-Session-Uuid": "a" };
      for (const path of ["/grpc", "/session"]) {
        expect((await dry.call("POST", path, undefined, { headers })).status).toBe(501);
        const asked = { ...headers, "Coracle-Dry-Run": "plan" };
        expect((await live.call("POST", path, undefined, { headers: asked })).status).toBe(501);
      }
    });

    test("shows text without a newline when the run has ended, also if only imagined", async () => {
      const { dry, live } = engine();
      const id = await live.create({ Cmd: ["sh", "-c", "printf 'said '; echo last >&2; sleep 1000"] });
      await live.start(id);
      await expect.poll(async () => (await live.logs(id)).stderr).toBe("last\n");
      for (const client of [live, dry]) expect(await client.logs(id)).toEqual({ stdout: "", stderr: "last\n" });
      await dry.must(204, "POST", `/containers/${id}/kill`);
      await dry.wait(id);
      expect(await dry.logs(id)).toEqual({ stdout: "said ", stderr: "last\n" });
      expect(await live.logs(id)).toEqual({ stdout: "", stderr: "last\n" });
      await live.must(204, "POST", `/containers/${id}/kill`);
      await live.wait(id);
      expect(await live.logs(id)).toEqual({ stdout: "said ", stderr: "last\n" });
      await live.remove(id);
    });

    test("refuses other methods", async () => {
      expect((await engine().dry.call("POST", "/coracle/dry-run", undefined, OWN)).status).toBe(405);
      expect((await engine().live.call("GET", "/coracle/dry-run", undefined, OWN)).status).toBe(404);
    });
  });

  describe("by header", () => {
    const HEADER = { "Coracle-Dry-Run": "1" };

    test("answers as usual, with a mark, and does nothing", async () => {
      const { live } = engine();
      const id = await live.create(SLEEP);
      await live.start(id);
      const before = await live.inspect(id);
      for (const [method, path] of [
        ["POST", `/containers/${id}/stop?t=60`],
        ["POST", `/containers/${id}/restart`],
        ["DELETE", `/containers/${id}?force=1`],
        ["DELETE", "/images/busybox?force=1"],
      ] as const) {
        const answer = await live.call(method, path, undefined, { headers: HEADER });
        expect([path, answer.header("coracle-dry-run")]).toEqual([path, "1"]);
        expect([path, answer.status]).not.toEqual([path, 500]);
      }
      expect(await live.inspect(id)).toEqual(before);
      await live.remove(id);
    });

    test("reads a websocket's input, and passes it to no process", async () => {
      const { live } = engine();
      const id = await live.create({ Cmd: ["cat"], OpenStdin: true });
      await live.start(id);
      const attach = (headers: Record<string, string>) =>
        new WebSocket(`ws+unix://${live.socketPath}:/containers/${id}/attach/ws?stream=1&stdin=1`, { headers });
      const dry = attach(HEADER);
      const upgraded = once(dry, "upgrade") as Promise<[IncomingMessage]>;
      await once(dry, "open");
      expect((await upgraded)[0].headers["coracle-dry-run"]).toBe("1");
      dry.send("imagined\n");
      dry.ping();
      await once(dry, "pong");
      dry.terminate();
      const real = attach({});
      await once(real, "open");
      real.send("real\n");
      await expect.poll(async () => (await live.logs(id)).stdout).toContain("real\n");
      expect((await live.logs(id)).stdout).toBe("real\n");
      real.terminate();
      await live.remove(id);
    });

    test("answers many at once", async () => {
      const { live } = engine();
      const create = () => live.call("POST", "/containers/create?name=one", { Image: "busybox" }, { headers: HEADER });
      const answers = await Promise.all(Array.from({ length: 40 }, create));
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
      expect(await live.read("/containers/json?all=1")).toEqual([]);
    });

    test("sends a plan on a connection that can be used again", async () => {
      const { live } = engine();
      const headers = { "Coracle-Dry-Run": "plan" };
      const attach = await live.call("POST", "/containers/nobody/attach?stream=1", undefined, { headers });
      expect(attach.json<Plan>().answer?.status).toBe(404);
      const created = await live.call("POST", "/containers/create", { Image: "busybox" }, { headers });
      expect(created.json<Plan>().answer).toMatchObject({ status: 201, body: { json: { Id: expect.any(String) } } });
    });

    test("leaves no process behind", async () => {
      const { live } = engine();
      const id = await live.create({ Cmd: ["sleep", "31415"] });
      await live.must(204, "POST", `/containers/${id}/start`, undefined, { headers: HEADER });
      expect(findProcesses("sleep", "31415")).toEqual([]);
      await live.remove(id);
    });
  });
});
