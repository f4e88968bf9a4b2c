// The process that forwards published ports: that it outlives engines, is found, started anew and replaced, and that
// nobody takes its ports.

import { randomUUID } from "node:crypto";
import { once } from "node:events";
import {
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createConnection, createServer, type AddressInfo, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { isDeepStrictEqual } from "node:util";
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import { libc } from "../../../../runtime-linux/kernel/libc.js";
import { FollowerProcess } from "../../../../runtime-linux/followers/follower-process.js";
import { ForwardFiles, type Forward } from "../../../../runtime-linux/networks/forward/forward-files.js";
import { Forwards } from "../../../../runtime-linux/networks/forward/forwards.js";
import { Inherited } from "../../../../runtime-linux/networks/forward/inherited.js";
import { boundAt } from "../../../../runtime-linux/networks/forward/listening.js";
import { ForwardService } from "../../../../runtime-linux/networks/forward/service.js";
import { Paths } from "../../../../runtime-linux/paths.js";
import { until } from "../../../support/commands.js";
import { findProcesses, pssKibibytes, stateOf } from "../../../support/processes.js";

const PROGRAM = fileURLToPath(new URL("../../../../build/ports.cjs", import.meta.url));
const root = mkdtempSync(join(tmpdir(), "coracle-forwards-"));
const paths = new Paths({ data: join(root, "data"), exec: join(root, "exec") });
const open: Socket[] = [];
/** Those of other engines. */
const programs = new Set<string>();
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
  for (const program of programs) rmSync(program);
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
  const before = [await alone(18_423)];
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
  // The second one may be killed while it starts.
  for (let time = 0; time < 3; time++) {
    const before = await forwarder();
    process.kill(before, "SIGKILL");
    await until("another process", () => forwarders().some((pid) => pid !== before));
    await until("the port is served", async () => (await answered(18_425)) === "a");
    process.kill(
      forwarders().find((pid) => pid !== before)!,
      "SIGKILL",
    );
  }
  await forwarder();
  await until("the port is served", async () => (await answered(18_425)) === "a");
});

test("a port is served before the process has started, and the process then has the same socket", async () => {
  for (const pid of forwarders()) await end(pid);
  expect(await forwards.serve("one", [to(18_428), { ...to(18_428), protocol: "udp" }])).toEqual([]);
  const early = await connected(18_428);
  expect(await echo(early, "a")).toBe("a");
  const pid = await forwarder();
  await until("the process to have the port", () => listeners(18_428).includes(pid));
  await until("the engine to have it no more", () => !listeners(18_428).includes(process.pid));
  expect(await answered(18_428)).toBe("a");
  const closed = once(early, "close");
  await forwards.serve("one", []);
  await closed;
  for (const protocol of ["tcp", "udp"] as const) closeSync(boundAt(protocol, { address: "::1", port: 18_428 }, false));
});

test("no call waits long for a process that does not answer: it is ended, and its ports are served on", async () => {
  // An engine that has lost processes before pauses longer.
  await forwards.close();
  forwards = new Forwards(libc, paths);
  await forwards.serve("one", [to(18_429)]);
  const stopped = await alone(18_429);
  process.kill(stopped, "SIGSTOP");
  expect(await forwards.serve("other", [to(18_430)])).toEqual([]);
  expect(forwarders()).not.toContain(stopped);
  for (const port of [18_429, 18_430]) expect(await answered(port)).toBe("a");
  const next = await alone(18_430);
  process.kill(next, "SIGSTOP");
  await forwards.serve("other", []);
  closeSync(boundAt("tcp", { address: "::1", port: 18_430 }, false));
  await until("another process", async () => (await forwarder()) !== next);
}, 60_000);

test("an engine that starts ends a process that does not answer", async () => {
  await forwards.serve("one", [to(18_431)]);
  const stopped = await alone(18_431);
  await forwards.close();
  process.kill(stopped, "SIGSTOP");
  forwards = new Forwards(libc, paths);
  expect(await forwards.serve("one", [to(18_431)])).toEqual([]);
  expect(await answered(18_431)).toBe("a");
  expect(await alone(18_431)).not.toBe(stopped);
}, 60_000);

test("without a process that works the engine serves the ports itself", async () => {
  for (const pid of forwarders()) await end(pid);
  await forwards.close();
  const told = vi.spyOn(console, "error").mockImplementation(() => {});
  const program = join(root, "broken.cjs");
  writeFileSync(program, "process.exit(1)");
  forwards = new Forwards(libc, paths, program);
  expect(await forwards.serve("one", [to(18_432)])).toEqual([]);
  expect(await answered(18_432)).toBe("a");
  await until("several tries", () => told.mock.calls.length > 1);
  expect(await answered(18_432)).toBe("a");
  await forwards.serve("one", []);
  await forwards.close();
  closeSync(boundAt("tcp", { address: "::1", port: 18_432 }, false));
  told.mockRestore();
  forwards = new Forwards(libc, paths);
});

test("a damaged file, or one with something else, keeps nobody from a port, and goes with its holder", async () => {
  for (const text of ["{", '{"forwards":5}']) {
    await forwards.serve("one", [to(18_433)]);
    await forwarder();
    const file = join(paths.networks("ports"), "forwards", "one.json");
    writeFileSync(file, text);
    await forwards.serve("one", []);
    expect(existsSync(file)).toBe(false);
    closeSync(boundAt("tcp", { address: "::1", port: 18_433 }, false));
    writeFileSync(file, text);
    await end(await forwarder());
    expect(await forwards.serve("other", [to(18_433)])).toEqual([]);
    expect(await answered(18_433)).toBe("a");
    await forwarder();
    expect(await answered(18_433)).toBe("a");
    await forwards.serve("other", []);
  }
});

test("an engine with another program replaces the process, which serves its last connections", async () => {
  const wishes = [to(18_426), { ...to(18_426), protocol: "udp" } as const];
  await forwards.serve("one", wishes);
  const before = await alone(18_426);
  const early = await connected(18_426);
  expect(await echo(early, "a")).toBe("a");
  const socket = socketAt(18_426);
  await replaceProcess(async () => forwards.serve("one", wishes));
  expect(forwarders()).toHaveLength(2);
  expect(await echo(await connected(18_426), "a")).toBe("a");
  expect(await echo(early, "b")).toBe("b");
  // What waits to be accepted waits at the socket. It was never shared: nobody else gets a part of what arrives.
  expect(socketAt(18_426)).toBe(socket);
  for (const protocol of ["tcp", "udp"] as const) {
    for (const shared of [false, true])
      expect(() => boundAt(protocol, { address: "::1", port: 18_426 }, shared)).toThrow("EADDRINUSE");
  }
  early.destroy();
  await until("the older process has ended", () => !forwarders().includes(before));
});

test("a process that was replaced ends the connections of a port that is published no more, and no others", async () => {
  await forwards.serve("one", [to(18_434), to(18_435)]);
  const before = await alone(18_434);
  const [first, second] = [await connected(18_434), await connected(18_435)];
  for (const early of [first, second]) expect(await echo(early, "a")).toBe("a");
  await replaceProcess(async () => forwards.serve("one", [to(18_434), to(18_435)]));
  const ended = [first, second].map((early) => once(early, "close"));
  await forwards.serve("one", [to(18_435)]);
  await ended[0];
  expect(await echo(second, "b")).toBe("b");
  await forwards.serve("one", []);
  await ended[1];
  await until("the older process has ended", () => !forwarders().includes(before));
});

test("of two processes that start at once, one has all ports, and the other leaves", async () => {
  const files = followed("both");
  // So many that both are at work at the same time.
  const ports = Array.from({ length: 400 }, (_, at) => 18_500 + at);
  for (const port of ports) files.write("forwards", `port-${port}`, { forwards: [to(port)] });
  const both = [follower(files), follower(files)];
  await Promise.all(both.map(async (one) => one.start()));
  await until("one process", () => processesOf(files).length === 1);
  expect(ports.filter((port) => socketAt(port) === "")).toEqual([]);
  for (const one of both) await one.close();
  await endAll(files);
});

test("each socket that a process gets serves the port that it is bound to, whatever it was said to be for", async () => {
  const files = followed("mixed");
  const other = createServer((socket) => void socket.on("error", () => {}).end("other")).listen(0, "127.0.0.1");
  await once(other, "listening");
  const second = { ...to(18_441), to: { address: "127.0.0.1", port: (other.address() as AddressInfo).port } };
  files.write("forwards", "two", { forwards: [to(18_440), second] });
  const service = new ForwardService(files);
  await service.follow("forwards", "two");
  const before = [18_440, 18_441].map(socketAt);
  files.write("forwards", "two", { forwards: [to(18_440), second, to(18_442)] });
  const [wishes, sockets] = [[...service.sockets.keys()], [...service.sockets.values()]];
  const none = openSync("/dev/null", "r");
  const wrong = [...sockets.toReversed(), none].map((fd, at) => [wishes[at] ?? "18442", fd] as const);
  const one = follower(files);
  await one.start(new Map(wrong));
  closeSync(none);
  service.close();
  expect([18_440, 18_441].map(socketAt)).toEqual(before);
  for (const port of [18_440, 18_442]) expect(await answered(port)).toBe("a");
  expect(await answered(18_441)).toBe("other");
  await one.close();
  await endAll(files);
  other.close();
});

test("neither a connection nor a socket that does not listen is taken for a port's", async () => {
  await forwards.serve("one", [to(18_443)]);
  const accepted = once(server, "connection");
  await connected(18_443);
  const [{ _handle: handle }] = (await accepted) as [{ _handle: { fd: number } }];
  const { port } = server.address() as AddressInfo;
  const [here, there] = [
    { address: "127.0.0.1", port },
    { address: "::1", port: 18_444 },
  ];
  const wish = (from: Forward["from"], protocol: Forward["protocol"] = "tcp"): Forward => ({
    ...to(0),
    from,
    protocol,
  });
  const taken = (fd: number): Inherited => new Inherited(1, libc.duplicate(fd));
  const connection = taken(handle.fd);
  expect([connection.isEmpty, connection.has(wish(here))]).toEqual([true, false]);
  const [quiet, datagrams] = (["tcp", "udp"] as const).map((protocol) => boundAt(protocol, there, false));
  expect(taken(quiet!).isEmpty).toBe(true);
  const right = taken(datagrams!);
  expect([wish(there), wish(here, "udp"), wish(there, "udp")].map((one) => right.has(one))).toEqual([
    false,
    false,
    true,
  ]);
  right.close();
  for (const fd of [quiet!, datagrams!]) closeSync(fd);
});

test("a process that was replaced ends if its directory is removed", async () => {
  const files = followed("removed");
  files.write("forwards", "one", { forwards: [to(18_445)] });
  await follower(files).start();
  const early = await connected(18_445);
  expect(await echo(early, "a")).toBe("a");
  const closed = once(early, "close");
  rmSync(files.directory, { recursive: true });
  await closed;
  await until("its end", () => processesOf(files).length === 0);
});

test("a process that was replaced goes on when a file cannot be read, and looks at it again", async () => {
  const files = followed("unreadable");
  files.write("forwards", "one", { forwards: [to(18_446)] });
  await follower(files).start();
  const early = await connected(18_446);
  expect(await echo(early, "a")).toBe("a");
  const file = join(files.directory, "forwards", "one.json");
  rmSync(file);
  mkdirSync(file);
  rmSync(join(files.directory, "control"));
  const log = (): string => readFileSync(join(files.directory, "log"), "utf8");
  await until("the error", () => log().includes("EISDIR"));
  expect(await echo(early, "b")).toBe("b");
  const closed = once(early, "close");
  rmSync(file, { recursive: true });
  await closed;
  await until("its end", () => processesOf(files).length === 0);
  expect(log().match(/^Error: EISDIR/gm)).toHaveLength(1);
});

test("many connections take little memory, and slow readers not much more", async () => {
  const deaf = createServer({ pauseOnConnect: true }, (socket) => void open.push(socket.on("error", () => {})));
  deaf.listen(0, "127.0.0.1");
  await once(deaf, "listening");
  const unread = { ...to(18_439), to: { address: "127.0.0.1", port: (deaf.address() as AddressInfo).port } };
  await forwards.serve("one", [to(18_427), unread]);
  await alone(18_427);
  const sockets = [];
  for (let at = 0; at < 500; at++) sockets.push(await connected(18_427));
  expect(await echo(sockets.at(-1)!, "a")).toBe("a");
  expect(pssKibibytes(await forwarder())).toBeLessThan(64 * 1024);
  for (let at = 0; at < 500; at++) sockets[at]!.destroy();
  const before = pssKibibytes(await forwarder());
  const piece = Buffer.alloc(8 << 20);
  const senders: Socket[] = [];
  for (let at = 0; at < SLOW; at++) {
    const sender = await connected(18_439);
    senders.push(sender);
    sender.write(piece);
  }
  let sent = -1;
  await until("all to be held up", () => {
    const last = sent;
    sent = senders.reduce((sum, { bytesWritten, writableLength }) => sum + bytesWritten - writableLength, 0);
    return sent > 0 && sent === last;
  });
  expect(pssKibibytes(await forwarder()) - before).toBeLessThan(8 * 1024);
  expect(await echo(await connected(18_427), "a")).toBe("a");
});

/** Files of a process of their own. */
function followed(name: string): ForwardFiles {
  const files = new ForwardFiles(join(root, name));
  files.make();
  return files;
}

function follower({ directory }: ForwardFiles): FollowerProcess {
  return new FollowerProcess(libc, directory, { file: PROGRAM, heap: 96 }, () => {});
}

function processesOf({ directory }: ForwardFiles): number[] {
  return findProcesses(`${directory} `);
}

async function endAll(files: ForwardFiles): Promise<void> {
  for (const pid of processesOf(files)) process.kill(pid, "SIGKILL");
  await until("its end", () => processesOf(files).length === 0);
}

/** Those that send to a container which never reads. */
const SLOW = 100;

/** Lets another engine, whose program is another one, begin with `act`. */
async function replaceProcess(act: () => Promise<unknown>): Promise<void> {
  await forwards.close();
  // Beside the other one, because it needs the same packages.
  const program = `${PROGRAM}.${process.pid}.cjs`;
  writeFileSync(program, `${readFileSync(PROGRAM, "utf8")}\n// newer: ${randomUUID()}\n`);
  forwards = new Forwards(libc, paths, program);
  programs.add(program);
  expect(await act()).toEqual([]);
}

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

/** What a new connection answers; undefined without one. */
async function answered(port: number): Promise<string | undefined> {
  try {
    return await echo(await connected(port), "a");
  } catch {
    return undefined;
  }
}

/** The process that follows the files, as soon as it is there; something must be served. */
async function forwarder(): Promise<number> {
  const file = join(paths.networks("ports"), "pid");
  return until("the process", () => {
    const pid = existsSync(file) ? Number(readFileSync(file, "utf8")) : 0;
    return forwarders().find((one) => one === pid && !/^[ZX]/.test(stateOf(one)));
  });
}

/** The process, as soon as it alone has the port. */
async function alone(port: number): Promise<number> {
  const pid = await forwarder();
  await until("the process alone", () => isDeepStrictEqual(listeners(port), [pid]));
  return pid;
}

async function end(pid: number): Promise<void> {
  process.kill(pid, "SIGKILL");
  await until("its end", () => !forwarders().includes(pid));
}

/** The inode of the listening socket of a port; empty if there is none. */
function socketAt(port: number): string {
  const inode = new RegExp(`:${port.toString(16).toUpperCase()} 0{32}:0000 0A (?:\\S+ +){5}(\\d+)`);
  const [, socket = ""] = inode.exec(readFileSync("/proc/net/tcp6", "utf8")) ?? [];
  return socket;
}

/** The processes that hold it. */
function listeners(port: number): number[] {
  const socket = socketAt(port);
  return [process.pid, ...forwarders()].filter((pid) =>
    readdirSync(`/proc/${pid}/fd`).some((fd) => linkOf(`/proc/${pid}/fd/${fd}`) === `socket:[${socket}]`),
  );
}

/** Empty if it was closed meanwhile. */
function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return "";
  }
}

function forwarders(): number[] {
  return findProcesses(`${paths.networks("ports")} `);
}
