// Real UDP sockets of the simulated machine's published ports: what of a visitor stays behind.

import { createSocket, type Socket } from "node:dgram";
import { once } from "node:events";
import { afterEach, expect, test } from "vitest";
import { DatagramDoor } from "../../hosts/node/simulated-datagrams.js";
import type { PortConnection } from "../../hosts/shared/index.js";

const address = "127.0.0.1";
const visitors: Socket[] = [];
afterEach(() => visitors.splice(0).forEach((visitor) => visitor.close()));

/** A port that nobody has. */
async function freePort(): Promise<number> {
  const socket = createSocket("udp4");
  socket.bind({ port: 0, address });
  await once(socket, "listening");
  const { port } = socket.address();
  socket.close();
  await once(socket, "close");
  return port;
}

/** Each call is another visitor. */
function visit(port: number): (bytes: Uint8Array) => void {
  const visitor = createSocket("udp4");
  visitors.push(visitor);
  return (bytes) => visitor.send(bytes, port, address);
}

test("a visitor that is forgotten before the world has let it in lets go of it", async () => {
  const port = await freePort();
  const letIn: ((connection: PortConnection) => void)[] = [];
  const dialDatagrams = (): Promise<PortConnection> => new Promise((resolve) => letIn.push(resolve));
  const close = (await DatagramDoor.open({ dialDatagrams }, { address, port }))!;
  visit(port)(new Uint8Array(1));
  await expect.poll(() => letIn.length, { interval: 1 }).toBe(1);
  close();
  const ends: string[] = [];
  const readable = new ReadableStream<Uint8Array>({ cancel: () => void ends.push("reader") });
  const writable = new WritableStream<Uint8Array>({ close: () => void ends.push("writer") });
  letIn[0]!({ readable, writable });
  await expect.poll(() => ends.sort()).toEqual(["reader", "writer"]);
});

test("what the world does not take in time is lost", async () => {
  const port = await freePort();
  let letIn = (): void => {};
  const isLetIn = new Promise<void>((resolve) => (letIn = resolve));
  const taken: number[] = [];
  const write = async ({ length }: Uint8Array): Promise<void> => {
    await isLetIn;
    taken.push(length);
  };
  let welcomed = 0;
  const dialDatagrams = (): Promise<PortConnection> => {
    welcomed++;
    return Promise.resolve({ readable: new ReadableStream(), writable: new WritableStream({ write }) });
  };
  const close = (await DatagramDoor.open({ dialDatagrams }, { address, port }))!;
  const send = visit(port);
  for (let count = 1; count <= 5; count++) {
    send(new Uint8Array(60_000));
    // The door takes them in their order: it has this one when it has welcomed the next visitor.
    visit(port)(new Uint8Array(1));
    await expect.poll(() => welcomed, { interval: 1 }).toBe(count + 1);
  }
  letIn();
  send(new Uint8Array(7));
  // The last one that it took of this visitor.
  await expect.poll(() => taken.includes(7)).toBe(true);
  expect(taken.filter((size) => size > 1)).toEqual([60_000, 60_000, 60_000, 7]);
  close();
});
