// The daemon's socket, its group, and its pid file.

import { once } from "node:events";
import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { rm } from "node:fs/promises";
import { connect, createServer } from "node:net";
import type { Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { spawn, spawnSync } from "node:child_process";
import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import { claimPidFile } from "../../hosts/node/pid-file.js";
import { clearSocket, listen, socketGroup } from "../../hosts/node/http/socket.js";
import { must, until } from "../support/commands.js";

const directory = mkdtempSync(join(tmpdir(), "coracle-sockets-"));
afterAll(() => rm(directory, { recursive: true }));

const ownGroup = process.getgid?.() ?? 0;

describe("a socket", () => {
  test("has mode 0660 and its group", async () => {
    const path = join(directory, "deep", "mode.sock");
    await clearSocket(path);
    const server = createServer();
    onTestFinished(() => void server.close());
    await listen(server, path, ownGroup);
    const { mode, gid } = statSync(path);
    expect([(mode & 0o777).toString(8), gid]).toEqual(["660", ownGroup]);
  });

  test("with a listening process is left alone", async () => {
    const path = join(directory, "live.sock");
    const server = createServer();
    await listen(server, path, null);
    await expect(clearSocket(path)).rejects.toThrow(`cannot listen on ${path}: another daemon answers there`);
    expect(existsSync(path)).toBe(true);
    server.close();
  });

  test("with a listener that accepts no connections for now is left alone", async () => {
    const path = join(mkdtempSync(join(directory, "busy-")), "s.sock");
    const block = "Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)";
    const listening = `{ path: ${JSON.stringify(path)}, backlog: 1 }, () => (console.log("ready"), ${block})`;
    const script = `require("net").createServer().listen(${listening})`;
    const child = spawn(process.execPath, ["-e", script], { stdio: ["ignore", "pipe", "inherit"] });
    const waiting = new Set<Socket>();
    onTestFinished(() => {
      for (const socket of waiting) socket.destroy();
      child.kill("SIGKILL");
    });
    await once(child.stdout, "data");
    await expect.poll(() => connected(path, waiting), { interval: 1 }).toBe("EAGAIN");
    await expect(clearSocket(path)).rejects.toThrow(`cannot listen on ${path}: another daemon answers there`);
    expect(existsSync(path)).toBe(true);
  });

  test("left by a killed daemon is replaced", async () => {
    const path = join(directory, "stale.sock");
    const script = `require("net").createServer().listen(${JSON.stringify(path)}, () => console.log("ready"))`;
    const child = spawn(process.execPath, ["-e", script], { stdio: ["ignore", "pipe", "inherit"] });
    await new Promise((resolve) => child.stdout.once("data", resolve));
    child.kill("SIGKILL");
    await new Promise((resolve) => child.once("exit", resolve));
    expect(existsSync(path)).toBe(true);
    await clearSocket(path);
    expect(existsSync(path)).toBe(false);
  });

  test("does not take the place of a file", async () => {
    const path = join(directory, "precious");
    writeFileSync(path, "text");
    await expect(clearSocket(path)).rejects.toThrow("it exists and is not a socket");
    expect(readFileSync(path, "utf8")).toBe("text");
  });
});

/** The result of one more connection. */
function connected(path: string, waiting: Set<Socket>): Promise<string> {
  const socket = connect(path);
  waiting.add(socket);
  return new Promise((resolve) => {
    socket.once("connect", () => resolve("connected"));
    socket.once("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? ""));
  });
}

describe("its group", () => {
  const groups = join(directory, "group");
  writeFileSync(groups, "root:x:0:\ndocker:x:998:me\nstaff:x:50:\n");

  test("is docker, if it exists, or as named", () => {
    expect(socketGroup(null, groups)).toBe(998);
    expect(socketGroup("staff", groups)).toBe(50);
    expect(socketGroup("1234", groups)).toBe(1234);
  });

  test("must exist if it was named", () => {
    expect(() => socketGroup("nobodies", groups)).toThrow("group nobodies not found");
    writeFileSync(groups, "root:x:0:\n");
    expect(socketGroup(null, groups)).toBeNull();
  });
});

/** In the format that a daemon writes for itself. */
function identityOf(pid: number): string {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  const ticks = stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19];
  return `${readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim()} ${ticks}`;
}

const unmountable = spawnSync("unshare", ["-m", "true"]).status !== 0;

describe("a pid file", () => {
  test("keeps a second daemon away", async () => {
    const file = join(directory, "run", "d.pid");
    const child = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { stdio: "ignore" });
    claimPidFile(file).release();
    writeFileSync(file, String(child.pid));
    expect(() => claimPidFile(file)).toThrow(`process with PID ${child.pid} is still running`);
    child.kill("SIGKILL");
    await new Promise((resolve) => child.once("exit", resolve));
    const claimed = claimPidFile(file);
    expect(readFileSync(file, "utf8")).toBe(String(process.pid));
    claimed.release();
    expect(existsSync(file)).toBe(false);
  });

  test("that outlives a reboot is taken over from a process of the same program started at another time", async () => {
    const file = join(directory, "kept.pid");
    const child = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { stdio: "ignore" });
    onTestFinished(() => void child.kill("SIGKILL"));
    const own = claimPidFile(file, true);
    const [, identity = ""] = readFileSync(file, "utf8").split("\n");
    expect(identity).toMatch(/^[0-9a-f-]{36} [0-9]+$/);
    own.release();
    writeFileSync(file, `${child.pid}\n${identity}\n`);
    claimPidFile(file, true).release();
    writeFileSync(file, `${child.pid}\n${identityOf(child.pid!)}\n`);
    expect(() => claimPidFile(file, true)).toThrow(`process with PID ${child.pid} is still running`);
  });

  test("with its process's start time belongs to that process, even if its program's file changed", async () => {
    const program = join(directory, "sleeper");
    copyFileSync("/bin/sleep", program);
    const child = spawn(program, ["1000"], { stdio: "ignore" });
    onTestFinished(() => void child.kill("SIGKILL"));
    await until("the program to run", async () => readlinkSync(`/proc/${child.pid}/exe`) === program);
    rmSync(program);
    const file = join(directory, "upgraded.pid");
    writeFileSync(file, `${child.pid}\n${identityOf(child.pid!)}\n`);
    expect(() => claimPidFile(file, true)).toThrow(`process with PID ${child.pid} is still running`);
    child.kill("SIGKILL");
    await new Promise((resolve) => child.once("exit", resolve));
    claimPidFile(file, true).release();
  });

  test("of a zombie process is taken over", async () => {
    const script = "sleep 1000 & echo $!; exec sleep 1001";
    const parent = spawn("/bin/sh", ["-c", script], { stdio: ["ignore", "pipe", "inherit"] });
    onTestFinished(() => void parent.kill("SIGKILL"));
    const [line] = (await once(parent.stdout, "data")) as [Buffer];
    const pid = Number(line.toString());
    const file = join(directory, "zombie.pid");
    writeFileSync(file, `${pid}\n${identityOf(pid)}\n`);
    expect(() => claimPidFile(file, true)).toThrow(`process with PID ${pid} is still running`);
    // The shell's own command line also contains the number.
    await until("the parent to reap nothing", async () =>
      readFileSync(`/proc/${parent.pid}/cmdline`, "utf8").startsWith("sleep\0"),
    );
    process.kill(pid, "SIGKILL");
    await until("it to end", async () => / Z /.test(readFileSync(`/proc/${pid}/stat`, "utf8")));
    claimPidFile(file, true).release();
  });

  test("on a full disk still names its owner", async ({ skip }) => {
    if (unmountable) skip("nothing can be mounted here");
    const small = join(directory, "small");
    await must(["mkdir", small]);
    await must(["mount", "-t", "tmpfs", "-o", "size=16k", "tmpfs", small]);
    onTestFinished(async () => void (await must(["umount", small])));
    expect(() => writeFileSync(join(small, "filling"), new Uint8Array(65536))).toThrow("ENOSPC");
    const file = join(small, "daemon.pid");
    claimPidFile(file, true).release();
    expect(readdirSync(small)).toEqual(["filling"]);
    const own = claimPidFile(file, true);
    expect(readlinkSync(file)).toBe(`${process.pid}\n${identityOf(process.pid)}\n`);
    own.release();
    const child = spawn("/bin/sleep", ["1000"], { stdio: "ignore" });
    onTestFinished(() => void child.kill("SIGKILL"));
    await until("it to run", async () => existsSync(`/proc/${child.pid}/stat`));
    symlinkSync(`${child.pid}\n${identityOf(child.pid!)}\n`, file);
    expect(() => claimPidFile(file, true)).toThrow(`process with PID ${child.pid} is still running`);
    child.kill("SIGKILL");
    await new Promise((resolve) => child.once("exit", resolve));
    claimPidFile(file, true).release();
    expect(readdirSync(small)).toEqual(["filling"]);
  });

  test("whose process id now belongs to another program is taken over", () => {
    const file = join(directory, "reused.pid");
    writeFileSync(file, "1");
    claimPidFile(file).release();
  });
});
