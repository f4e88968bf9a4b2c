// How `fetch` handles requests and replies, with a core scripted by the test.

import { describe, expect, onTestFinished, test, vi } from "vitest";
import type { EmbeddedEngine } from "../../hosts/embedding/embedded-engine.js";
import { until, whole } from "../node/scripted-server.js";
import { line } from "../streams/log-of.js";
import { HEAD, chunk, logsOf, open, scriptedEngine } from "./scripted-engine.js";

describe("requests", () => {
  test("a path, a URL and a Request are equivalent", async () => {
    const { engine, requests } = await scriptedEngine((_request, reply) => reply(whole(200)));
    await engine.fetch("/v1.51/info?a=b%20c");
    await engine.fetch(new URL("http://anything/v1.51/info?a=b%20c"));
    await engine.fetch(new Request("http://anything:80/v1.51/info?a=b%20c#part"));
    expect(requests.map(({ method, target }) => `${method} ${target}`)).toEqual(
      Array(3).fill("GET /v1.51/info?a=b%20c"),
    );
  });

  test("headers arrive as lines, without those of a connection", async () => {
    const { engine, requests } = await scriptedEngine((_request, reply) => reply(whole(200)));
    await engine.fetch("/info", { headers: { "X-Registry-Auth": "e30=", Connection: "Upgrade", Upgrade: "tcp" } });
    expect(requests[0]!.headers).toBe("x-registry-auth: e30=");
  });

  test("an available body is sent before fetch returns", async () => {
    const { engine, requests } = await scriptedEngine((_request, reply) => reply(whole(200)));
    const answers = [
      engine.fetch("/info"),
      engine.fetch("/a", { method: "post", body: "text" }),
      engine.fetch("/b", { method: "POST", body: new Uint8Array([1, 2]) }),
    ];
    expect(requests.map(({ method, body }) => [method, body])).toEqual([
      ["GET", { tag: "none" }],
      ["POST", { tag: "whole", val: new TextEncoder().encode("text") }],
      ["POST", { tag: "whole", val: new Uint8Array([1, 2]) }],
    ]);
    await Promise.all(answers);
  });

  test("a text has fetch's default type, unless one is given", async () => {
    const { engine, requests } = await scriptedEngine((_request, reply) => reply(whole(200)));
    await engine.fetch("/a", { method: "POST", body: "{}" });
    await engine.fetch("/a", { method: "POST", body: "{}", headers: { "Content-Type": "application/json" } });
    expect(requests.map(({ headers }) => headers)).toEqual([
      "content-type: text/plain;charset=UTF-8",
      "content-type: application/json",
    ]);
  });

  test("a short body of a Request arrives as bytes, a long one as a stream", async () => {
    const world = await scriptedEngine((_request, reply) => reply(whole(200)));
    const { engine, requests } = world;
    await engine.fetch(new Request("http://e/a", { method: "POST", body: "short" }));
    expect(requests[0]!.body).toEqual({ tag: "whole", val: new TextEncoder().encode("short") });
    await engine.fetch(new Request("http://e/a", { method: "POST", body: new Uint8Array(70_000) }));
    expect(requests[1]!.body).toEqual({ tag: "stream" });
  });

  test("a request with a stream is sent at once, and the stream is read at the host's speed", async () => {
    const world = await scriptedEngine();
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
    const answer = world.engine.fetch("/load", { method: "POST", body: readable });
    const { id, body } = world.requests[0]!;
    expect(body).toEqual({ tag: "stream" });
    const taken = world.bodies.take(id)[Symbol.asyncIterator]();
    const writer = writable.getWriter();
    void writer.write(new Uint8Array([7]));
    expect((await taken.next()).value).toEqual(new Uint8Array([7]));
    void writer.close();
    expect((await taken.next()).done).toBe(true);
    world.reply(id, whole(200));
    expect((await answer).status).toBe(200);
  });

  test("a stream that is unread at the end of the reply is cancelled, and fails for its reader", async () => {
    const world = await scriptedEngine();
    let cancelled = false;
    const body = new ReadableStream<Uint8Array>({ cancel: () => void (cancelled = true) });
    const answer = world.engine.fetch("/load", { method: "POST", body });
    const { id } = world.requests[0]!;
    const reading = world.bodies.take(id)[Symbol.asyncIterator]().next();
    reading.catch(() => {});
    world.reply(id, whole(500));
    expect((await answer).status).toBe(500);
    await expect(reading).rejects.toMatchObject({ failure: { tag: "interrupted", val: "answered" } });
    expect(cancelled).toBe(true);
  });

  test.each([
    ["of known length", () => "x".repeat(101)],
    ["of unknown length", () => new Blob(["x".repeat(101)]).stream()],
  ])("JSON beyond the limit, %s, is reported without its bytes", async (_name, body) => {
    const { engine, requests } = await scriptedEngine((_request, reply) => reply(whole(413)), { bodyLimit: 100 });
    const headers = { "Content-Type": "application/json; charset=utf-8" };
    const { status } = await engine.fetch("/a", { method: "POST", body: body(), headers });
    expect(requests[0]!.body).toEqual({ tag: "oversized" });
    expect(status).toBe(413);
  });

  test("GET has no body, and a method must be a token", async () => {
    const { engine, requests } = await scriptedEngine();
    await expect(engine.fetch("/a", { method: "GET", body: "x" })).rejects.toThrow(TypeError);
    await expect(engine.fetch("/a", { method: "A B" })).rejects.toThrow(TypeError);
    expect(requests).toEqual([]);
  });

  test("a stream with another reader is refused, and leaves nothing behind", async () => {
    const { engine, requests } = await scriptedEngine();
    const read = new ReadableStream<Uint8Array>({});
    read.getReader();
    const request = new Request("http://e/a", { method: "POST", body: "x" });
    request.body!.getReader();
    await expect(engine.fetch("/a", { method: "POST", body: read })).rejects.toThrow("locked");
    await expect(engine.fetch(request)).rejects.toThrow(TypeError);
    expect(requests).toEqual([]);
    // If an answer were still pending, it would poll again and again.
    const waits = vi.spyOn(globalThis, "setTimeout");
    onTestFinished(() => waits.mockRestore());
    await engine.close();
    expect(waits).toHaveBeenCalledTimes(1);
  });

  test("the body of one that is refused before it is sent is cancelled", async () => {
    const { engine } = await scriptedEngine();
    const cancelled: string[] = [];
    const body = (name: string) => new ReadableStream<Uint8Array>({ cancel: () => void cancelled.push(name) });
    const signal = AbortSignal.abort(new Error("enough"));
    await expect(engine.fetch("/a", { method: "POST", body: body("aborted"), signal })).rejects.toThrow("enough");
    engine.crash();
    await expect(engine.fetch("/a", { method: "POST", body: body("down") })).rejects.toThrow("down");
    expect(cancelled).toEqual(["aborted", "down"]);
  });

  test("one that is aborted while its body is read never reaches the core", async () => {
    const { engine, requests } = await scriptedEngine();
    const aborting = new AbortController();
    const body = new ReadableStream<Uint8Array>({});
    const headers = { "Content-Type": "application/json" };
    const answer = engine.fetch("/a", { method: "POST", body, headers, signal: aborting.signal });
    aborting.abort(new Error("enough"));
    await expect(answer).rejects.toThrow("enough");
    await expect(engine.fetch("/a", { signal: aborting.signal })).rejects.toThrow("enough");
    expect(requests).toEqual([]);
  });
});

describe("replies", () => {
  test("a whole one has status, headers, the body and its length", async () => {
    const { engine } = await scriptedEngine((_request, reply) => reply(whole(404, '{"message":"no"}')));
    const response = await engine.fetch("/a");
    expect(response.status).toBe(404);
    expect(response.headers.get("content-type")).toBe("application/json");
    expect(response.headers.get("content-length")).toBe("16");
    expect(await response.json()).toEqual({ message: "no" });
  });

  test.each([204, 304])("%i has no body", async (status) => {
    const { engine } = await scriptedEngine((_request, reply) => reply(whole(status, "", "")));
    const response = await engine.fetch("/a", { method: "POST" });
    expect([response.status, response.body, response.headers.get("content-length")]).toEqual([status, null, null]);
  });

  test("HEAD has none either", async () => {
    const { engine, inputs } = await scriptedEngine((request, reply) => {
      if (request.target === "/whole") return reply(whole(200, "OK"));
      [open(), chunk("x".repeat(20_000)), { tag: "end" } as const].forEach(reply);
    });
    expect((await engine.fetch("/whole", { method: "HEAD" })).body).toBe(null);
    expect((await engine.fetch("/stream", { method: "HEAD" })).body).toBe(null);
    expect(inputs).toEqual([{ tag: "drained", val: { request: expect.anything(), bytes: 20_000 } }]);
  });

  test("a streamed one returns credit as it is read, and not before", async () => {
    const { engine, inputs, reply, requests } = await scriptedEngine((_request, reply) => reply(open()));
    const response = await engine.fetch("/events");
    const { id } = requests[0]!;
    const long = "1".repeat(20_000);
    reply(id, chunk(long));
    reply(id, chunk("two"));
    await new Promise((resolve) => setTimeout(resolve));
    expect(inputs).toEqual([]);
    const reader = response.body!.getReader();
    expect(new TextDecoder().decode((await reader.read()).value)).toBe(long);
    expect(inputs).toEqual([{ tag: "drained", val: { request: id, bytes: long.length } }]);
    expect(new TextDecoder().decode((await reader.read()).value)).toBe("two");
    reply(id, { tag: "end" });
    expect((await reader.read()).done).toBe(true);
  });

  test("a reader that leaves counts as a client that left", async () => {
    const { engine, inputs, requests } = await scriptedEngine((_request, reply) => reply(open()));
    const response = await engine.fetch("/events");
    await response.body!.cancel();
    expect(inputs).toEqual([{ tag: "closed", val: { request: requests[0]!.id, why: "client" } }]);
  });

  test("so does one whose signal aborts, before the head and after it", async () => {
    const { engine, inputs, reply, requests } = await scriptedEngine();
    const first = new AbortController();
    const waiting = engine.fetch("/wait", { signal: first.signal });
    first.abort();
    await expect(waiting).rejects.toMatchObject({ name: "AbortError" });
    const second = new AbortController();
    const answered = engine.fetch("/wait", { signal: second.signal });
    reply(requests[1]!.id, open());
    const { body } = await answered;
    second.abort();
    await expect(body!.getReader().read()).rejects.toMatchObject({ name: "AbortError" });
    expect(inputs).toEqual(requests.map(({ id }) => ({ tag: "closed", val: { request: id, why: "client" } })));
  });

  test("one that is cut off fails, before its head and after it", async () => {
    const { engine, reply, requests } = await scriptedEngine();
    const { replies } = (engine as EmbeddedEngine).assembled;
    const waiting = engine.fetch("/a");
    replies.perform(requests[0]!.id, { tag: "cut" });
    await expect(waiting).rejects.toThrow(TypeError);
    const answered = engine.fetch("/a");
    reply(requests[1]!.id, open());
    reply(requests[1]!.id, chunk("half"));
    const text = (await answered).text();
    text.catch(() => {});
    replies.perform(requests[1]!.id, { tag: "cut" });
    await expect(text).rejects.toThrow(TypeError);
  });

  test("a log is moved without the core, up to the end that the core sets", async () => {
    const { engine, log, reply, requests, inputs } = await scriptedEngine((_request, reply) => {
      reply(open());
      reply(logsOf("c", true));
    });
    log.append(line(1, "one"));
    const response = await engine.fetch("/logs");
    const reader = response.body!.getReader();
    expect(new TextDecoder().decode((await reader.read()).value)).toBe("one\n");
    log.append(line(2, "two"));
    expect(new TextDecoder().decode((await reader.read()).value)).toBe("two\n");
    reply(requests[0]!.id, { tag: "end" });
    expect((await reader.read()).done).toBe(true);
    expect(inputs).toEqual([]);
    await until(() => log.closed === 1);
  });

  test("the end of a log is reported to the core", async () => {
    const { engine, log, requests, inputs } = await scriptedEngine((_request, reply) => {
      reply(open());
      reply(logsOf("c", false));
    });
    log.append(line(1, "one"));
    expect(await (await engine.fetch("/logs")).text()).toBe("one\n");
    expect(inputs).toEqual([{ tag: "closed", val: { request: requests[0]!.id, why: "source-ended" } }]);
  });
});

test("a body is read as it was written, even if its bytes are reused", async () => {
  const bytes = new Uint8Array([65]);
  const { engine } = await scriptedEngine((_request, reply) => {
    reply({ tag: "open", val: HEAD });
    reply({ tag: "chunk", val: bytes });
    reply({ tag: "end" });
  });
  expect(await (await engine.fetch("/a")).text()).toBe("A");
});
