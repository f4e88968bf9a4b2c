// How `connect` handles an upgraded connection, with a core scripted by the test.

import { expect, test } from "vitest";
import { until, whole } from "../node/scripted-server.js";
import { MemoryLog, line } from "../streams/log-of.js";
import { hijack, open, scriptedEngine } from "./scripted-engine.js";
import { NO_STREAMS } from "../support/no-streams.js";

const text = (bytes: Uint8Array | undefined) => new TextDecoder().decode(bytes);
const bytes = (words: string) => new TextEncoder().encode(words);

test("it requests an upgrade, and has both directions", async () => {
  const { engine, log, stdin, requests } = await scriptedEngine((_request, reply) => reply(hijack("c")));
  log.append(line(1, "before"));
  const connection = await engine.connect("/containers/c/attach?stream=1", { method: "POST" });
  expect(requests[0]!.headers).toBe("Connection: Upgrade\nUpgrade: tcp");
  expect([connection.status, connection.refusal]).toEqual([101, null]);
  expect(connection.headers.get("content-type")).toBe("application/vnd.docker.raw-stream");
  const reader = connection.readable.getReader();
  expect(text((await reader.read()).value)).toBe("before\n");
  log.append(line(2, "after"));
  expect(text((await reader.read()).value)).toBe("after\n");
  const writer = connection.writable.getWriter();
  await writer.write(bytes("typed"));
  await writer.close();
  await until(() => stdin.text === "typed<end>");
});

test("it ends when the core ends it, with all output", async () => {
  const { engine, log, reply, requests } = await scriptedEngine((_request, reply) => reply(hijack("c")));
  const { readable, writable } = await engine.connect("/attach", { method: "POST" });
  log.append(line(1, "last words"));
  reply(requests[0]!.id, { tag: "end" });
  expect(await new Response(readable).text()).toBe("last words\n");
  await expect(writable.getWriter().write(bytes("too late"))).rejects.toThrow("closed");
});

test.each([
  ["whole", whole(404, '{"message":"no such container"}')],
  ["bare", { ...whole(404, '{"message":"no such container"}'), tag: "bare" } as never],
])("a refusal (%s) is reported with its body", async (_name, refusal) => {
  const { engine, inputs } = await scriptedEngine((_request, reply) => reply(refusal));
  const connection = await engine.connect("/attach", { method: "POST" });
  expect(connection.status).toBe(404);
  expect(JSON.parse(connection.refusal!)).toEqual({ message: "no such container" });
  expect((await connection.readable.getReader().read()).done).toBe(true);
  expect(inputs).toEqual([]);
});

test("a request without an upgrade is refused, and the core learns that its client is gone", async () => {
  const { engine, inputs, requests } = await scriptedEngine((_request, reply) => reply(open()));
  await expect(engine.connect("/events")).rejects.toThrow("use `fetch`");
  expect(inputs).toEqual([{ tag: "closed", val: { request: requests[0]!.id, why: "client" } }]);
});

test.each([
  ["cancels its side", (connection: { readable: ReadableStream }) => connection.readable.cancel()],
  ["aborts its side", (connection: { writable: WritableStream }) => connection.writable.abort()],
])("a program that %s counts as a client that left", async (_name, leave) => {
  const { engine, inputs, requests, stdin } = await scriptedEngine((_request, reply) => reply(hijack("c")));
  await leave(await engine.connect("/attach", { method: "POST" }));
  await until(() => inputs.length > 0);
  expect(inputs).toEqual([{ tag: "closed", val: { request: requests[0]!.id, why: "client" } }]);
  // The input ends when the client leaves, as when a socket is closed.
  expect(stdin.text).toBe("<end><released>");
});

test("neither waits for a process that does not read, and nothing can be sent afterwards", async () => {
  const deaf = { write: () => new Promise<void>(() => {}), end: () => {}, release: () => {} };
  for (const leave of ["cancel", "abort"] as const) {
    const stdio = { log: async () => new MemoryLog(), stdin: () => deaf, ...NO_STREAMS };
    const { engine, inputs } = await scriptedEngine((_, reply) => reply(hijack("c")), {}, { replies: stdio });
    const { readable, writable } = await engine.connect("/attach", { method: "POST" });
    const writer = writable.getWriter();
    writer.closed.catch(() => {});
    await writer.write(bytes("taken, and held"));
    const waiting = writer.write(bytes("never taken"));
    waiting.catch(() => {});
    await (leave === "abort" ? writer.abort() : readable.cancel());
    await expect(waiting).rejects.toThrow();
    await expect(writer.write(bytes("too late"))).rejects.toThrow();
    await until(() => inputs.length > 0);
    expect(inputs).toMatchObject([{ tag: "closed", val: { why: "client" } }]);
  }
});

test("an abort signal cuts it off", async () => {
  const { engine, inputs, requests } = await scriptedEngine((_request, reply) => reply(hijack("c")));
  const leaving = new AbortController();
  const { readable } = await engine.connect("/attach", { method: "POST", signal: leaving.signal });
  leaving.abort();
  await expect(readable.getReader().read()).rejects.toMatchObject({ name: "AbortError" });
  expect(inputs).toEqual([{ tag: "closed", val: { request: requests[0]!.id, why: "client" } }]);
});

test("through `fetch` an attach has only its output", async () => {
  const { engine, log, reply, requests, stdin } = await scriptedEngine((_request, reply) => reply(hijack("c", 200)));
  log.append(line(1, "out"));
  const response = await engine.fetch("/attach", { method: "POST" });
  reply(requests[0]!.id, { tag: "end" });
  expect(await response.text()).toBe("out\n");
  expect(stdin.text).toBe("<released>");
});
