// Memory that a burst of work needs is given back when the engine is idle, or has little to do.

import { connect, type Socket } from "node:net";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { DaemonProcess } from "../support/daemon-process.js";
import { pause } from "../support/commands.js";
import { EngineClient } from "../support/engine-client.js";
import { missingLinux, startCoracle } from "../support/engines.js";
import { describeUnless } from "../support/on-engines.js";
import { rssKibibytes } from "../support/processes.js";

const missing = missingLinux();

/** Above the memory in use before the first request. */
const MEBIBYTES_MORE = 40;
/** Memory is given back after at most this much idle time. */
const GIVEN_BACK_MS = 60_000;
/** Time limit for one answer: other tests may slow the machine down. */
const PATIENCE_MS = 120_000;
const TEST_MS = 300_000;
/** So frequent that the engine is never idle. */
const PING_MS = 50;

describeUnless(missing, "memory of a burst is given back:", () => {
  let daemon: DaemonProcess;
  let engine: EngineClient;
  let before = 0;

  beforeEach(async () => {
    daemon = await startCoracle();
    engine = new EngineClient(daemon.socketPath);
    before = rssMebibytes();
  });
  afterEach(() => daemon.close());

  function rssMebibytes(): number {
    return Math.round(rssKibibytes(daemon.pid()) / 1024);
  }

  async function expectGivenBack(): Promise<void> {
    const most = rssMebibytes();
    const deadline = Date.now() + GIVEN_BACK_MS;
    // Memory is read from outside, because requests would keep the engine from being idle.
    while (rssMebibytes() > before + MEBIBYTES_MORE && Date.now() < deadline) await pause(500);
    const told = `${before} MiB before, ${most} after the burst`;
    expect(rssMebibytes(), told).toBeLessThanOrEqual(before + MEBIBYTES_MORE);
  }

  /** Far more time than it takes when no client reads the events. */
  const create = async (body: object): Promise<string> =>
    (
      await engine.must(201, "POST", "/containers/create", { Image: "busybox", ...body }, { timeoutMs: PATIENCE_MS })
    ).json<{ Id: string }>().Id;

  test("2,000 containers, created and removed", { timeout: TEST_MS }, async () => {
    const ids: string[] = [];
    const some = async (): Promise<void> => {
      for (let i = 0; i < 250; i++) ids.push(await create({ Cmd: ["true"] }));
    };
    await Promise.all(Array.from({ length: 8 }, some));
    for (const id of ids) await engine.remove(id);
    await expectGivenBack();
  });

  test("65,535 ports, exposed and published", { timeout: TEST_MS }, async () => {
    const ports = Array.from({ length: 65_535 }, (_, i) => i + 1);
    const exposed = Object.fromEntries(ports.map((port) => [`${port}/tcp`, {}]));
    const bindings = Object.fromEntries(ports.map((port) => [`${port}/tcp`, [{ HostPort: String(port) }]]));
    for (const body of [{ ExposedPorts: exposed }, { HostConfig: { PortBindings: bindings } }]) {
      const id = await create(body);
      await engine.inspect(id, { timeoutMs: PATIENCE_MS });
      await engine.remove(id);
    }
    await expectGivenBack();
  });

  test("large, deeply nested or invalid requests", { timeout: TEST_MS }, async () => {
    const many = (length: number, one: string): string[] => Array.from({ length }, () => one);
    const bodies = [
      "[".repeat(2_000_000),
      '{"a":'.repeat(400_000),
      `"${"\\u0000".repeat(600_000)}"`,
      JSON.stringify({ Image: "no-such-image", Cmd: many(300_000, "x") }),
      JSON.stringify({ Image: "busybox", HostConfig: { Binds: many(100_000, "/a:/b") } }),
    ];
    const headers = { "Content-Type": "application/json" };
    for (const body of [...bodies, ...bodies]) {
      const { status } = await engine.call("POST", "/containers/create", body, { headers, timeoutMs: PATIENCE_MS });
      expect(status).toBeGreaterThanOrEqual(400);
      expect(status).toBeLessThan(500);
    }
    await expectGivenBack();
  });

  test("150,000 labels, and clients that never read the events", { timeout: TEST_MS }, async () => {
    const labels = Object.fromEntries(Array.from({ length: 150_000 }, (_, i) => [`label.${i}`, `v${i}`]));
    for (let i = 0; i < 4; i++) await engine.remove(await create({ Labels: labels }));
    const readers = await Promise.all(Array.from({ length: 85 }, () => unreading(daemon.socketPath)));
    for (const reader of readers) reader.destroy();
    await expectGivenBack();
  });

  test("150,000 labels, while a client sends pings all the time", { timeout: TEST_MS }, async () => {
    const labels = Object.fromEntries(Array.from({ length: 150_000 }, (_, i) => [`label.${i}`, `v${i}`]));
    let isOver = false;
    let pings = 0;
    const pinging = (async () => {
      for (; !isOver; pings++) {
        await engine.must(200, "GET", "/_ping", undefined, { timeoutMs: PATIENCE_MS });
        await pause(PING_MS);
      }
    })();
    for (let i = 0; i < 4; i++) await engine.remove(await create({ Labels: labels }));
    await expectGivenBack().finally(() => (isOver = true));
    await pinging;
    expect(pings).toBeGreaterThan(0);
  });
});

/** The answer has begun. */
function unreading(socketPath: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(socketPath, () => socket.write("GET /events?since=0 HTTP/1.1\r\nHost: docker\r\n\r\n"));
    socket.on("error", reject);
    socket.once("readable", () => resolve(socket));
  });
}
