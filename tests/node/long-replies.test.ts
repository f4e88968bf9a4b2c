// Long replies on the socket: their bodies are not copied, and a client that does not read one gets no other.

import { Duplex } from "node:stream";
import { connect as connectSocket } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { PlainResponse } from "../../hosts/node/http/plain-response.js";
import { scriptedServer, whole } from "./scripted-server.js";

const GET = "GET /x HTTP/1.1\r\nHost: d\r\n\r\n";
const HEAD = { status: 200, headers: "Content-Type: application/json" };
/** Up to this size, bodies are copied behind their heads. */
const JOINED = 8 * 1024;

/** What a response gives to its socket, write by write, and to whom it tells how much. */
function answered(body: Buffer, method = "GET"): { writes: Buffer[][]; passed: number[]; finished: boolean } {
  const answer = { writes: [] as Buffer[][], passed: [] as number[], finished: false };
  const socket = new Duplex({
    write: (chunk: Buffer, _, done) => (answer.writes.push([chunk]), done()),
    writev: (chunks, done) => (answer.writes.push(chunks.map(({ chunk }) => chunk as Buffer)), done()),
    read: () => {},
  });
  const response = new PlainResponse(
    socket,
    method,
    () => {},
    (bytes) => void answer.passed.push(bytes),
  );
  const lost = (): never => {
    throw new Error("the socket is open");
  };
  response.onEnd(() => (answer.finished = true), lost);
  response.whole(HEAD, body, false);
  expect(response.ended).toBe(true);
  return answer;
}

test("a long body goes out with its head and its end in one write, and is not copied", () => {
  const body = Buffer.alloc(JOINED + 1, "x");
  const { writes, passed, finished } = answered(body);
  expect(writes).toHaveLength(1);
  const [before, sent, after] = writes[0]!;
  expect(sent!.buffer).toBe(body.buffer);
  expect(before!.toString()).toMatch(/^HTTP\/1\.1 200 OK\r\n.*\r\nTransfer-Encoding: chunked\r\n\r\n2001\r\n$/s);
  expect(after!.toString()).toBe("\r\n0\r\n\r\n");
  expect([passed, finished]).toEqual([[body.length], true]);
});

test("a shorter one goes out as one piece, and none to HEAD", () => {
  const short = answered(Buffer.alloc(JOINED, "x"));
  expect([short.writes.map((buffers) => buffers.length), short.passed]).toEqual([[1], []]);
  const none = answered(Buffer.alloc(JOINED + 1, "x"), "HEAD");
  expect([none.writes.length, none.passed]).toEqual([1, []]);
  expect(none.writes[0]![0]!.toString()).toMatch(/\r\n\r\n$/);
});

test.each([JOINED + 1, 20_000, 300_000])(
  "requests sent together get their replies of %i bytes in order",
  async (size) => {
    let count = 0;
    const { connect } = await scriptedServer((_, reply) => reply(whole(200, String(count++).padStart(size, "x"))));
    const client = await connect();
    client.send(GET.repeat(3));
    for (const last of ["x0", "x1", "x2"]) {
      const { text, header } = await client.response();
      expect([text.length, text.slice(-2), header("transfer-encoding")]).toEqual([size, last, "chunked"]);
    }
  },
);

test("the next request of a client that does not read a long reply waits", async () => {
  const { path, requests } = await scriptedServer((_, reply) => reply(whole(200, "x".repeat(8 << 20))));
  const deaf = connectSocket(path);
  onTestFinished(() => void deaf.destroy());
  deaf.pause();
  deaf.write(GET.repeat(2));
  await expect.poll(() => requests.length).toBe(1);
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(requests.length).toBe(1);
  deaf.resume();
  await expect.poll(() => requests.length).toBe(2);
});
