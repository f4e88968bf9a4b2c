// The mounts in a container that its runtime has created, independent of earlier lookups: in a mount namespace made for
// it.

import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import fs, { mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { failureOf } from "../../../hosts/shared/failure.js";
import { mountsOf } from "../../../runtime-linux/content/files/mounted.js";
import { libc } from "../../../runtime-linux/kernel/libc.js";
import { settle, settleMounts, isOfMachine } from "../../../runtime-linux/mounts/created.js";
import { must, until } from "../../support/commands.js";
import { describeUnless } from "../../support/on-engines.js";

const directory = mkdtempSync(join(tmpdir(), "coracle-created-"));
const proc = join(directory, "proc");
const closed = [{ path: proc, fileSystem: "proc", open: [`${proc}/uptime`] }];
let child: ChildProcess | undefined;

describeUnless(process.getuid?.() === 0 ? null : "needs root", "mounts of a created container", () => {
  afterEach(async () => {
    if (child?.exitCode === null) {
      child.kill("SIGKILL");
      await once(child, "exit");
    }
    rmSync(directory, { recursive: true, force: true });
  });

  test.each([
    ["nothing but its own", "true", undefined],
    ["memory in it", `mount -t tmpfs none ${proc}/fs`, `${proc}/fs`],
    ["memory over it", `mount -t tmpfs none ${proc}`, proc],
    ["a file over one of its files", `mount --bind /etc/passwd ${proc}/version`, `${proc}/version`],
    ["a file over an open one", `mount --bind /etc/passwd ${proc}/uptime`, undefined],
    ["what the runtime hides", `mount -t tmpfs none ${proc}/acpi`, undefined],
    ["the same file system", `mount --bind ${proc}/sys ${proc}/sys`, undefined],
  ])("in a private mount namespace: %s", async (_what, script, found) => {
    const pid = await created(script);
    const settle = () => settleMounts({ linux: { maskedPaths: [`${proc}/acpi`] } }, closed, pid, libc);
    if (found === undefined) expect(settle).not.toThrow();
    else expect(failureFrom(settle)).toMatchObject({ tag: "misplaced", val: { place: found, destination: "" } });
  });

  test("only mounts below a bound directory of the machine come along", async () => {
    const own = join(directory, "own");
    const bound = [{ destination: proc, source: own, type: "bind", options: ["rbind"] }];
    await must(["sh", "-ec", `mkdir -p ${own}; mount -t proc proc ${own}; mount -t tmpfs none ${own}/fs`]);
    try {
      const pid = await created(`umount ${proc} && mount --rbind ${own} ${proc}`);
      const settle = (mounts: typeof bound) => () => settleMounts({ mounts }, closed, pid, libc);
      expect(settle(bound)).not.toThrow();
      expect(failureFrom(settle([]))).toMatchObject({ tag: "misplaced", val: { place: `${proc}/fs` } });
      await must(["nsenter", "-t", String(pid), "-m", "mount", "-t", "tmpfs", "none", `${proc}/bus`]);
      expect(failureFrom(settle(bound))).toMatchObject({ tag: "misplaced", val: { place: `${proc}/bus` } });
    } finally {
      await must(["umount", "-R", own]);
    }
  });

  test("a process with a copy of the machine's mounts does not show a container's", async () => {
    const pid = await created(`mount -t tmpfs none ${proc}/fs`);
    const root = join(directory, "root");
    mkdirSync(root);
    expect(isOfMachine("/", pid)).toBe(false);
    expect(isOfMachine(root, pid)).toBe(true);
    const mounts = [{ destination: "/elsewhere", type: "tmpfs" }];
    expect(() => settle({ root: { path: root }, mounts }, closed, pid, false, libc)).not.toThrow();
    const misplaced = { tag: "misplaced", val: { place: `${proc}/fs` } };
    expect(failureFrom(() => settle({ root: { path: root } }, closed, pid, true, libc))).toMatchObject(misplaced);
    expect(failureFrom(() => settle({ root: { path: "/" } }, closed, pid, false, libc))).toMatchObject(misplaced);
  });

  test("a process with its root in another mount of the container's file system does not count as the machine's", async () => {
    const root = join(directory, "root");
    const pid = await created(`mkdir ${root} && mount --bind / ${root}`, root);
    expect(isOfMachine("/", pid)).toBe(false);
    expect(isOfMachine(root, pid)).toBe(true);
  });

  test("nor does one with any other root", async () => {
    const root = join(directory, "root");
    const pid = await created(`mkdir -p ${root} && mount --bind /usr ${root}`, root);
    await until("its root", () => fs.readlinkSync(`/proc/${pid}/root`) === root);
    expect(isOfMachine(directory, pid)).toBe(false);
  });

  test("without information from a process, mounts are looked up where the container's links lead now", async () => {
    const pid = await created("true");
    const root = join(directory, "root");
    mkdirSync(root);
    const spec = { root: { path: root }, mounts: [{ destination: "/place/fs", type: "tmpfs" }] };
    expect(() => settle(spec, closed, pid, false, libc)).not.toThrow();
    symlinkSync(proc, join(root, "place"));
    const misplaced = { tag: "misplaced", val: { place: `${proc}/fs` } };
    expect(failureFrom(() => settle(spec, closed, pid, false, libc))).toMatchObject(misplaced);
  });

  test("unreadable mounts do not count as none", async () => {
    const pid = await created(`mount -t tmpfs none ${proc}/fs`);
    vi.spyOn(fs, "readFileSync").mockImplementation(() => {
      throw Object.assign(new Error("EMFILE: too many open files"), { code: "EMFILE" });
    });
    syncBuiltinESMExports();
    try {
      expect(failureFrom(() => settleMounts({}, closed, pid, libc))).toMatchObject({
        tag: "call",
        val: { error: "EMFILE" },
      });
    } finally {
      vi.restoreAllMocks();
      syncBuiltinESMExports();
    }
    expect(failureFrom(() => settleMounts({}, closed, pid, libc))).toMatchObject({ tag: "misplaced" });
  });

  test("an ended process does not count as valid", async () => {
    const pid = await created("true");
    child!.kill("SIGKILL");
    await once(child!, "exit");
    child = undefined;
    const early = { tag: "start-broke", val: { how: "process-ended" } };
    expect(failureFrom(() => settleMounts({}, closed, pid, libc))).toMatchObject(early);
    expect(failureFrom(() => isOfMachine("/", pid))).toMatchObject(early);
  });

  test("a read-only path gets the flags of its mount back, and no others", async () => {
    const bind = (path: string) => `mount --bind ${path} ${path} && mount -o remount,bind,ro,suid,dev,exec ${path}`;
    const pid = await created(
      `${bind(`${proc}/sys`)} && ${bind(`${proc}/fs`)} && mkdir ${directory}/a && ${bind(`${directory}/a`)}`,
    );
    const optionsAt = (path: string) =>
      mountsOf(pid)
        .find(({ point }) => point === path)
        ?.options.join();
    const plain = optionsAt(`${directory}/a`);
    expect(optionsAt(`${proc}/sys`)).toBe("ro,relatime");
    const readonlyPaths = [`${proc}/sys`, `${directory}/a`, `${proc}/bus`];
    settleMounts({ linux: { readonlyPaths } }, closed, pid, libc);
    expect(optionsAt(`${proc}/sys`)).toBe("ro,nosuid,nodev,noexec,relatime");
    expect(optionsAt(`${proc}/fs`)).toBe("ro,relatime");
    expect(optionsAt(`${directory}/a`)).toBe(plain);
  });

  /** A process in its own mount namespace, with its own /proc at another path. */
  async function created(script: string, root?: string): Promise<number> {
    const made = `mkdir -p ${proc} && mount -t proc -o nosuid,nodev,noexec proc ${proc} && ${script} && echo ready`;
    child = spawn("unshare", ["--mount", "sh", "-c", `${made} && exec ${root ? `chroot ${root} ` : ""}sleep 600`], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    await once(child.stdout!, "data");
    return child.pid!;
  }
});

function failureFrom(act: () => void): unknown {
  try {
    act();
  } catch (error) {
    return failureOf(error);
  }
  throw new Error("nothing was refused");
}
