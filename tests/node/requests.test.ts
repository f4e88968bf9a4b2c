// Requests as they reach the core, and invalid ones.

import { connect } from "node:net";
import { describe, expect, test } from "vitest";
import { failureOf } from "../../hosts/shared/failure.js";
import type { engine } from "../../hosts/shared/host.js";
import { openWorld, settle, unmount } from "../driver/fake.js";
import { scriptedServer, until, whole } from "./scripted-server.js";

/** The failure that a function throws. */
function failureThrown(act: () => unknown): unknown {
  try {
    return act();
  } catch (error) {
    return failureOf(error);
  }
}

const echoTarget = (request: engine.Request, reply: (command: ReturnType<typeof whole>) => void) =>
  reply(whole(200, request.target));

describe("a request", () => {
  test("reaches the core as it was sent", async () => {
    const { connect, nextRequest, path } = await scriptedServer(echoTarget);
    const client = await connect();
    client.send(
      "DELETE /v1.41/containers/a%20b?force=1&%zz HTTP/1.1\r\nHost: any\r\nX-Odd:  two  words \r\nX-ODD: again\r\n\r\n",
    );
    const request = await nextRequest();
    expect(request).toMatchObject({
      method: "DELETE",
      target: "/v1.41/containers/a%20b?force=1&%zz",
      headers: "Host: any\nX-Odd:  two  words \nX-ODD: again",
      listener: `unix://${path}`,
      body: { tag: "none" },
    });
    expect((await client.response()).status).toBe(200);
  });

  test.each([
    "http:/v1.41/containers/json",
    "http://any.host:1/v1.41/info",
    "*",
    "//double//slash",
    "/ümlaut",
    "/a\\b|c",
  ])("may have the target %s", async (target) => {
    const { connect } = await scriptedServer(echoTarget);
    const client = await connect();
    client.send(`GET ${target} HTTP/1.1\r\nHost: docker\r\n\r\n`);
    expect((await client.response()).text).toBe(target);
  });

  test.each(["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH", "PROPFIND", "TRACE"])(
    "may be a %s",
    async (method) => {
      const { connect, nextRequest } = await scriptedServer(echoTarget);
      const client = await connect();
      client.send(`${method} /x HTTP/1.1\r\nHost: docker\r\n\r\n`);
      expect((await nextRequest()).method).toBe(method);
      expect((await client.response(method)).status).toBe(200);
    },
  );

  test("may follow another one on the same connection, even before that is answered", async () => {
    const { connect, nextRequest, reply, requests } = await scriptedServer();
    const client = await connect();
    client.send(
      "GET /1 HTTP/1.1\r\nHost: d\r\n\r\nPOST /2 HTTP/1.1\r\nHost: d\r\nContent-Length: 2\r\n\r\n{}GET /3 HTTP/1.1\r\nHost: d\r\n\r\n",
    );
    for (const target of ["/1", "/2", "/3"]) {
      const request = await nextRequest();
      expect([request.target, requests.length]).toEqual([target, Number(target.slice(1))]);
      reply(request.id, whole(200, target));
      expect((await client.response()).text).toBe(target);
    }
  });

  test("of HTTP/1.0 is answered and the connection closed", async () => {
    const { connect } = await scriptedServer((request, reply) => reply(whole(200, request.target.repeat(2000))));
    const client = await connect();
    client.send("GET /x HTTP/1.0\r\n\r\n");
    const head = await client.head();
    expect(head.header("transfer-encoding")).toBeNull();
    expect((await client.rest()).length).toBe(4000);
  });

  test.each(["GET /1 HTTP/1.1\r\nHost: d\r\nConnection: close\r\n\r\n", "GET /1 HTTP/1.0\r\n\r\n"])(
    "is not read after one that its client declared to be the last: %j",
    async (last) => {
      const { connect, connections, requests } = await scriptedServer(echoTarget);
      const client = await connect();
      client.send(`${last}POST /2 HTTP/1.1\r\nHost: d\r\n\r\n`);
      expect((await client.response()).text).toBe("/1");
      client.send("POST /3 HTTP/1.1\r\nHost: d\r\n\r\n");
      expect((await client.rest()).length).toBe(0);
      client.close();
      await expect.poll(connections).toBe(0);
      expect(requests.map(({ target }) => target)).toEqual(["/1"]);
    },
  );

  test("is answered even if the client has closed its side", async () => {
    const { connect, nextRequest, reply, allRead } = await scriptedServer();
    const client = await connect();
    client.send("GET /x HTTP/1.1\r\nHost: d\r\n\r\n");
    client.end();
    const request = await nextRequest();
    await allRead();
    reply(request.id, whole(200, "late"));
    expect((await client.response()).text).toBe("late");
  });

  test("is closed when the client left while it waited for its turn", async () => {
    const { connect, nextRequest, reply, inputs, allRead } = await scriptedServer();
    const client = await connect();
    client.send("GET /1 HTTP/1.1\r\nHost: d\r\n\r\nGET /2 HTTP/1.1\r\nHost: d\r\n\r\n");
    client.end();
    const first = await nextRequest();
    await allRead();
    reply(first.id, whole(200, "1"));
    expect((await client.response()).text).toBe("1");
    const { id } = await nextRequest();
    client.close();
    const closed = { tag: "closed", val: { request: id, why: "client" } };
    await expect.poll(() => inputs).toEqual([closed]);
  });
});

describe("an invalid request", () => {
  test.each([
    ["garbage\r\n\r\n", "400 Bad Request"],
    ["GET / HTTP/1.1\r\n\r\n", "400 Bad Request: missing required Host header"],
    ["GET /a b HTTP/1.1\r\nHost: d\r\n\r\n", "400 Bad Request"],
    ["GET / HTTP/2.0\r\nHost: d\r\n\r\n", "505 HTTP Version Not Supported: unsupported protocol version"],
    ["POST / HTTP/1.1\r\nHost: d\r\nContent-Length: -1\r\n\r\n", "400 Bad Request: bad Content-Length"],
    [
      "POST / HTTP/1.1\r\nHost: d\r\nContent-Type: application/json\r\nContent-Length: 33\r\nContent-Length: 0\r\n\r\nGET /hidden HTTP/1.1\r\nHost: d\r\n\r\n",
      "400 Bad Request: bad Content-Length",
    ],
    [
      "POST / HTTP/1.1\r\nHost: d\r\nContent-Length: 2\r\ncontent-length: 02\r\n\r\n{}",
      "400 Bad Request: bad Content-Length",
    ],
    ["POST / HTTP/1.1\r\nHost: d\r\nContent-Length: 1234567890123456\r\n\r\n{}", "400 Bad Request: bad Content-Length"],
    ["GET / HTTP/1.1\r\nHost: d\r\nbad header\r\n\r\n", "400 Bad Request"],
    ["GET / HTTP/1.1\r\nHost: d\r\nAuthorization:\r\n Basic: folded\r\n\r\n", "400 Bad Request"],
    ["GET / HTTP/1.1\r\nHost: d\r\nAuthorization:\r\n\tBasic: folded\r\n\r\n", "400 Bad Request"],
    ["POST / HTTP/1.1\r\nHost: d\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", "400 Bad Request"],
  ])("is refused in plain text: %j", async (sent, expected) => {
    const { connect, requests } = await scriptedServer((request, reply) => {
      if (request.body.tag !== "stream") reply(whole(200));
    });
    const client = await connect();
    client.send(sent);
    const response = await client.response();
    expect(response.text).toBe(expected);
    expect(response.header("content-type")).toBe("text/plain; charset=utf-8");
    expect(requests.filter(({ body }) => body.tag !== "stream")).toEqual([]);
  });

  test.each(["\n", "\r", "\t", "\u0000", "\u007f"])("has control characters in its target: %j", async (control) => {
    const { connect, requests } = await scriptedServer();
    const client = await connect();
    client.send(`GET //a${control}Set-Cookie:x=1 HTTP/1.1\r\nHost: d\r\n\r\n`);
    const answer = await client.response();
    expect(answer.status).toBe(400);
    expect(requests).toEqual([]);
  });

  test("does not affect the next client", async () => {
    const { connect } = await scriptedServer(echoTarget);
    (await connect()).send("\x16\x03\x01garbage without an end");
    const client = await connect();
    client.send("GET /fine HTTP/1.1\r\nHost: d\r\n\r\n");
    expect((await client.response()).text).toBe("/fine");
  });
});

describe("a body", () => {
  const post = (headers: string, body: string) => `POST /x HTTP/1.1\r\nHost: d\r\n${headers}\r\n\r\n${body}`;
  const json = "Content-Type: application/json; charset=utf-8\r\n";
  const chunked = "Transfer-Encoding: chunked";

  async function bodyOf(...pieces: string[]): Promise<engine.Body> {
    const { connect, nextRequest, allRead } = await scriptedServer((_, reply) => reply(whole(200)));
    const client = await connect();
    for (const piece of pieces) {
      client.send(piece);
      await allRead();
    }
    const { body } = await nextRequest();
    expect((await client.response()).status).toBe(200);
    return body.tag === "whole" ? { tag: "whole", val: Buffer.from(body.val) } : body;
  }

  const bytes = (text: string) => ({ tag: "whole", val: Buffer.from(text) });

  test("of JSON arrives as bytes, in any number of pieces", async () => {
    expect(await bodyOf(post(`${json}Content-Length: 7`, '{"a'), '":1}')).toEqual(bytes('{"a":1}'));
    expect(await bodyOf(post(json + chunked, '3\r\n{"a\r\n'), "4\r", '\n":1}\r\n0\r\n', "\r\n")).toEqual(
      bytes('{"a":1}'),
    );
  });

  test("that is chunked and empty does not count as missing", async () => {
    expect(await bodyOf(post(json + chunked, "0\r\n\r\n"))).toEqual(bytes(""));
    expect(await bodyOf(post(`${json}Content-Length: 0`, ""))).toEqual({ tag: "none" });
  });

  test("of JSON beyond the limit is discarded, with a known length or without", async () => {
    const large = "x".repeat(1001);
    expect(await bodyOf(post(`${json}Content-Length: 1001`, large))).toEqual({ tag: "oversized" });
    expect(await bodyOf(post(json + chunked, `3e9\r\n${large}\r\n0\r\n\r\n`))).toEqual({ tag: "oversized" });
    expect(await bodyOf(post(`${json}Content-Length: 1000`, large.slice(1)))).toEqual(bytes(large.slice(1)));
  });

  test("of another type arrives as bytes if it is known to be short", async () => {
    expect(await bodyOf(post("Content-Length: 3", "abc"))).toEqual(bytes("abc"));
  });

  test("that arrived as bytes can also be read by the request's id", async () => {
    const { connect, nextRequest, bodies } = await scriptedServer();
    (await connect()).send(post("Content-Length: 3", "abc"));
    const { id, body } = await nextRequest();
    expect(body.tag).toBe("whole");
    for await (const chunk of bodies.take(id)) expect(Buffer.from(chunk).toString()).toBe("abc");
  });

  test("of any other kind is a stream, and the connection can be reused after it", async () => {
    const { connect, nextRequest, reply, bodies } = await scriptedServer();
    const client = await connect();
    client.send(post(`Content-Type: application/x-tar\r\n${chunked}`, "3\r\nabc\r\n"));
    const request = await nextRequest();
    expect(request.body).toEqual({ tag: "stream" });
    client.send("3\r\ndef\r\n0\r\n\r\nGET /next HTTP/1.1\r\nHost: d\r\n\r\n");
    let text = "";
    for await (const chunk of bodies.take(request.id)) text += Buffer.from(chunk).toString();
    expect(text).toBe("abcdef");
    expect(() => bodies.take(request.id)).toThrow("no body to take");
    reply(request.id, whole(200, "done"));
    expect((await client.response()).text).toBe("done");
    // The request is over, and its body with it, as if its client had left.
    expect(failureThrown(() => bodies.take(request.id))).toEqual({ tag: "interrupted", val: "client-gone" });
    const next = await nextRequest();
    reply(next.id, whole(200, next.target));
    expect((await client.response()).text).toBe("/next");
  });

  test("that is not read delays neither the answer nor the next request", async () => {
    const { connect, nextRequest } = await scriptedServer((request, reply) => reply(whole(404, request.target)));
    const client = await connect();
    const tar = "t".repeat(500_000);
    client.send(
      `${post("Content-Type: application/x-tar\r\nContent-Length: 500000", tar)}GET /next HTTP/1.1\r\nHost: d\r\n\r\n`,
    );
    await nextRequest();
    expect((await client.response()).text).toBe("/x");
    expect((await client.response()).text).toBe("/next");
  });

  test("is requested with 100 Continue if the client waits for it", async () => {
    const { connect, nextRequest, reply, bodies } = await scriptedServer();
    const client = await connect();
    client.send(post(`Content-Type: application/x-tar\r\n${chunked}\r\nExpect: 100-continue`, ""));
    expect((await client.head()).status).toBe(100);
    client.send("2\r\nok\r\n0\r\n\r\n");
    const request = await nextRequest();
    for await (const chunk of bodies.take(request.id)) expect(Buffer.from(chunk).toString()).toBe("ok");
    reply(request.id, whole(200));
    expect((await client.response()).status).toBe(200);
  });

  test("with an unknown expectation is refused, and the connection is closed", async () => {
    const { connect, requests } = await scriptedServer();
    const client = await connect();
    client.send(post("Expect: nonsense\r\nContent-Length: 2", "{}"));
    const answer = await client.response();
    expect([answer.status, answer.text]).toEqual([417, "417 Expectation Failed"]);
    expect(requests).toEqual([]);
  });

  test("that is cut off fails for its reader, and the request is closed", async () => {
    const { connect, nextRequest, inputs, bodies } = await scriptedServer();
    const client = await connect();
    client.send(post(`Content-Type: application/x-tar\r\n${chunked}`, "3\r\nabc\r\n"));
    const request = await nextRequest();
    const reading = (async () => {
      for await (const _ of bodies.take(request.id));
    })();
    client.close();
    await expect(reading).rejects.toThrow("client-gone");
    await until(() => inputs.length > 0);
    expect(inputs).toEqual([{ tag: "closed", val: { request: request.id, why: "client" } }]);
  });

  test("that stalls when the reply is over fails for its reader; the connection continues if the client does", async () => {
    const { connect, nextRequest, reply, bodies } = await scriptedServer();
    const client = await connect();
    client.send(post(`Content-Type: application/x-tar\r\n${chunked}`, "3\r\nabc\r\n"));
    const request = await nextRequest();
    const reading = (async () => {
      for await (const _ of bodies.take(request.id));
    })();
    const failure = expect(reading).rejects.toMatchObject({ failure: { tag: "interrupted", val: "answered" } });
    reply(request.id, whole(500));
    expect((await client.response()).status).toBe(500);
    await failure;
    const more = "t".repeat(500_000);
    client.send(`${more.length.toString(16)}\r\n${more}\r\n0\r\n\r\nGET /next HTTP/1.1\r\nHost: d\r\n\r\n`);
    const next = await nextRequest();
    reply(next.id, whole(200, next.target));
    expect((await client.response()).text).toBe("/next");
  });

  test("whose chunk-size line has no end is refused", async () => {
    const { connect } = await scriptedServer();
    const client = await connect();
    client.send(post(`Content-Type: application/x-tar\r\n${chunked}`, `3;${"x".repeat(64)}`));
    expect((await client.response()).status).toBe(400);
  });

  test("of JSON that is cut off never becomes a request", async () => {
    const { connect, connections, requests, allRead } = await scriptedServer();
    const client = await connect();
    client.send(post(`${json}Content-Length: 100`, '{"half'));
    await allRead();
    client.close();
    await expect.poll(connections).toBe(0);
    expect(requests).toEqual([]);
  });
});

describe("a server that is drained", () => {
  test("cuts clients off that do not finish an answer, and lets others wait for theirs", async () => {
    const { server, connect, nextRequest, reply } = await scriptedServer();
    const [endless, late] = [await connect(), await connect()];
    endless.send("GET /events HTTP/1.1\r\nHost: d\r\n\r\n");
    const events = await nextRequest();
    late.send("GET /late HTTP/1.1\r\nHost: d\r\n\r\n");
    const { id } = await nextRequest();
    reply(events.id, { tag: "open", val: { status: 200, headers: "Content-Type: application/json" } });
    await server.drain(1);
    await expect(endless.response("GET")).rejects.toThrow();
    reply(id, whole(201));
    expect((await late.response("GET")).status).toBe(201);
  });

  test("and a driver whose command never ends are closed by one deadline, even if a client never reads", async () => {
    const { server, path, nextRequest, reply, connections } = await scriptedServer();
    const { driver, clock, request } = await openWorld(
      { step: (imports, input) => input.tag === "request" && unmount(imports, 1n, "c") },
      { content: () => new Promise(() => {}) },
    );
    request("/never-ends");
    const client = connect(path).on("error", () => {});
    client.write("GET /large HTTP/1.1\r\nHost: d\r\n\r\n");
    reply((await nextRequest()).id, whole(200, "x".repeat(8 << 20)));
    const since = clock.now().monotonic;
    await server.drain(1);
    expect(await connections()).toBe(0);
    const closed = driver.close(since);
    await settle();
    clock.advance(10_000_000_000n);
    await closed;
    await server.close();
    client.destroy();
  });

  test("and closed disconnects clients without an answer", async () => {
    const { server, connect, nextRequest } = await scriptedServer();
    const client = await connect();
    client.send("GET /x HTTP/1.1\r\nHost: d\r\n\r\n");
    await nextRequest();
    await server.drain(1);
    await server.close();
    await expect(client.response("GET")).rejects.toThrow();
  });
});
