// Sockets for datagrams in the simulated machine: what the kernel, a reader and a writer do with them at their ends.

import { getEventListeners } from "node:events";
import { beforeEach, describe, expect, test } from "vitest";
import type { networks } from "../../../hosts/shared/host.js";
import { WorldNetworks } from "../../../hosts/simulated/networks.js";
import { ProcessOutput, type Holder } from "../../../hosts/simulated/processes/descriptors.js";
import type { DatagramSocket } from "../../../hosts/simulated/traffic/datagram-socket.js";
import { dialDatagrams } from "../../../hosts/simulated/traffic/dial.js";
import { WorldTime } from "../../../hosts/simulated/world-time.js";
import { bridge, NETWORK } from "../../support/usual-bridge.js";

const [ASKER, ANSWERER] = ["1".repeat(64), "2".repeat(64)];
const HOME = "127.0.0.1";
let time: WorldTime;
let world: WorldNetworks;

beforeEach(async () => {
  time = new WorldTime({ pace: "fast" });
  world = new WorldNetworks({ time });
  await perform({ tag: "make", val: bridge });
  return () => time.close();
});

function perform(command: networks.NetworkCommand): Promise<unknown> {
  return world.perform(1n, command, () => {});
}

async function joined(container: string, address: string): Promise<void> {
  const names = { container, containerName: container[0]!, interfaceName: "eth0", mac: "02:42:ac:11:00:02" };
  const ipv6 = { ipv6Address: "", ipv6Gateway: "" };
  const place = { bridge, address, gateway: bridge.gateway, ...ipv6, ports: [], linkLocal: [], sysctls: [] };
  await perform({ tag: "join", val: { ...names, ...place } });
}

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

/** The text of the next datagram. */
async function heard(socket: DatagramSocket): Promise<string> {
  if (!socket.peek()) await new Promise<void>((wake) => void socket.wake(wake));
  const taken = socket.take();
  return typeof taken === "object" ? new TextDecoder().decode(taken.bytes) : String(taken);
}

test("a datagram under way has its own bytes", async () => {
  const { traffic, machine } = world;
  const [sender, receiver] = [traffic.datagrams.bind(machine), traffic.datagrams.bind(machine, 7)];
  const buffer = bytesOf("first");
  traffic.datagrams.send(sender, { address: HOME, port: 7 }, buffer);
  buffer.set(bytesOf("other"));
  expect(await heard(receiver)).toBe("first");
});

test("an answer does not reach a container that no longer has the address that asked", async () => {
  await joined(ASKER!, "172.17.0.2");
  await joined(ANSWERER!, "172.17.0.3");
  const { datagrams } = world.traffic;
  const asker = datagrams.bind(world.namespaceOf(ASKER!)!, 5000);
  const answerer = datagrams.bind(world.namespaceOf(ANSWERER!)!, 7);
  datagrams.send(asker, { address: "172.17.0.3", port: 7 }, bytesOf("asked"));
  expect(await heard(answerer)).toBe("asked");
  const answer = (address: string, text: string): void =>
    void datagrams.send(answerer, { address, port: 5000 }, bytesOf(text));
  answer("172.17.0.2", "at once");
  expect(await heard(asker)).toBe("at once");
  await perform({ tag: "leave", val: { container: ASKER!, network: NETWORK } });
  await joined(ASKER!, "172.17.0.4");
  answer("172.17.0.2", "too late");
  answer("172.17.0.4", "to the new address");
  expect(await heard(asker)).toBe("to the new address");
});

test("empty datagrams fill a socket, too", async () => {
  const socket = world.traffic.datagrams.bind(world.machine, 7);
  const empty = { bytes: new Uint8Array(), from: { address: HOME, port: 1 }, address: HOME };
  for (let count = 0; count < 1000; count++) socket.offer(empty);
  let taken = 0;
  while (socket.take()) taken++;
  expect(taken).toBeGreaterThan(100);
  expect(taken).toBeLessThan(1000);
});

describe("the end of a socket with a peer", () => {
  test("a reader that waits learns that it is closed", () => {
    const { datagrams } = world.traffic;
    const { source, close } = datagrams.connect(datagrams.bind(world.machine), { address: HOME, port: 7 });
    let isWoken = false;
    source.wake(() => (isWoken = true));
    expect(source.take()).toBeUndefined();
    close();
    expect([isWoken, source.take()]).toEqual([true, null]);
  });

  test("a program outside that leaves while it waits leaves nothing behind", async () => {
    const { machine, traffic } = world;
    const ended = new AbortController();
    const dialled = await dialDatagrams({ time, traffic, ended: ended.signal }, { address: HOME, port: 7 });
    const waiting = (): number => getEventListeners(ended.signal, "abort").length;
    const reader = dialled.readable.getReader();
    const read = reader.read();
    await expect.poll(waiting).toBe(1);
    // More events have run, so it waits for a datagram and no longer for its turn.
    for (let turns = 0; turns < 3; turns++) await time.enter(() => {});
    expect(machine.datagrams.all.length).toBe(1);
    await Promise.all([reader.cancel(), dialled.writable.close()]);
    expect(await read).toEqual({ done: true, value: undefined });
    await expect.poll(waiting).toBe(0);
    expect(machine.datagrams.all.length).toBe(0);
  });

  test("each write is one datagram: empty bytes are one, no text is none, and too many bytes are refused", async () => {
    const { datagrams } = world.traffic;
    const receiver = datagrams.bind(world.machine, 7);
    const { sink } = datagrams.connect(datagrams.bind(world.machine), { address: HOME, port: 7 });
    const output = new ProcessOutput({ work: () => Promise.resolve() } as unknown as Holder, sink);
    await expect(output.write(new Uint8Array(65_508))).rejects.toMatchObject({ code: "EMSGSIZE" });
    for (const written of ["", new Uint8Array(), "last"]) await output.write(written);
    expect([await heard(receiver), await heard(receiver)]).toEqual(["", "last"]);
  });
});
