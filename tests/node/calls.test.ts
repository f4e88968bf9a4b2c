// Connections that carry calls of gRPC, on the HTTP server with a core scripted by the test.
import { once } from "node:events";
import { connect } from "node:http2";
import type { ClientHttp2Session, ClientHttp2Stream } from "node:http2";
import type { Socket } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { messagesIn, type Limits } from "../../hosts/node/grpc/messages.js";
import type { RequestId, replies } from "../../hosts/shared/host.js";
import { upgraded } from "../support/buildkit/client.js";
import { until } from "../support/commands.js";
import { scriptedServer, type ScriptedServer } from "./scripted-server.js";

const SOLVE = "/moby.buildkit.v1.Control/Solve";
const INFO = "/moby.buildkit.v1.Control/Info";
const WORKERS = "/moby.buildkit.v1.Control/ListWorkers";
const READ_FILE = "/moby.buildkit.v1.frontend.LLBBridge/ReadFile";
const STATUS = "/moby.buildkit.v1.Control/Status";
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

test("a redirect is a failure, and so is what is no JSON", async () => {
  const scripted = await scriptedServer();
  const door = await opened(scripted, "/grpc", "client");
  const call = callOn(door.socket);
  const { id } = await scripted.nextRequest();
  const head = { status: 301, headers: "Location: /x" };
  scripted.reply(id, { tag: "whole", val: { head, body: Buffer.from("<a>"), stateless: false } });
  const [trailers] = (await once(call, "trailers")) as [Record<string, string>];
  expect(trailers["grpc-status"]).toBe("2");
});

test("long words and details of a failure arrive", async () => {
  const scripted = await scriptedServer();
  const door = await opened(scripted, "/grpc", "client");
  const call = callOn(door.socket);
  const { id } = await scripted.nextRequest();
  const long = "x".repeat(40_000);
  const details = [{ type: "a", value: { long: long.slice(0, 20_000) } }];
  const body = new TextEncoder().encode(JSON.stringify({ message: long, details }));
  scripted.reply(id, { tag: "whole", val: { head: { status: 500, headers: "" }, body, stateless: false } });
  const [trailers] = (await once(call, "trailers")) as [Record<string, string>];
  expect(trailers["grpc-message"]).toBe(long);
  expect(trailers["grpc-status-details-bin"]!.length).toBeGreaterThan(30_000);
});

test("an answer that does not fit the call's message ends the call alone", async () => {
  const scripted = await scriptedServer();
  const door = await opened(scripted, "/grpc", "client");
  const session = sessionOn(door.socket);
  const status = async (path: string, ...replies: replies.ReplyCommand[]): Promise<unknown> => {
    const ended = once(begin(session, path, Buffer.alloc(5)), "trailers");
    const { id } = await scripted.nextRequest();
    for (const reply of replies) scripted.reply(id, reply);
    return ((await ended) as [Record<string, string>])[0]["grpc-status"];
  };
  const head = { status: 200, headers: "" };
  const body = Buffer.from('{"vertexes": 5}\n');
  expect(await status(STATUS, { tag: "open", val: head }, { tag: "chunk", val: body })).toBe("13");
  expect(scripted.inputs).toMatchObject([{ tag: "closed", val: { why: "client" } }]);
  const workers = Buffer.from('{"record": 5}');
  expect(await status(WORKERS, { tag: "whole", val: { head, body: workers, stateless: false } })).toBe("13");
  expect(await status(STATUS, { tag: "open", val: head }, { tag: "end" })).toBe("0");
});

test("the engine may end a session", async () => {
  const scripted = await scriptedServer();
  const session = await opened(scripted, "/session", "engine");
  const ended = once(session.socket.resume(), "close");
  scripted.reply(session.id, { tag: "end" });
  await ended;
  expect(scripted.inputs).toEqual([]);
});

test("bytes that are no message fail with a code, without words of the host", async () => {
  const scripted = await scriptedServer();
  const door = await opened(scripted, "/grpc", "client");
  const session = sessionOn(door.socket);
  const status = async (bytes: Uint8Array): Promise<unknown> => {
    const [trailers] = (await once(begin(session, SOLVE, bytes), "trailers")) as [Record<string, string>];
    expect(trailers["grpc-message"]).toBeUndefined();
    return trailers["grpc-status"];
  };
  const compressed = Uint8Array.of(1, 0, 0, 0, 0);
  const cutOff = Uint8Array.of(0, 0, 0, 0, 9, 1);
  const noProtobuf = Uint8Array.of(0, 0, 0, 0, 2, 0x0a, 0x80);
  expect(await Promise.all([compressed, cutOff, noProtobuf, new Uint8Array()].map(status))).toEqual([
    ...["12", "13", "13", "13"],
  ]);
});

test("of a message beyond the limit the core learns that it came, also if only its JSON is too large", async () => {
  const scripted = await scriptedServer();
  const door = await opened(scripted, "/grpc", "client");
  const session = sessionOn(door.socket);
  const ref = (bytes: number): Uint8Array => {
    const message = Buffer.concat([Uint8Array.of(0x0a, (bytes & 0x7f) | 0x80, bytes >> 7), Buffer.alloc(bytes)]);
    return Buffer.concat([Uint8Array.of(0, 0, 0, message.length >> 8, message.length & 0xff), message]);
  };
  for (const [bytes, tag] of [
    [2000, "oversized"],
    [900, "oversized"],
    [130, "whole"],
  ] as const) {
    begin(session, SOLVE, ref(bytes));
    expect((await scripted.nextRequest()).body.tag).toBe(tag);
  }
});

test("messages of a connection that are not whole have a limit together", async () => {
  const stream = (limits: Limits) => messagesIn(oneByOne(limits), limits);
  const oneByOne = async function* (limits: Limits): AsyncGenerator<Uint8Array> {
    yield Uint8Array.of(0, 0, 0, 0, 200);
    for (let at = 0; at < 100; at++) yield new Uint8Array(1);
    expect(limits.partial).toBeGreaterThan(100);
  };
  const limits = { largest: 1000, partial: 0, mostPartial: 150, unread: 0, mostUnread: 0 };
  await expect(stream(limits).next()).rejects.toMatchObject({ code: 13 });
  expect(limits.partial).toBe(0);
  limits.partial = 100;
  await expect(stream(limits).next()).rejects.toMatchObject({ code: 8 });
  expect(limits.partial).toBe(100);
});

const PREFACE = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0";

function ping(flags: string): string {
  return `\0\0\x08\x06${flags}\0\0\0\0abcdefgh`;
}

test("answers that a client leaves unread have a limit together, and go once they are read", async () => {
  const scripted = await scriptedServer();
  const door = await opened(scripted, "/grpc", "client");
  const session = sessionOn(door.socket);
  const head = { status: 200, headers: "" };
  const body = Buffer.from(JSON.stringify({ Data: Buffer.alloc(15 << 20).toString("base64") }));
  const unread: ClientHttp2Stream[] = [];
  /** The code of the call, or null if its answer is on its way. */
  const ask = async (): Promise<string | null> => {
    const stream = begin(session, READ_FILE, Buffer.alloc(5)).pause();
    let code: string | null = null;
    stream.once("trailers", (trailers: Record<string, string>) => (code = trailers["grpc-status"]!));
    const answered = once(stream, "response");
    scripted.reply((await scripted.nextRequest()).id, { tag: "whole", val: { head, body, stateless: false } });
    await answered;
    // The end of a call that has no answer comes before what is asked later.
    await new Promise((resolve) => session.ping(resolve));
    if (code === null) unread.push(stream);
    return code;
  };
  const codes: (string | null)[] = [];
  for (let call = 0; call < 10; call++) codes.push(await ask());
  expect(codes).toEqual([...Array.from({ length: 8 }, () => null), "8", "8"]);
  await Promise.all(unread.map((stream) => once(stream.resume(), "end")));
  expect(await ask()).toBeNull();
});

test("what a client sends along with the upgrade is read", async () => {
  const calls = { tag: "calls", val: { head: HEAD, caller: "client", pulse: 0n } } as const;
  const scripted = await scriptedServer((_request, reply) => reply(calls));
  const connection = await scripted.connect();
  connection.send(
    `POST /grpc HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n${PREFACE}${ping("\0")}`,
  );
  await connection.untilText(ping("\x01"));
});

test("HTTP/2 from the first byte is a request of its own, and is answered by HTTP/2 alone", async () => {
  const head = { status: 200, headers: "" };
  const scripted = await scriptedServer();
  const connection = await scripted.connect();
  connection.send(PREFACE.slice(0, 10));
  connection.send(PREFACE.slice(10, 20));
  const { id, ...request } = await scripted.nextRequest();
  expect(request).toMatchObject({ method: "PRI", target: "*", headers: "", body: { tag: "none" } });
  connection.send(PREFACE.slice(20));
  scripted.reply(id, { tag: "calls", val: { head, caller: "client", pulse: 0n } });
  connection.send(ping("\0"));
  expect((await connection.untilText(ping("\x01"))).toString("latin1")).not.toContain("HTTP/1.1");
});

test("no request of HTTP/1 begins as HTTP/2 does", async () => {
  const scripted = await scriptedServer();
  const connection = await scripted.connect();
  connection.send("PRI * HTTP/1.1\r\nHost: x\r\n\r\n");
  await connection.untilText("400 Bad Request");
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
  reply(id, { tag: "calls", val: { head: HEAD, caller, pulse: 0n } });
  const socket = await opening;
  onTestFinished(() => void socket.destroy());
  return { id, socket };
}

/** A call with an empty message. */
function callOn(socket: Socket): ClientHttp2Stream {
  return begin(sessionOn(socket), INFO, Buffer.alloc(5));
}

function sessionOn(socket: Socket): ClientHttp2Session {
  const settings = { maxHeaderListSize: 1 << 20 };
  const session = connect("http://localhost", { createConnection: () => socket, settings });
  session.on("error", () => {});
  return session;
}

function begin(session: ClientHttp2Session, path: string, message: Uint8Array): ClientHttp2Stream {
  const headers = { "content-type": "application/grpc", te: "trailers", "buildkit-controlapi-buildid": "a" };
  const stream = session.request({ ":method": "POST", ":path": path, ...headers });
  stream.on("error", () => {}).resume();
  stream.end(message);
  return stream;
}
