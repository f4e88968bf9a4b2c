// HTTP with Node's client to an engine in the same process, with a core scripted by the test.

import { request } from "node:http";
import type { Agent, IncomingMessage, RequestOptions } from "node:http";
import type { Duplex } from "node:stream";
import { expect, test } from "vitest";
import type { Engine } from "../../hosts/embedding/engine.js";
import { engineAgent } from "../../hosts/embedding/node-agent.js";
import { until, whole } from "../node/scripted-server.js";
import { line } from "../streams/log-of.js";
import { chunk, hijack, open, scriptedEngine } from "./scripted-engine.js";

test("a request and its answer, on several connections and on the same", async () => {
  const { engine, requests } = await scriptedEngine((request, reply) => reply(whole(200, request.target)));
  for (const keepAlive of [false, true]) {
    const agent = engineAgent(engine, { keepAlive });
    expect(await (await ask(agent, { path: "/v1.51/a?b=c" })).text()).toBe("/v1.51/a?b=c");
    expect(await (await ask(agent, { path: "/second" })).text()).toBe("/second");
    agent.destroy();
  }
  expect(requests.map(({ listener }) => listener)).toEqual(Array(4).fill("internal"));
});

test("a long body goes in, a stream comes out", async () => {
  const { engine, reply, requests, bodies } = await scriptedEngine();
  const answer = ask(engineAgent(engine), { path: "/load", method: "POST" }, Buffer.alloc(300_000, "x"));
  await until(() => requests.length === 1);
  const { id } = requests[0]!;
  let length = 0;
  for await (const piece of bodies.take(id)) length += piece.length;
  expect(length).toBe(300_000);
  reply(id, open());
  reply(id, chunk("one "));
  reply(id, chunk("two"));
  reply(id, { tag: "end" });
  expect(await (await answer).text()).toBe("one two");
});

test("a hijacked connection is a container's stdio", async () => {
  const { engine, log, stdin, reply, requests } = await scriptedEngine((_request, reply) => reply(hijack("c")));
  const socket = await upgraded(engineAgent(engine), "/attach");
  log.append(line(1, "out"));
  expect(await next(socket)).toBe("out\n");
  socket.write("in");
  socket.end();
  await until(() => stdin.text === "in<end>");
  reply(requests[0]!.id, { tag: "end" });
  await new Promise((resolve) => socket.resume().on("end", resolve));
});

test("a client that hangs up counts as gone", async () => {
  const { engine, inputs, requests } = await scriptedEngine();
  const sent = request({ agent: engineAgent(engine), path: "/wait", method: "POST" });
  sent.on("error", () => {});
  sent.end();
  await until(() => requests.length === 1);
  sent.destroy();
  await until(() => inputs.length === 1);
  expect(inputs).toEqual([{ tag: "closed", val: { request: requests[0]!.id, why: "client" } }]);
});

test("an engine that crashes hangs up; one that is down refuses connections; one that is back answers", async () => {
  const { engine, requests } = await scriptedEngine((request, reply) => {
    if (request.target !== "/wait") reply(whole(200, "back"));
  });
  const agent = engineAgent(engine, { keepAlive: true });
  const waiting = ask(agent, { path: "/wait" });
  await until(() => requests.length === 1);
  engine.crash();
  await expect(waiting).rejects.toMatchObject({ code: "ECONNRESET" });
  await expect(ask(agent, { path: "/a" })).rejects.toMatchObject({ code: "ECONNREFUSED" });
  await engine.reopen();
  expect(await (await ask(agent, { path: "/a" })).text()).toBe("back");
  engine.crash();
  await expect(ask(agent, { path: "/a" })).rejects.toMatchObject({ code: expect.stringMatching(/^ECONN/) });
  agent.destroy();
});

test.each([
  ["a request's", {}, { timeout: 50 }],
  ["an agent's", { timeout: 50 }, {}],
])(
  "%s timeout is reported after that much silence, and the request continues",
  async (_whose, agentOptions, options) => {
    const { engine, reply, requests } = await scriptedEngine();
    const agent = engineAgent(engine, { keepAlive: true, ...agentOptions });
    let timeouts = 0;
    const answered = new Promise<IncomingMessage>((resolve, reject) => {
      const sent = request({ agent, path: "/wait", ...options }, resolve);
      sent.on("timeout", () => timeouts++).on("error", reject);
      sent.end();
    });
    await until(() => timeouts === 1);
    reply(requests[0]!.id, whole(200, "late"));
    const pieces: Uint8Array[] = [];
    for await (const piece of await answered) pieces.push(piece as Uint8Array);
    expect(Buffer.concat(pieces).toString()).toBe("late");
    agent.destroy();
  },
);

test("it requires an engine of its own package", () => {
  expect(() => engineAgent({} as Engine)).toThrow(TypeError);
});

async function ask(agent: Agent, options: RequestOptions, body?: Uint8Array): Promise<Response> {
  const message = await new Promise<IncomingMessage>((resolve, reject) => {
    const sent = request({ agent, ...options }, resolve);
    sent.on("error", reject);
    sent.end(body);
  });
  const chunks: Uint8Array[] = [];
  for await (const piece of message) chunks.push(piece as Uint8Array);
  return new Response(Buffer.concat(chunks), { status: message.statusCode! });
}

function upgraded(agent: Agent, path: string): Promise<Duplex> {
  return new Promise((resolve, reject) => {
    const headers = { Connection: "Upgrade", Upgrade: "tcp" };
    const sent = request({ agent, path, method: "POST", headers });
    sent.on("upgrade", (_response, socket) => resolve(socket)).on("error", reject);
    sent.end();
  });
}

async function next(socket: Duplex): Promise<string> {
  const piece = await new Promise<Buffer>((resolve) => socket.once("data", resolve));
  socket.pause();
  return piece.toString();
}
