// The large buffers of forwarded connections: that a port leaves others their share, and who gives them back when.

import { once } from "node:events";
import { createConnection, createServer, type AddressInfo, type Socket } from "node:net";
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

test("an end that sends no more gives its buffer back, though the other may still send", async () => {
  const buffers = new Buffers(1);
  const isFree = (): boolean => {
    const buffer = buffers.take();
    if (buffer !== undefined) buffers.give(buffer);
    return buffer !== undefined;
  };
  const [from, sender] = await pair(new Way(buffers));
  const [to, receiver] = await pair(new Way(buffers));
  from.way.join(from.socket, to.socket);
  to.way.join(to.socket, from.socket);
  let received = 0;
  receiver.on("data", (bytes: Buffer) => (received += bytes.length));
  sender.write(Buffer.alloc(10_000));
  await until("all to arrive", () => received === 10_000);
  expect(isFree()).toBe(false);
  sender.end();
  await until("the buffer to be free", isFree);
  const answer = once(sender, "data");
  receiver.write("still here");
  expect(String(await answer)).toBe("still here");
  for (const socket of [from.socket, to.socket, sender, receiver]) socket.destroy();
});

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
