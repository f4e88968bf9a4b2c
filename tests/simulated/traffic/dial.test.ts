// Published ports of the simulated machine, from a program outside it.

import { getEventListeners } from "node:events";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { PortConnection } from "../../../hosts/shared/index.js";
import { simulatedHost, type SocketError } from "../../../hosts/simulated/index.js";
import { openEngine } from "../../../hosts/embedding/open.js";
import { dial, type World } from "../../../hosts/simulated/traffic/dial.js";
import { until } from "../../support/commands.js";
import { TrafficWorld } from "./traffic-fixture.js";

const opened: { address: string; port: number; protocol: string }[] = [];
const closed: number[] = [];
const taken = Object.assign(new Error("taken"), { code: "EADDRINUSE" });
let world: TrafficWorld;

beforeAll(async () => {
  const open = async (port: { address: string; port: number; protocol: string }): Promise<() => void> => {
    if (port.port === 9999) throw taken;
    opened.push(port);
    return () => void closed.push(port.port);
  };
  world = await TrafficWorld.open({ doors: { open } });
});
afterAll(() => world.engine.close());

const publishing = (...ports: number[]): Record<string, unknown> => ({
  HostConfig: { PortBindings: { "7/tcp": ports.map((port) => ({ HostIp: "127.0.0.1", HostPort: String(port) })) } },
  ExposedPorts: { "7/tcp": {} },
});

/** A container's program begins to listen a little after the start. */
async function connected(port: number, { engine } = world): Promise<PortConnection> {
  for (;;) {
    try {
      return await engine.connect(port);
    } catch (error) {
      if ((error as SocketError).code !== "ECONNREFUSED") throw error;
    }
  }
}

/** Sends nothing. */
async function answerAt(port: number): Promise<string> {
  const { readable, writable } = await connected(port);
  const answer = await new Response(readable).text();
  await writable.close();
  return answer;
}

test("connect reaches a published port, in both directions, with a half-close", async () => {
  await world.start("echo", "exec nc -l -p 7 -e sh -c 'cat; echo bye'", "default", publishing(7007));
  const { readable, writable } = await connected(7007);
  const writer = writable.getWriter();
  await writer.write(new TextEncoder().encode("hello\n"));
  await writer.close();
  expect(await new Response(readable).text()).toBe("hello\nbye\n");
  await world.send("DELETE", "/containers/echo?force=1");
});

test("a large answer arrives whole, and a reader that leaves ends the writer", async () => {
  await world.start("many", "while true; do seq 50000 | nc -l -p 7; done", "default", publishing(7008));
  const whole = await answerAt(7008);
  expect(whole.trimEnd().split("\n").at(-1)).toBe("50000");
  const again = await connected(7008);
  const reader = again.readable.getReader();
  await reader.read();
  await reader.cancel();
  await again.writable.abort();
  expect(await answerAt(7008)).toBe(whole);
  await world.send("DELETE", "/containers/many?force=1");
});

test("abort ends a write that waits; the engine's close ends connections, and there are none after it", async () => {
  const own = await TrafficWorld.open();
  await own.start("full", "exec nc -l -k -p 7 -e sleep infinity", "default", publishing(7013));
  const first = (await connected(7013, own)).writable.getWriter();
  const aborted = expect(first.write(new Uint8Array(200_000))).rejects.toThrow("enough");
  await first.abort(new Error("enough"));
  await aborted;
  const { readable, writable } = await connected(7013, own);
  const cutOff = [readable.getReader().read(), writable.getWriter().write(new Uint8Array(200_000))].map((pending) =>
    expect(pending).rejects.toThrow("the simulated host is closed"),
  );
  await own.engine.close();
  await Promise.all(cutOff);
  await expect(own.engine.connect(7013)).rejects.toThrow("the engine is closed");
});

test("without a listener, or when the container has ended, it is refused", async () => {
  const refused = { code: "ECONNREFUSED" };
  await expect(world.engine.connect(7009)).rejects.toMatchObject(refused);
  await world.start("mute", "exec nc -l -p 8", "default", publishing(7009));
  await expect(world.engine.connect(7009)).rejects.toMatchObject(refused);
  await world.send("DELETE", "/containers/mute?force=1");
  await expect(world.engine.connect(7009)).rejects.toMatchObject(refused);
});

test("real doors are opened before the start is answered, and closed when the container has ended", async () => {
  opened.length = closed.length = 0;
  await world.start("doors", "exec nc -l -p 7", "default", publishing(7010, 7011));
  expect(opened).toEqual([7010, 7011].map((port) => ({ address: "127.0.0.1", port, protocol: "tcp" })));
  expect(closed).toEqual([]);
  await world.send("DELETE", "/containers/doors?force=1");
  expect(closed).toEqual([7010, 7011]);
});

test("a real port that is taken is told as Docker does, and the other doors are closed again", async () => {
  opened.length = closed.length = 0;
  const starting = world.start("late", "exec nc -l -p 7", "default", publishing(7012, 9999));
  await expect(starting).rejects.toThrow("Bind for 127.0.0.1:9999 failed: port is already allocated");
  expect([opened.map(({ port }) => port), closed]).toEqual([[7012], [7012]]);
  expect(world.host.world.found().joins).toEqual([]);
  await world.send("DELETE", "/containers/late");
});

test("a host without a simulated machine has no ports to dial", async () => {
  const { dial: _, ...host } = simulatedHost();
  const engine = await openEngine({ host });
  await expect(engine.connect(80)).rejects.toThrow("published ports of this host are real");
  await engine.close();
});

test("a reader that leaves does not wait for its flow, which may go on for the writer", async () => {
  const ended = new AbortController();
  const waiting = (): number => getEventListeners(ended.signal, "abort").length;
  // Nothing ever comes.
  const end = { source: { take: () => undefined, wake: () => {}, release: () => {} }, sink: {} };
  const pretended = {
    time: { enter: async (act: () => void) => act() },
    traffic: { machine: {}, connect: (_from: unknown, _to: unknown, done: (made: unknown) => void) => done(end) },
    ended: ended.signal,
  };
  const { readable } = await dial(pretended as unknown as World, { address: "127.0.0.1", port: 7 });
  const reader = readable.getReader();
  const read = reader.read();
  await until("a wait", () => Promise.resolve(waiting() > 0));
  await reader.cancel();
  expect((await read).done).toBe(true);
  await until("an end of the wait", () => Promise.resolve(waiting() === 0));
});
