// The large buffers of forwarded connections: that a port leaves others their share, who gives them back when, and that
// all bytes arrive in their order.

import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createConnection, createServer, type AddressInfo, type Socket } from "node:net";
import { Writable } from "node:stream";
import { expect, test } from "vitest";
import { Buffers, Way } from "../../../../runtime-linux/networks/forward/way.js";
import { until } from "../../../support/commands.js";

test("one port has half of the buffers at most, and another one the rest", () => {
  const all = new Buffers(4);
  const [one, other] = [all.share(), all.share()];
  const taken = [one.take(), one.take()];
  expect(new Set(taken).size).toBe(2);
  expect(taken).not.toContain(undefined);
  expect(one.take()).toBeUndefined();
  const others = [other.take(), other.take()];
  expect(new Set([...taken, ...others]).size).toBe(4);
  expect(others).not.toContain(undefined);
  one.give(taken[0]!);
  expect(other.take()).toBeUndefined();
  expect(one.take()).toBe(taken[0]);
  expect(all.take()).toBeUndefined();
});

test("a quiet connection holds no buffer, however fast it was", async () => {
  const { buffers, sender, receiver, close } = await connection();
  const sent = randomBytes(1 << 20);
  const received: Buffer[] = [];
  receiver.on("data", (bytes: Buffer) => received.push(bytes));
  sender.write(sent);
  await until("all to arrive", () => lengthOf(received) === sent.length);
  expect(Buffer.concat(received).equals(sent)).toBe(true);
  expect(buffers.lent).toBeGreaterThan(0);
  expect(buffers.isFree).toBe(true);
  sender.end();
  const answer = once(sender, "data");
  receiver.write("still here");
  expect(String(await answer)).toBe("still here");
  close();
});

test("one whose receiver does not read holds one until its bytes are written, or the receiver is gone", async () => {
  for (const isGone of [false, true]) {
    const { buffers, sender, receiver, close } = await connection();
    receiver.pause();
    const sent = Buffer.alloc(16 << 20, "x");
    sender.write(sent);
    await until("the buffer to be held", () => !buffers.isFree);
    if (isGone) receiver.destroy();
    else receiver.resume();
    await until("the buffer to be free", () => buffers.isFree && (isGone || sender.writableLength === 0));
    close();
  }
});

test("one that waits with a full small buffer, and nothing behind it, holds no large one", async () => {
  const buffers = new One();
  const [from, sender] = await pair(new Way(buffers));
  const stuck = new Writable({ highWaterMark: 1 << 20, write: () => {}, writev: () => {} });
  from.way.join(from.socket, stuck as Socket);
  sender.write(Buffer.alloc(2048));
  await until("it to wait", () => stuck.writableLength === 2048);
  expect([buffers.lent, buffers.isFree]).toEqual([1, true]);
  for (const socket of [from.socket, sender, stuck]) socket.destroy();
});

test("without a large buffer all bytes arrive, too", async () => {
  const { buffers, sender, receiver, close } = await connection();
  expect(buffers.take()).toBeDefined();
  const sent = randomBytes(1 << 20);
  const received: Buffer[] = [];
  receiver.on("data", (bytes: Buffer) => received.push(bytes));
  sender.end(sent);
  await once(receiver, "end");
  expect(Buffer.concat(received).equals(sent)).toBe(true);
  close();
});

/** One buffer, and how often it was lent. */
class One extends Buffers {
  lent = 0;

  constructor() {
    super(1);
  }

  override take(): Buffer | undefined {
    this.lent++;
    return super.take();
  }

  get isFree(): boolean {
    const buffer = super.take();
    if (buffer !== undefined) this.give(buffer);
    return buffer !== undefined;
  }
}

function lengthOf(pieces: readonly Buffer[]): number {
  return pieces.reduce((sum, { length }) => sum + length, 0);
}

/** What `sender` sends arrives at `receiver`, and the other way round. */
async function connection(): Promise<{ buffers: One; sender: Socket; receiver: Socket; close: () => void }> {
  const buffers = new One();
  const [from, sender] = await pair(new Way(buffers));
  const [to, receiver] = await pair(new Way(buffers));
  from.way.join(from.socket, to.socket);
  to.way.join(to.socket, from.socket);
  const all = [from.socket, to.socket, sender, receiver];
  for (const socket of all) socket.on("error", () => {});
  return { buffers, sender, receiver, close: () => all.forEach((socket) => socket.destroy()) };
}

/** A connected socket that is read by the way, and the other end. */
async function pair(way: Way): Promise<[{ way: Way; socket: Socket }, Socket]> {
  const server = createServer({ allowHalfOpen: true }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const accepted = once(server, "connection");
  const { port } = server.address() as AddressInfo;
  const socket = createConnection({ host: "127.0.0.1", port, allowHalfOpen: true, onread: way.onread });
  const [other] = (await accepted) as [Socket];
  await once(socket, "connect");
  server.close();
  return [{ way, socket }, other];
}
