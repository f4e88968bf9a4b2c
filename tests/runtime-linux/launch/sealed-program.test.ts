// A runtime and a supervisor that start from sealed files in memory.

import { execFileSync, spawn, type ChildProcess } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import {
  chmodSync,
  chownSync,
  closeSync,
  constants,
  copyFileSync,
  fchownSync,
  mkdtempSync,
  openSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { findNaming, isSupervisor, killNaming } from "../../../runtime-linux/ends/processes-of-run.js";
import type { Run } from "../../../runtime-linux/ends/run.js";
import { attempt } from "../../../runtime-linux/kernel/calls.js";
import { libc } from "../../../runtime-linux/kernel/libc.js";
import { text } from "../../../runtime-linux/kernel/structures.js";
import { findProgram } from "../../../runtime-linux/launch/find-program.js";
import { runsSealed, sealedProgram, sealedSupervisor } from "../../../runtime-linux/launch/sealed-program.js";
import { supervisedRuntime } from "../../../runtime-linux/launch/supervised-runtime.js";
import { until } from "../../support/commands.js";

const SHELL = findProgram("sh")!;

let directory: string;
let path: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "coracle-sealed-"));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  path = join(directory, "crun");
  copyFileSync(SHELL, path);
});

function start(program: string, ...args: string[]): ChildProcess {
  const child = spawn(program, ["-c", "read forever", ...args], { stdio: ["pipe", "ignore", "ignore"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  return child;
}

test("it is the same program, and the same file for each start", async () => {
  const program = sealedProgram({ path, kind: "crun" }, libc);
  expect(program).toMatch(/^\/proc\/\d+\/fd\/\d+$/);
  expect(sealedProgram({ path, kind: "crun" }, libc)).toBe(program);
  const child = start(program);
  await until("it has started", () => runsSealed(child.pid!, "runtime"));
  child.stdin!.end();
  expect(await once(child, "exit")).toEqual([1, null]); // as the shell's `read` at the end of its input
});

test("nobody can change it, or keep others from executing it, not even root", () => {
  const program = sealedProgram({ path, kind: "crun" }, libc);
  expect(() => writeFileSync(program, "another", { flag: "r+" })).toThrow("EPERM");
  expect(() => openSync(program, constants.O_RDWR)).toThrow("EPERM"); // nothing that is open for writing is executed
  expect(() => chmodSync(program, 0)).toThrow("EPERM");
  expect(() => chownSync(program, 1, 1)).toThrow("EPERM");
});

test("after an upgrade, the new program is started", () => {
  const before = sealedProgram({ path, kind: "crun" }, libc);
  copyFileSync(SHELL, `${path}.new`);
  renameSync(`${path}.new`, path);
  const after = sealedProgram({ path, kind: "crun" }, libc);
  expect(after).not.toBe(before);
  // A shell may be about to start it.
  expect(readlinkSync(before)).toContain("/memfd:");
});

test("a supervisor that outlives this process starts it from the disk", () => {
  const words = ["-c", "readlink /proc/$$/exe"];
  const pipes = { stdin: true, stdout: true, hasMachineNull: true };
  const { args } = supervisedRuntime(libc, { path, kind: "crun" }, words, pipes);
  const [, shell, ...rest] = args;
  const started = () =>
    execFileSync(
      shell!,
      rest.filter((word) => word !== "--runtime-arg"),
    ).toString();
  expect(started()).toContain("/memfd:");
  closeSync(Number(basename(sealedProgram({ path, kind: "crun" }, libc))));
  expect(started()).toBe(`${path}\n`);
});

test("scripts, other runtimes and missing ones are started from the disk", () => {
  expect(sealedProgram({ path, kind: "runc" }, libc)).toBe(path);
  expect(sealedProgram({ path, kind: "other" }, libc)).toBe(path);
  const script = join(directory, "script");
  writeFileSync(script, `#!${SHELL}\n`);
  chmodSync(script, 0o755);
  expect(sealedProgram({ path: script, kind: "crun" }, libc)).toBe(script);
  expect(sealedProgram({ path: join(directory, "none"), kind: "crun" }, libc)).toBe(join(directory, "none"));
});

test("a machine that gives no such file, or allows none to be executed, starts it from the disk", () => {
  const refuses = () => {
    throw new Error("EACCES");
  };
  expect(sealedProgram({ path, kind: "crun" }, { ...libc, openSealed: refuses })).toBe(path);
});

test("it is known as the runtime at work on a run, and killed with it", async () => {
  const name = `${randomBytes(32).toString("hex")}.1`;
  const child = start(sealedProgram({ path, kind: "crun" }, libc), name);
  await until("it has started", () => runsSealed(child.pid!, "runtime"));
  const ended = once(child, "exit");
  const run = { name, note: () => ({ runtime: { path: "/none" } }) } as Run;
  killNaming(run, { kernel: libc, conmon: "/none" });
  expect(await ended).toEqual([null, "SIGKILL"]);
});

test("a supervisor is called as on disk, and is known as one", async () => {
  const link = join(directory, "conmon");
  const program = sealedSupervisor(path, link, libc);
  expect(program).toBe(link);
  const name = `${randomBytes(32).toString("hex")}.1`;
  const child = start(program, name);
  await until("it has started", () => runsSealed(child.pid!, "supervisor"));
  expect(readFileSync(`/proc/${child.pid}/comm`, "utf8")).toBe("conmon\n");
  const naming = findNaming().get(name)!;
  expect(naming.map((one) => isSupervisor(one, "/none"))).toEqual([true]);
  child.stdin!.end();
  expect(await once(child, "exit")).toEqual([1, null]);
});

test("a program in memory of another user is none of ours, whatever its name", async () => {
  const fd = attempt("memfd_create", text("coracle-supervisor"), 0);
  writeSync(fd, readFileSync(path));
  const name = `${randomBytes(32).toString("hex")}.1`;
  const child = start(`/proc/${process.pid}/fd/${fd}`, name);
  await until("it has started", () => runsSealed(child.pid!, "supervisor"));
  fchownSync(fd, 65534, 65534);
  closeSync(fd);
  expect(runsSealed(child.pid!, "supervisor")).toBe(false);
  expect(
    findNaming()
      .get(name)!
      .map((one) => isSupervisor(one, "/none")),
  ).toEqual([false]);
});

test("a supervisor from the disk is known as one, even if its file was replaced", async () => {
  const name = `${randomBytes(32).toString("hex")}.1`;
  start(path, name);
  const known = (): boolean[] => (findNaming().get(name) ?? []).map((one) => isSupervisor(one, path));
  await expect.poll(known).toEqual([true]);
  copyFileSync(path, `${path}.new`);
  renameSync(`${path}.new`, path);
  expect(known()).toEqual([true]);
});

test("its name leads to the file of this process, whatever was there", () => {
  const link = join(directory, "conmon");
  symlinkSync("/proc/1/fd/4000", link); // from an engine that is gone
  expect(readlinkSync(sealedSupervisor(path, link, libc))).toMatch(new RegExp(`^/proc/${process.pid}/fd/`));
  rmSync(link);
  expect(readlinkSync(sealedSupervisor(path, link, libc))).toMatch(new RegExp(`^/proc/${process.pid}/fd/`));
  expect(sealedSupervisor(path, join(directory, "none/conmon"), libc)).toBe(path);
});
