// Lines of request heads that end in LF alone, which Go's server accepts; no head may have two readings.
// `CORACLE_TEST_HEADS` sets how many random heads are tried, `CORACLE_TEST_HEADS_SEED` the seed, which a run prints.

import { describe, expect, test } from "vitest";
import type { engine } from "../../hosts/shared/host.js";
import { randomFrom } from "../support/random.js";
import { scriptedServer, whole } from "./scripted-server.js";

const SEED = Number(process.env["CORACLE_TEST_HEADS_SEED"] ?? Date.now() % 1_000_000);
const COUNT = Number(process.env["CORACLE_TEST_HEADS"] ?? 300);
const random = randomFrom(SEED);
const oneOf = <Item>(items: readonly Item[]): Item => items[random(items.length)]!;

describe("a head whose lines end in LF alone", () => {
  test.each([
    ["all of them", "GET /a HTTP/1.1\nHost: d\nX-A: 1\n\n"],
    ["the first", "GET /a HTTP/1.1\nHost: d\r\nX-A: 1\r\n\r\n"],
    ["the others", "GET /a HTTP/1.1\r\nHost: d\nX-A: 1\n\r\n"],
    ["the empty one", "GET /a HTTP/1.1\r\nHost: d\r\nX-A: 1\r\n\n"],
    ["empty ones before it", "\n\r\n\nGET /a HTTP/1.1\r\nHost: d\r\nX-A: 1\r\n\r\n"],
  ])("%s: is answered, in however many pieces", async (_which, head) => {
    const { connect, nextRequest } = await scriptedServer((request, reply) => reply(whole(200, request.target)));
    for (const step of [head.length, 1]) {
      const client = await connect();
      for (let at = 0; at < head.length; at += step) client.send(head.slice(at, at + step));
      client.send("GET /next HTTP/1.1\r\nHost: d\r\n\r\n");
      expect(await nextRequest()).toMatchObject({ target: "/a", headers: "Host: d\nX-A: 1" });
      expect((await client.response()).text).toBe("/a");
      expect((await client.response()).text).toBe("/next");
      await nextRequest();
    }
  });

  test.each(["Content-Length: 4", "Transfer-Encoding: chunked"])("with a body: %s", async (framing) => {
    const { connect, nextRequest } = await scriptedServer((request, reply) => reply(whole(200, request.target)));
    const client = await connect();
    const sent = framing.startsWith("C") ? "{  }" : "4\r\n{  }\r\n0\r\n\r\n";
    client.send(`POST /a HTTP/1.1\nHost: d\nContent-Type: application/json\n${framing}\n\n${sent}`);
    const { headers, body } = await nextRequest();
    expect(headers).toBe(`Host: d\nContent-Type: application/json\n${framing}`);
    expect(Buffer.from((body as { val: Uint8Array }).val).toString()).toBe("{  }");
    expect((await client.response()).text).toBe("/a");
  });
});

test(
  "with any line ends, a head is refused or has one reading: no body becomes a request",
  { timeout: 60_000 },
  async () => {
    console.log(`heads: seed ${SEED}`);
    const { connect, requests } = await scriptedServer((request, reply) => {
      if (request.body.tag !== "stream") reply(whole(200, request.target));
    });
    const outcomes = { answered: 0, refused: 0 };
    for (let round = 0; round < COUNT; round += 1) {
      const from = requests.length;
      const { sent, body } = madeUp();
      const client = await connect();
      client.send(sent);
      client.send("GET /last HTTP/1.1\r\nHost: d\r\nConnection: close\r\n\r\n");
      const answer = (await client.rest().catch(() => Buffer.alloc(0))).toString("latin1");
      client.close();
      const seen = requests.slice(from);
      const told = JSON.stringify([sent, answer, seen.map(({ target, headers }) => [target, headers])]);
      if (seen.length === 0) {
        expect(answer, told).toMatch(/^$|^HTTP\/1\.1 (?:4\d\d|505) /);
        outcomes.refused += 1;
        continue;
      }
      // A request that Node refuses behind the gate has not reached the core.
      expect([told, ...seen.map(({ target }) => target)]).toEqual([told, "/first", "/last"].slice(0, seen.length + 1));
      expect([told, textOf(seen[0]!)]).toEqual([told, body]);
      outcomes.answered += 1;
    }
    expect(Math.min(outcomes.answered, outcomes.refused)).toBeGreaterThan(COUNT / 20);
  },
);

function textOf({ body }: engine.Request): string {
  return body.tag === "whole" ? Buffer.from(body.val).toString("latin1") : body.tag;
}

/** A request whose body would be a second request for a parser that ends the head elsewhere. */
function madeUp(): { sent: string; body: string } {
  const body = `${oneOf(["", "x", "\n", "\r\n", "\n\n"])}GET /smuggled HTTP/1.1\r\nHost: d\r\n\r\n`;
  const isChunked = random(3) === 0;
  const lines = [
    "POST /first HTTP/1.1",
    "Host: d",
    "Content-Type: application/json",
    isChunked ? "Transfer-Encoding: chunked" : `Content-Length: ${body.length}`,
  ];
  for (let more = random(3); more > 0; more -= 1) lines.splice(1 + random(lines.length), 0, oneOf(ODD));
  const ends =
    random(2) === 0
      ? ["\r\n", "\n"]
      : ["\r\n", "\r\n", "\r\n", "\n", "\n", "\r", "\n\r", "\r\r\n", " \n", "\t\r\n", "\0\n", "\v"];
  const whole = lines.map((line) => line + oneOf(ends)).join("");
  // An empty line ends a head, so what follows is not part of it.
  if (/\n\r?\n/.test(whole)) return madeUp();
  const head = whole + oneOf(["\r\n", "\n"]);
  // Nor is it a body whose first line completes an unfinished head.
  if (!/\n\r?\n$/.test(head) && /^\r?\n/.test(body)) return madeUp();
  return { sent: head + (isChunked ? `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n` : body), body };
}

const ODD = [
  "X-A: 1",
  "X-A:",
  "X-A: a\rContent-Length: 0",
  "X-A: Content-Length: 0",
  " Content-Length: 0",
  "Content-Length : 0",
  "Content-Length: 0",
  "Content-Length: 1",
  "Content-Length: +1",
  "Content-Length:\t",
  "Transfer-Encoding: identity",
  "Transfer-Encoding: chunked, identity",
  "Transfer-Encoding:\vchunked",
  "transfer-encoding : chunked",
  "Connection: Content-Length",
  "Expect: 200-ok",
  "\u00ff: 1",
  "X-A: \u00fc\u00a0",
  ":",
  "",
];
