// Upgraded connections on the daemon's socket.

import { describe, expect, test } from "vitest";
import type { replies } from "../../hosts/shared/host.js";
import { line } from "../streams/log-of.js";
import { scriptedServer, until, whole } from "./scripted-server.js";

const RAW = "Content-Type: application/vnd.docker.raw-stream";

function hijack(more: Partial<replies.Hijack> = {}): replies.ReplyCommand {
  return {
    tag: "hijack",
    val: {
      head: { status: 200, headers: RAW },
      stdio: { tag: "run", val: { container: "c", run: 1, history: false, ended: false, live: true } },
      stdin: true,
      stdout: true,
      stderr: true,
      framing: "raw",
      keepAfterInput: true,
      detachKeys: new Uint8Array(),
      ...more,
    },
  };
}

const UPGRADED = hijack({ head: { status: 101, headers: `${RAW}\nConnection: Upgrade\nUpgrade: tcp` } });
const ATTACH = "POST /containers/c/attach?stream=1 HTTP/1.1\r\nHost: d\r\n";
const WITH_UPGRADE = `${ATTACH}Connection: Upgrade\r\nUpgrade: tcp\r\nContent-Length: 0\r\n\r\n`;
const WITH_BODY = `${ATTACH}Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{}`;
/** Goes through Node's server. */
const WITH_CHUNKS = `${ATTACH}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n`;

async function attach(sent: string, command: replies.ReplyCommand) {
  const server = await scriptedServer();
  const client = await server.connect();
  client.send(sent);
  const request = await server.nextRequest();
  server.reply(request.id, command);
  return { ...server, client, request, head: await client.head() };
}

describe("attach", () => {
  test("with Upgrade is answered 101 with the core's headers and no others", async () => {
    const { head, client, log, stdin } = await attach(WITH_UPGRADE, UPGRADED);
    expect([head.status, head.reason]).toEqual([101, "UPGRADED"]);
    expect(head.headers.map(([name, value]) => `${name}: ${value}`)).toEqual([
      RAW,
      "Connection: Upgrade",
      "Upgrade: tcp",
    ]);
    client.send("input");
    await until(() => stdin.text === "input");
    log.append(line(1, "output"));
    expect((await client.exactly(7)).toString()).toBe("output\n");
  });

  test("input that a client sent before it left is read, even if output is on its way to it", async () => {
    const { client, log, stdin, inputs, request } = await attach(WITH_UPGRADE, UPGRADED);
    client.send("input");
    client.close();
    log.append(line(1, "output"));
    await until(() => inputs.length > 0);
    await until(() => stdin.text.startsWith("input"));
    expect(inputs).toEqual([{ tag: "closed", val: { request: request.id, why: "client" } }]);
  });

  test.each([
    ["a JSON body", WITH_BODY],
    ["one in chunks", WITH_CHUNKS],
  ])(
    "without Upgrade, after %s: the bytes after the body are stdin, even if they look like a request",
    async (_, sent) => {
      const early = "GET /_ping HTTP/1.1\r\nHost: d\r\n\r\n";
      const { head, request, stdin, requests, client, log } = await attach(sent + early, hijack());
      expect([head.status, head.reason, head.headers]).toEqual([200, "OK", [["Content-Type", RAW.slice(14)]]]);
      expect(Buffer.from((request.body as { val: Uint8Array }).val).toString()).toBe("{}");
      await until(() => stdin.text === early);
      client.send("more");
      await until(() => stdin.text === `${early}more`);
      expect(requests).toHaveLength(1);
      log.append(line(1, "output"));
      expect((await client.exactly(7)).toString()).toBe("output\n");
    },
  );

  test.each([WITH_BODY, WITH_CHUNKS])("on a kept-alive connection works as on a fresh one: %j", async (sent) => {
    const { connect, nextRequest, reply, stdin } = await scriptedServer();
    const client = await connect();
    client.send("GET /x HTTP/1.1\r\nHost: d\r\n\r\n");
    reply((await nextRequest()).id, whole(200, "first"));
    expect((await client.response()).text).toBe("first");
    client.send(sent);
    reply((await nextRequest()).id, hijack());
    await client.head();
    client.send("typed");
    await until(() => stdin.text === "typed");
  });

  test("that the core refuses is answered like any other request, with Upgrade or without", async () => {
    for (const sent of [WITH_UPGRADE, WITH_BODY, WITH_CHUNKS]) {
      const { connect } = await scriptedServer((_, reply) => reply(whole(404, "no such container")));
      const client = await connect();
      client.send(sent);
      expect(await client.response()).toMatchObject({ status: 404, text: "no such container" });
      client.send("GET /x HTTP/1.1\r\nHost: d\r\n\r\n");
      expect((await client.response()).status).toBe(404);
    }
  });

  test("ends when the core ends it, after the last output; the client sees our side closed", async () => {
    const { client, log, reply, request, inputs } = await attach(WITH_UPGRADE, UPGRADED);
    log.append(line(1, "last words"));
    reply(request.id, { tag: "end" });
    expect((await client.rest()).toString()).toBe("last words\n");
    expect(inputs).toEqual([]);
    expect([log.closed, log.watchers]).toEqual([1, 0]);
  });

  test("keeps its output when the client closes its side of a stream that outlives it", async () => {
    const { client, log, stdin, reply, request } = await attach(WITH_UPGRADE, UPGRADED);
    client.send("in");
    client.end();
    await until(() => stdin.text === "in<end>");
    log.append(line(1, "out"));
    reply(request.id, { tag: "end" });
    expect((await client.rest()).toString()).toBe("out\n");
  });

  test("is over when the client closes its side of a stream that ends with it", async () => {
    const { client, inputs, request } = await attach(WITH_UPGRADE, hijack({ keepAfterInput: false }));
    client.end();
    expect((await client.rest()).length).toBe(0);
    expect(inputs).toEqual([{ tag: "closed", val: { request: request.id, why: "input-ended" } }]);
  });

  test("is over when the client types the detach keys", async () => {
    const { client, stdin, inputs, request } = await attach(
      WITH_UPGRADE,
      hijack({ detachKeys: new Uint8Array([16, 17]) }),
    );
    client.send("ls\x10\x11");
    expect((await client.rest()).length).toBe(0);
    expect(stdin.text).toBe("ls<released>");
    expect(inputs).toEqual([{ tag: "closed", val: { request: request.id, why: "detached" } }]);
  });

  test("is over when the client is gone and there is something to send", async () => {
    const { client, log, inputs, request } = await attach(WITH_UPGRADE, UPGRADED);
    client.close();
    await until(() => {
      log.append(line(1, "anyone?"));
      return inputs.length > 0;
    });
    expect(inputs).toEqual([{ tag: "closed", val: { request: request.id, why: "client" } }]);
    await until(() => log.closed === 1);
  });
});

test("a client attached to an exec that could not be started gets the core's message", async () => {
  const { client, reply, request, head } = await attach(WITH_UPGRADE, hijack({ stdio: { tag: "exec", val: "e" } }));
  expect(head.status).toBe(200);
  reply(request.id, { tag: "chunk", val: new TextEncoder().encode("it does not run\r\n") });
  reply(request.id, { tag: "end" });
  expect((await client.rest()).toString()).toBe("it does not run\r\n");
});
