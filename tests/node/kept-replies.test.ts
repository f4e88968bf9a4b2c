// Answers that a host may give again (`stateless` in replies.wit), as clients see them.

import { duplexPair } from "node:stream";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { KeptReplies, LONGEST_KEPT_HEAD } from "../../hosts/node/http/kept-replies.js";
import type { replies } from "../../hosts/shared/host.js";
import { markedChannel } from "../../hosts/dry-run/channels.js";
import type { Channel } from "../../hosts/request/exchange.js";
import { scriptedServer, until } from "./scripted-server.js";
import type { ScriptedServer } from "./scripted-server.js";

const PING = "GET /_ping HTTP/1.1\r\nHost: d\r\n\r\n";

describe("a stateless answer, as long as it is kept", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
  afterEach(() => void vi.useRealTimers());

  test("is given again to the same request, byte for byte, on any connection", async () => {
    const { connect, requests } = await counting();
    const [one, other] = [await connect(), await connect()];
    one.send(PING + PING);
    const first = await one.response();
    const again = await one.response();
    other.send(PING);
    expect([again.headers, again.text]).toEqual([first.headers, first.text]);
    expect((await other.response()).text).toBe("1");
    expect(requests.length).toBe(1);
  });

  test("is not given again once it may be another", async () => {
    const server = await counting();
    const client = await server.connect();
    client.send(PING);
    expect((await client.response()).text).toBe("1");
    server.changed();
    client.send(PING);
    expect((await client.response()).text).toBe("2");
  });

  test("is not kept if it may have become another since its request", async () => {
    const server = await scriptedServer();
    const client = await server.connect();
    for (const text of ["old", "new"]) {
      client.send(PING);
      const { id } = await server.nextRequest();
      if (text === "old") server.changed();
      server.reply(id, stateless(text));
      expect((await client.response()).text).toBe(text);
    }
  });

  test.each([
    ["another method", "HEAD /_ping HTTP/1.1\r\nHost: d\r\n\r\n"],
    ["another target", "GET /_pinG HTTP/1.1\r\nHost: d\r\n\r\n"],
    ["another header", "GET /_ping HTTP/1.1\r\nHost: d\r\nA: b\r\n\r\n"],
    ["other spelling", "GET /_ping HTTP/1.1\r\nhost: d\r\n\r\n"],
    ["another version of HTTP", "GET /_ping HTTP/1.0\r\nHost: d\r\n\r\n"],
    ["a wish to close", "GET /_ping HTTP/1.1\r\nHost: d\r\nConnection: close\r\n\r\n"],
    ["a body", "GET /_ping HTTP/1.1\r\nHost: d\r\nContent-Length: 2\r\n\r\n{}"],
  ])("is not given to a request with %s", async (_, other) => {
    const { connect, requests } = await counting();
    const client = await connect();
    client.send(PING + other);
    expect((await client.response()).text).toBe("1");
    const { status } = await client.response(other.slice(0, other.indexOf(" ")));
    expect([status, requests.length]).toEqual([200, 2]);
  });

  test.each([
    ["a wish to close", "GET /_ping HTTP/1.1\r\nHost: d\r\nConnection: close\r\n\r\n", true],
    ["a body", "GET /_ping HTTP/1.1\r\nHost: d\r\nContent-Length: 2\r\n\r\n{}", false],
    ["HTTP/1.0", "GET /_ping HTTP/1.0\r\nHost: d\r\n\r\n", true],
  ])("to a request with %s is not kept", async (_, request, closes) => {
    const { connect, requests } = await counting();
    const clients = [await connect(), await connect()];
    for (const client of clients) {
      client.send(request);
      await client.response();
      if (closes) expect((await client.rest()).length).toBe(0);
    }
    expect(requests.length).toBe(2);
  });

  test("is not given on another listener", async () => {
    const { connect, nextRequest, server } = await counting();
    const client = await connect();
    client.send(PING);
    await client.response();
    const [elsewhere, ours] = duplexPair();
    server.serve(ours, "unix:///other");
    elsewhere.write(PING);
    await nextRequest();
    expect((await nextRequest()).listener).toBe("unix:///other");
  });

  test("goes out before the client's own end of the connection is answered", async () => {
    const { connect } = await counting();
    const client = await connect();
    client.send(PING + PING);
    client.end();
    expect([(await client.response()).text, (await client.response()).text]).toEqual(["1", "1"]);
    expect((await client.rest()).length).toBe(0);
  });
});

describe("a stateless answer", () => {
  test("is asked for anew soon", async () => {
    const { connect, requests } = await counting();
    const client = await connect();
    for (let asked = 0; asked < 3;) {
      client.send(PING);
      const { text } = await client.response();
      expect([String(asked), String(asked + 1)]).toContain(text);
      asked = Number(text);
    }
    expect(requests.length).toBe(3);
  });

  test("does not wait in memory for a client that does not read", async () => {
    const { server, requests } = await counting("x".repeat(1000));
    const [client, ours] = duplexPair();
    server.serve(ours, "unix:///other");
    const pings = 1000;
    client.write(PING.repeat(pings));
    await until(() => ours.writableNeedDrain);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(ours.writableLength + client.readableLength).toBeLessThan(100_000);
    let received = "";
    client.on("data", (bytes: Buffer) => (received += bytes.toString()));
    await until(() => received.split("HTTP/1.1 200 OK").length === pings + 1);
    expect(requests.length).toBeLessThan(pings / 2);
  });
});

test("other answers are not given again", async () => {
  const { connect, requests } = await counting("", false);
  const client = await connect();
  client.send(PING + PING);
  expect([(await client.response()).text, (await client.response()).text]).toEqual(["1", "2"]);
  expect(requests.length).toBe(2);
});

test("an answer of a dry run is not called stateless", () => {
  const told: unknown[] = [];
  const client = { whole: (...all: unknown[]) => void told.push(...all) } as unknown as Channel;
  markedChannel(client).whole({ status: 200, headers: "" }, new Uint8Array(), true);
  expect(told[2]).toBe(false);
});

test("few replies are kept, and no large ones", () => {
  const kept = new KeptReplies(() => 0);
  const small = Buffer.from("reply");
  kept.keep("x".repeat(LONGEST_KEPT_HEAD + 1), small, 0);
  kept.keep("large", Buffer.alloc(4097), 0);
  for (let i = 0; i < 10_000; i++) kept.keep(String(i), small, 0);
  const found = Array.from({ length: 10_000 }, (_, i) => kept.find(String(i))).filter((reply) => reply !== undefined);
  expect(found.length).toBe(64);
  expect([kept.find("large"), kept.find("x".repeat(LONGEST_KEPT_HEAD + 1))]).toEqual([undefined, undefined]);
});

/** Answers each request with how many there were, and then this. */
async function counting(more = "", isStateless = true): Promise<ScriptedServer> {
  let asked = 0;
  return scriptedServer((_, reply) => reply(stateless(`${++asked}${more}`, isStateless)));
}

function stateless(text: string, isStateless = true): replies.ReplyCommand {
  const body = Buffer.from(text);
  return { tag: "whole", val: { head: { status: 200, headers: "" }, body, stateless: isStateless } };
}
