// Datagrams that are sent together: each reaches its receiver whole and once, whichever socket it leaves by. With sockets of
// this process.
import { createSocket, type Socket } from "node:dgram";
import { once } from "node:events";
import { afterEach, expect, test } from "vitest";
import { call } from "../../../runtime-linux/kernel/calls.js";
import { AF_INET, SOCK_CLOEXEC, SOCK_DGRAM, SOCK_NONBLOCK } from "../../../runtime-linux/kernel/numbers.js";
import { inetAddress } from "../../../runtime-linux/kernel/structures.js";
import { NOBODY, sendSoon, sendWaiting } from "../../../runtime-linux/names/resolver/outgoing.js";
import { until } from "../../support/commands.js";

const LOOPBACK = Uint8Array.of(127, 0, 0, 1);
const descriptors: number[] = [];
const servers: Socket[] = [];

afterEach(() => {
  for (const fd of descriptors.splice(0)) call("close", "a socket", fd);
  for (const server of servers.splice(0)) server.close();
});

test("each is sent with its id, in the order of its socket, as many as there are", async () => {
  const [one, two] = [await serve(), await serve()];
  const [first, second] = [socket(), socket()];
  for (let id = 0; id < 50; id++) {
    sendSoon(first, message(), id, one.address);
    sendSoon(first, message(), 100 + id, one.address);
    sendSoon(second, message(), id, two.address);
  }
  await until("all datagrams", () => one.came.length >= 100 && two.came.length >= 50);
  const ids = Array.from({ length: 50 }, (_, id) => id);
  expect(one.came.map(idOf)).toEqual(ids.flatMap((id) => [id, 100 + id]));
  expect(two.came.map(idOf)).toEqual(ids);
  for (const bytes of [...one.came, ...two.came]) expect(bytes.subarray(2)).toEqual(message().subarray(2));
});

test("long ones arrive whole, and what was given is not changed", async () => {
  const { came, address } = await serve();
  const long = Buffer.alloc(4000, 7);
  sendSoon(socket(), long, 0x1234, address);
  await until("the datagram", () => came.length === 1);
  expect(came[0]!.length).toBe(4000);
  expect([idOf(came[0]!), came[0]![3999], idOf(long)]).toEqual([0x1234, 7, 0x0707]);
});

test("they are sent before their socket is closed", async () => {
  const { came, address } = await serve();
  const fd = call("socket", "udp", AF_INET, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  sendSoon(fd, message(), 1, address);
  sendWaiting();
  call("close", "a socket", fd);
  await until("the datagram", () => came.length === 1);
});

test("one that cannot be sent is told, whatever its length, and the others are sent", async () => {
  const { came, address } = await serve();
  const [other, fd] = [socket(), socket()];
  const failed: (readonly [id: number, didFail: boolean])[] = [];
  const sender = { failed: (id: number, errno: number) => void failed.push([id, errno < 0]) };
  sendSoon(fd, message(), 1, address, sender);
  // It has no receiver.
  sendSoon(fd, message(), 2, NOBODY, sender);
  sendSoon(fd, Buffer.alloc(4000), 3, NOBODY, sender);
  sendSoon(fd, message(), 4, address, sender);
  sendSoon(other, message(), 5, NOBODY, sender);
  await until("the datagrams", () => came.length === 2);
  expect(came.map(idOf)).toEqual([1, 4]);
  expect(failed.toSorted(([one], [other]) => one - other)).toEqual([
    [2, true],
    [3, true],
    [5, true],
  ]);
});

function socket(): number {
  const fd = call("socket", "udp", AF_INET, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  descriptors.push(fd);
  return fd;
}

async function serve(): Promise<{ came: Buffer[]; address: Uint8Array }> {
  const came: Buffer[] = [];
  const server = createSocket("udp4");
  servers.push(server);
  server.on("message", (bytes) => came.push(bytes));
  server.bind(0, "127.0.0.1");
  await once(server, "listening");
  return { came, address: inetAddress(LOOPBACK, server.address().port) };
}

function message(): Buffer {
  return Buffer.from("??a message of a few bytes");
}

function idOf(bytes: Buffer): number {
  return bytes.readUInt16BE(0);
}
