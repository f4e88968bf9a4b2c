// The process that forwards published ports: that it outlives engines, is found, started anew and replaced, and that
// nobody takes its ports.

import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createConnection, createServer, type AddressInfo, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { libc } from "../../../runtime-linux/kernel/libc.js";
import type { Forward } from "../../../runtime-linux/networks/forward/forward-files.js";
import { Forwards } from "../../../runtime-linux/networks/forward/forwards.js";
import { boundAt } from "../../../runtime-linux/networks/forward/listening.js";
import { Paths } from "../../../runtime-linux/paths.js";
import { until } from "../../support/commands.js";
import { findProcesses, pssKibibytes } from "../../support/processes.js";

const PROGRAM = fileURLToPath(new URL("../../../build/ports.cjs", import.meta.url));
const root = mkdtempSync(join(tmpdir(), "coracle-forwards-"));
const paths = new Paths({ data: join(root, "data"), exec: join(root, "exec") });
const open: Socket[] = [];
let server: Server;
let forwards: Forwards;

beforeAll(async () => {
  server = createServer((socket) => {
    socket.on("error", () => {});
    socket.on("data", (bytes) => socket.write(bytes));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  forwards = new Forwards(libc, paths);
});

afterEach(async () => {
  for (const socket of open.splice(0)) socket.destroy();
  for (const holder of ["one", "other"]) await forwards.serve(holder, []);
});

afterAll(async () => {
  server.close();
  await forwards.close();
  await until("the process has ended", () => forwarders().length === 0);
  rmSync(root, { recursive: true });
});

test("ports are served until they are asked for no more, each if it can be had", async () => {
  const taken = createServer().listen(18_421, "::1");
  await once(taken, "listening");
  expect(await forwards.serve("one", [to(18_420), to(18_421)])).toEqual([{ at: 1, errno: "EADDRINUSE" }]);
  expect(await echo(await connected(18_420), "a")).toBe("a");
  taken.close();
  expect(await forwards.serve("one", [to(18_421)])).toEqual([]);
  await expect(connected(18_420)).rejects.toThrow("ECONNREFUSED");
  const last = await connected(18_421);
  expect(await echo(last, "b")).toBe("b");
  const ended = once(last, "close");
  await forwards.serve("one", []);
  await ended;
});

test("nobody else gets its ports, even if he would share them", async () => {
  await forwards.serve("one", [to(18_422), { ...to(18_422), protocol: "udp" }]);
  for (const shared of [false, true]) {
    for (const protocol of ["tcp", "udp"] as const)
      expect(() => boundAt(protocol, { address: "::1", port: 18_422 }, shared)).toThrow("EADDRINUSE");
  }
});

test("connections go on without an engine, and the next one finds the process", async () => {
  await forwards.serve("one", [to(18_423)]);
  await forwards.serve("other", [to(18_424)]);
  const before = forwarders();
  const early = await connected(18_423);
  await forwards.close();
  expect(await echo(early, "a")).toBe("a");
  expect(await echo(await connected(18_423), "b")).toBe("b");
  forwards = new Forwards(libc, paths);
  await forwards.found(["one"]);
  expect(forwarders()).toEqual(before);
  expect(await echo(early, "c")).toBe("c");
  await expect(connected(18_424)).rejects.toThrow("ECONNREFUSED");
});

test("a process that was killed is started anew", async () => {
  await forwards.serve("one", [to(18_425)]);
  const [before] = forwarders();
  process.kill(before!, "SIGKILL");
  const answered = async (): Promise<string> => echo(await connected(18_425), "a");
  await until("the port is served again", async () => (await answered().catch(() => undefined)) === "a");
  expect(forwarders()).not.toContain(before);
});

test("an engine with another program replaces the process, which serves its last connections", async () => {
  await forwards.serve("one", [to(18_426), { ...to(18_426), protocol: "udp" }]);
  const [before] = forwarders();
  const early = await connected(18_426);
  await forwards.close();
  // Beside the other one, because it needs the same packages.
  const program = `${PROGRAM}.${process.pid}.cjs`;
  writeFileSync(program, `${readFileSync(PROGRAM, "utf8")}\n// newer\n`);
  forwards = new Forwards(libc, paths, program);
  expect(await forwards.serve("one", [to(18_426), { ...to(18_426), protocol: "udp" }])).toEqual([]);
  rmSync(program);
  expect(forwarders()).toHaveLength(2);
  expect(await echo(await connected(18_426), "a")).toBe("a");
  expect(await echo(early, "b")).toBe("b");
  for (const protocol of ["tcp", "udp"] as const)
    expect(() => boundAt(protocol, { address: "::1", port: 18_426 }, false)).toThrow("EADDRINUSE");
  early.destroy();
  await until("the older process has ended", () => !forwarders().includes(before!));
});

test("many connections take little memory", async () => {
  await forwards.serve("one", [to(18_427)]);
  const sockets = [];
  for (let at = 0; at < 500; at++) sockets.push(await connected(18_427));
  expect(await echo(sockets.at(-1)!, "a")).toBe("a");
  expect(pssKibibytes(forwarders()[0]!)).toBeLessThan(64 * 1024);
});

/** A port of ::1 that leads to the server on 127.0.0.1. */
function to(port: number): Forward {
  const target = { address: "127.0.0.1", port: (server.address() as AddressInfo).port };
  return { protocol: "tcp", from: { address: "::1", port }, to: target };
}

async function connected(port: number): Promise<Socket> {
  const socket = createConnection({ host: "::1", port });
  open.push(socket);
  await once(socket, "connect");
  socket.on("error", () => {});
  return socket;
}

async function echo(socket: Socket, word: string): Promise<string> {
  const answer = once(socket, "data").then(([bytes]) => String(bytes));
  const end = once(socket, "close").then(() => "closed");
  socket.write(word);
  return Promise.race([answer, end]);
}

function forwarders(): number[] {
  return findProcesses(`${paths.networks("ports")} `);
}
