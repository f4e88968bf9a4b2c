// Connections that carry calls of gRPC, on the HTTP server with a core scripted by the test.
import { once } from "node:events";
import { connect } from "node:http2";
import type { ClientHttp2Stream } from "node:http2";
import type { Socket } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import type { RequestId, replies } from "../../hosts/shared/host.js";
import { upgraded } from "../support/buildkit/client.js";
import { until } from "../support/commands.js";
import { scriptedServer, type ScriptedServer } from "./scripted-server.js";

const INFO = "/moby.buildkit.v1.Control/Info";
const HEAD = { status: 101, headers: "Connection: Upgrade\nUpgrade: h2c" };
const LONG_MS = 600_000;

test("when the server stops, it does not wait for them, and they end when they are cut", async () => {
  const scripted = await scriptedServer();
  const session = await opened(scripted, "/session", "engine");
  const door = await opened(scripted, "/grpc", "client");
  const call = callOn(door.socket);
  const { id } = await scripted.nextRequest();
  await scripted.server.drain(LONG_MS);
  const ends = [once(session.socket.resume(), "close"), once(door.socket, "close"), once(call, "close")];
  for (const request of [id, session.id, door.id]) scripted.reply(request, { tag: "cut" });
  await Promise.all(ends);
});

test("a call is a request of its own, with its message in JSON", async () => {
  const scripted = await scriptedServer();
  const door = await opened(scripted, "/grpc", "client");
  const call = callOn(door.socket);
  const request = await scripted.nextRequest();
  expect(request).toMatchObject({ method: "POST", target: `/grpc${INFO}`, body: { tag: "whole" } });
  expect(request.headers).toContain("buildkit-controlapi-buildid: a");
  const message = "it is ½ % done\n";
  const body = new TextEncoder().encode(JSON.stringify({ message }));
  const head = { status: 500, headers: "Grpc-Status: 2" };
  scripted.reply(request.id, { tag: "whole", val: { head, body, stateless: false } });
  const [trailers] = (await once(call, "trailers")) as [Record<string, string>];
  expect(trailers["grpc-status"]).toBe("2");
  expect(decodeURIComponent(trailers["grpc-message"]!)).toBe(message);
});

test("what a client sends along with the upgrade is read", async () => {
  const calls = { tag: "calls", val: { head: HEAD, caller: "client" } } as const;
  const scripted = await scriptedServer((_request, reply) => reply(calls));
  const connection = await scripted.connect();
  const preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0";
  const ping = (flags: string): string => `\0\0\x08\x06${flags}\0\0\0\0abcdefgh`;
  connection.send(
    `POST /grpc HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n${preface}${ping("\0")}`,
  );
  await connection.untilText(ping("\x01"));
});

test("the core learns that a client has hung up, for the connection and for its calls", async () => {
  const scripted = await scriptedServer();
  const door = await opened(scripted, "/grpc", "client");
  callOn(door.socket);
  const { id } = await scripted.nextRequest();
  door.socket.destroy();
  await until("both to be closed", async () => scripted.inputs.length >= 2);
  expect(scripted.inputs).toEqual(
    expect.arrayContaining([id, door.id].map((request) => ({ tag: "closed", val: { request, why: "client" } }))),
  );
});

async function opened(
  { path, nextRequest, reply }: ScriptedServer,
  target: string,
  caller: replies.Caller,
): Promise<{ id: RequestId; socket: Socket }> {
  const opening = upgraded(path, target, {});
  const { id } = await nextRequest();
  reply(id, { tag: "calls", val: { head: HEAD, caller } });
  const socket = await opening;
  onTestFinished(() => void socket.destroy());
  return { id, socket };
}

/** A call with an empty message. */
function callOn(socket: Socket): ClientHttp2Stream {
  const session = connect("http://localhost", { createConnection: () => socket });
  session.on("error", () => {});
  const headers = { "content-type": "application/grpc", te: "trailers", "buildkit-controlapi-buildid": "a" };
  const stream = session.request({ ":method": "POST", ":path": INFO, ...headers });
  stream.on("error", () => {}).resume();
  stream.end(Buffer.alloc(5));
  return stream;
}
