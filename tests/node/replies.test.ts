// Replies as they are on the wire.

import { connect as connectSocket } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import type { replies } from "../../hosts/shared/host.js";
import { line } from "../streams/log-of.js";
import { scriptedServer, until, whole } from "./scripted-server.js";

const GET = "GET /x HTTP/1.1\r\nHost: d\r\n\r\n";
const OPEN: replies.ReplyCommand = { tag: "open", val: { status: 200, headers: "Content-Type: application/json" } };
const chunk = (text: string): replies.ReplyCommand => ({ tag: "chunk", val: Buffer.from(text) });
const FOLLOW = {
  container: "c",
  stdout: true,
  stderr: true,
  framed: false,
  prefix: "",
  timestamps: false,
  since: 0n,
  until: 0n,
  follow: true,
  ended: false,
};
const SPLICE: replies.ReplyCommand = { tag: "splice", val: { tag: "logs", val: FOLLOW } };
const AT = { view: { container: "c", places: [] }, path: "/", follow: false };
const ARCHIVE: replies.ReplyCommand = {
  tag: "splice",
  val: { tag: "archive", val: { at: AT, compression: "none" } },
};

const JSON_TYPE = "Content-Type: application/json\r\n";
/** Two paths: plain requests are answered on the socket, any other through Node's server. The last part is the body. */
const WAYS = [
  ["on the socket", "\r\n"],
  ["on the socket, to a short body", `${JSON_TYPE}Content-Length: 2\r\n\r\n{}`],
  ["through Node's server", `${JSON_TYPE}Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n`],
] as const;

/** Headers of a complete reply, with `Date` last and without its value. */
async function headersOf(method: string, command: replies.ReplyCommand, rest: string) {
  const { connect } = await scriptedServer((_, reply) => reply(command));
  const client = await connect();
  client.send(`${method} /x HTTP/1.1\r\nHost: d\r\n${rest}`);
  const { status, headers, body } = await client.response(method);
  const others = headers.filter(([name]) => name !== "Date").map(([name, value]) => `${name}: ${value}`);
  expect(headers.filter(([name]) => name === "Date")).toHaveLength(1);
  return { status, body: body.toString(), headers: others };
}

describe.each(WAYS)("a whole reply %s", (_, rest) => {
  test("has its headers as the core wrote them, a date and a length", async () => {
    const command = whole(200, "{}\n", "Api-Version: 1.55\nContent-Type: application/json");
    expect(await headersOf("GET", command, rest)).toEqual({
      status: 200,
      body: "{}\n",
      headers: ["Api-Version: 1.55", "Content-Type: application/json", "Content-Length: 3"],
    });
  });

  test("has no control characters in its headers, whatever the core wrote", async () => {
    const { headers } = await headersOf("GET", whole(200, "", "Location: /a\rSet-Cookie: x=1\u0000\u007f\nB: c"), rest);
    expect(headers).toEqual(["Location: /a Set-Cookie: x=1", "B: c", "Content-Length: 0"]);
  });

  test("beyond 2 KiB is chunked", async () => {
    const short = await headersOf("GET", whole(200, "x".repeat(2048), ""), rest);
    expect(short.headers).toEqual(["Content-Length: 2048"]);
    const long = await headersOf("GET", whole(200, "x".repeat(2049), ""), rest);
    expect(long.headers).toEqual(["Transfer-Encoding: chunked"]);
    expect(long.body.length).toBe(2049);
  });

  test("without a body has a length of 0, unless its status forbids one", async () => {
    expect((await headersOf("POST", whole(201, "", ""), rest)).headers).toEqual(["Content-Length: 0"]);
    expect((await headersOf("POST", whole(204, "", ""), rest)).headers).toEqual([]);
    expect((await headersOf("POST", whole(304, "", ""), rest)).headers).toEqual([]);
  });
});

describe("a reply", () => {
  test("to HEAD has no body, and a length where it has a type", async () => {
    const { connect } = await scriptedServer((request, reply) =>
      reply(whole(200, request.method === "HEAD" ? "" : "OK", request.target === "/_ping" ? "Content-Type: a/b" : "")),
    );
    const client = await connect();
    client.send("HEAD /_ping HTTP/1.1\r\nHost: d\r\n\r\n");
    const head = await client.response("HEAD");
    expect([head.status, head.header("content-length")]).toEqual([200, "0"]);
    client.send("HEAD /file HTTP/1.1\r\nHost: d\r\n\r\n");
    const file = await client.response("HEAD");
    expect([file.header("content-length"), file.header("transfer-encoding")]).toEqual([null, null]);
    client.send("GET /_ping HTTP/1.1\r\nHost: d\r\n\r\n");
    expect((await client.response()).text).toBe("OK");
  });

  test("bare, it has no header but the core's and ends the connection", async () => {
    for (const [, rest] of WAYS) {
      const answer = whole(404, "plain", "Content-Type: text/x");
      const { connect } = await scriptedServer((_, reply) => {
        if (answer.tag === "whole") reply({ ...answer, tag: "bare" });
      });
      const client = await connect();
      client.send(`POST /x HTTP/1.1\r\nHost: d\r\n${rest}`);
      expect((await client.rest()).toString()).toBe("HTTP/1.1 404 Not Found\r\nContent-Type: text/x\r\n\r\nplain");
    }
  });

  test("bare, it leaves nothing of the connection when the client disconnects, whatever it has sent meanwhile", async () => {
    const { connect, connections, nextRequest, reply } = await scriptedServer();
    const client = await connect();
    client.send("POST /x HTTP/1.1\r\nHost: d\r\n\r\n");
    const answer = whole(404, "plain");
    if (answer.tag === "whole") reply((await nextRequest()).id, { ...answer, tag: "bare" });
    await client.head();
    client.send("typed ahead");
    client.close();
    await expect.poll(connections).toBe(0);
  });

  test("closes the connection when the client wants that", async () => {
    const { connect } = await scriptedServer((_, reply) => reply(whole(200, "bye", "")));
    const client = await connect();
    client.send("GET /x HTTP/1.1\r\nHost: d\r\nConnection: close\r\n\r\n");
    const response = await client.response();
    expect(response.header("connection")).toBe("close");
    expect((await client.rest()).length).toBe(0);
  });
});

test.each([
  ["no size", "zz\r\n"],
  ["a size without an end", "0".repeat(100)],
])("an open reply ends with a body that has %s for a chunk, and has no second head in it", async (_, malformed) => {
  const { connect, nextRequest, reply } = await scriptedServer();
  const client = await connect();
  const headers = "Content-Type: application/x-tar\r\nTransfer-Encoding: chunked";
  client.send(`POST /x HTTP/1.1\r\nHost: d\r\n${headers}\r\n\r\n3\r\nabc\r\n`);
  const { id } = await nextRequest();
  reply(id, OPEN);
  expect((await client.head()).status).toBe(200);
  reply(id, chunk("half"));
  expect((await client.untilText("half\r\n")).toString()).toBe("4\r\nhalf\r\n");
  client.send(malformed);
  expect((await client.rest()).toString()).toBe("");
});

describe.each(WAYS)("an open reply %s", (_, rest) => {
  const GET = `GET /x HTTP/1.1\r\nHost: d\r\n${rest}`;

  test("is flushed at once; its chunks arrive one by one and are reported as drained step by step", async () => {
    const { connect, nextRequest, reply, inputs } = await scriptedServer();
    const client = await connect();
    client.send(GET);
    const { id } = await nextRequest();
    reply(id, OPEN);
    const head = await client.head();
    expect([head.status, head.header("transfer-encoding")]).toEqual([200, "chunked"]);
    const chunks = client.chunks();
    const long = `${"x".repeat(20_000)}\n`;
    for (const text of ["one\n", long, "two\n", long]) {
      reply(id, chunk(text));
      expect((await chunks.next()).value?.toString()).toBe(text);
    }
    reply(id, { tag: "end" });
    expect((await chunks.next()).done).toBe(true);
    expect(inputs).toEqual([
      { tag: "drained", val: { request: id, bytes: 4 + long.length } },
      { tag: "drained", val: { request: id, bytes: 4 + long.length } },
    ]);
  });

  test("is closed when the client disconnects, and later output is dropped", async () => {
    const { connect, nextRequest, reply, inputs } = await scriptedServer();
    const client = await connect();
    client.send(GET);
    const { id } = await nextRequest();
    reply(id, OPEN);
    await client.head();
    client.close();
    await until(() => inputs.length > 0);
    reply(id, chunk("nobody"));
    reply(id, { tag: "end" });
    expect(inputs).toEqual([{ tag: "closed", val: { request: id, why: "client" } }]);
  });

  test("gives no credit for bytes that a disconnecting client has not read", async () => {
    const { nextRequest, reply, inputs, path } = await scriptedServer();
    const deaf = connectSocket(path);
    deaf.write(GET);
    const { id } = await nextRequest();
    reply(id, OPEN);
    for (let count = 0; count < 32; count++) reply(id, chunk("x".repeat(1 << 20)));
    deaf.destroy();
    await until(() => inputs.some((input) => input.tag === "closed"));
    const drained = inputs.filter((input) => input.tag === "drained");
    expect(drained.reduce((sum, { val }) => sum + val.bytes, 0)).toBeLessThan(4 << 20);
  });

  test("that is cut cannot be mistaken for a complete one", async () => {
    const { connect, nextRequest, reply, inputs } = await scriptedServer();
    const client = await connect();
    client.send(GET);
    const { id } = await nextRequest();
    reply(id, OPEN);
    reply(id, chunk("half"));
    reply(id, { tag: "cut" });
    await expect(client.response()).rejects.toThrow();
    expect(inputs.filter(({ tag }) => tag === "closed")).toEqual([]);
  });

  test("to a client that does not read drains only into the socket's buffer, and blocks no one else", async () => {
    const { connect, nextRequest, reply, inputs, path } = await scriptedServer();
    const deaf = connectSocket(path);
    onTestFinished(() => void deaf.destroy());
    deaf.write(GET);
    const { id } = await nextRequest();
    reply(id, OPEN);
    for (let count = 0; count < 32; count++) reply(id, chunk("x".repeat(65_536)));
    const other = await connect();
    other.send(GET);
    const next = await nextRequest();
    reply(next.id, whole(200, "served"));
    expect((await other.response()).text).toBe("served");
    const drained = inputs.filter((input) => input.tag === "drained").length;
    expect(drained).toBeLessThan(32);
    deaf.resume();
    await until(() => inputs.filter((input) => input.tag === "drained").length === 32);
  });
});

describe("a spliced reply", () => {
  test("sends the log by itself until the core ends it", async () => {
    const { connect, nextRequest, reply, log } = await scriptedServer();
    const client = await connect();
    client.send(GET);
    const { id } = await nextRequest();
    reply(id, { tag: "open", val: { status: 200, headers: "" } });
    reply(id, SPLICE);
    const head = await client.head();
    expect(head.headers.map(([name]) => name)).toEqual(["Date", "Transfer-Encoding"]);
    const chunks = client.chunks();
    log.append(line(1, "hello"));
    expect((await chunks.next()).value?.toString()).toBe("hello\n");
    log.append(line(2, "bye"));
    reply(id, { tag: "end" });
    expect((await chunks.next()).value?.toString()).toBe("bye\n");
    expect((await chunks.next()).done).toBe(true);
    expect([log.closed, log.watchers]).toEqual([1, 0]);
  });

  test("stops when the client disconnects", async () => {
    const { connect, nextRequest, reply, log, inputs } = await scriptedServer();
    const client = await connect();
    client.send(GET);
    const { id } = await nextRequest();
    reply(id, { tag: "open", val: { status: 200, headers: "" } });
    reply(id, SPLICE);
    await client.head();
    client.close();
    await until(() => log.closed === 1);
    expect([log.watchers, inputs]).toEqual([0, [{ tag: "closed", val: { request: id, why: "client" } }]]);
  });

  test.each(WAYS)("whose source fails before its first byte is answered by the core %s", async (_, rest) => {
    const { connect, archives, inputs, reply } = await scriptedServer((_, reply) => [OPEN, ARCHIVE].forEach(reply));
    archives.push(brokenAfter([]));
    const client = await connect();
    client.send(`GET /x HTTP/1.1\r\nHost: d\r\n${rest}`);
    await until(() => inputs.length > 0);
    expect(inputs).toEqual([
      { tag: "source-failed", val: { request: 1n, why: { tag: "internal", val: "the disk is gone" } } },
    ]);
    // For a log whose run has ended meanwhile: only the reply command is handled.
    reply(1n, { tag: "end" });
    reply(1n, whole(404, "{}\n", ""));
    expect(await client.response()).toMatchObject({ status: 404, text: "{}\n" });
    archives.push(pieces(["whole"]));
    client.send(GET);
    expect((await client.response()).text).toBe("whole");
  });

  describe("of a log that cannot be read to its end", () => {
    const brokenLog = async () => {
      const server = await scriptedServer((_, reply) => [OPEN, SPLICE].forEach(reply));
      server.log.append(line(1, "hello"));
      const client = await server.connect();
      client.send(GET);
      await client.head();
      const chunks = client.chunks();
      expect((await chunks.next()).value?.toString()).toBe("hello\n");
      server.log.read = async () => Promise.reject(new Error("the disk is gone"));
      server.log.append(line(1, "never"));
      await until(() => server.inputs.length > 0);
      const begun = { framed: false, objects: false, separated: false };
      const why = { tag: "internal", val: "the disk is gone" };
      expect(server.inputs).toEqual([{ tag: "source-failed", val: { request: 1n, why, begun } }]);
      return { ...server, chunks };
    };

    test("ends with the core's message", async () => {
      const { reply, chunks } = await brokenLog();
      reply(1n, { tag: "end" }); // from before, for its run
      reply(1n, chunk("why"));
      reply(1n, { tag: "end" });
      expect((await chunks.next()).value?.toString()).toBe("why");
      expect((await chunks.next()).done).toBe(true);
    });

    test("breaks off if the core has none", async () => {
      const { reply, chunks } = await brokenLog();
      reply(1n, whole(500, "{}\n", ""));
      await expect(chunks.next()).rejects.toThrow();
    });
  });

  test("whose source fails later breaks off", async () => {
    const { connect, archives, inputs } = await scriptedServer((_, reply) => [OPEN, ARCHIVE].forEach(reply));
    archives.push(brokenAfter(["half"]));
    const client = await connect();
    client.send(GET);
    expect((await client.head()).status).toBe(200);
    const chunks = client.chunks();
    expect((await chunks.next()).value?.toString()).toBe("half");
    await expect(chunks.next()).rejects.toThrow();
    expect(inputs).toEqual([{ tag: "closed", val: { request: 1n, why: "failed" } }]);
  });
});

async function* pieces(texts: readonly string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield Buffer.from(text);
}

async function* brokenAfter(texts: readonly string[]): AsyncGenerator<Uint8Array> {
  yield* pieces(texts);
  throw new Error("the disk is gone");
}
