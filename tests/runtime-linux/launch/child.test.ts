// Starting programs without a fork of the engine.

import { closeSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import {
  endOf,
  missingProgram,
  saidBy,
  startChild,
  type Child,
  type Command,
} from "../../../runtime-linux/launch/child.js";
import { libc } from "../../../runtime-linux/kernel/libc.js";
import { shownFailure } from "../../support/failed.js";
import { describeUnless } from "../../support/on-engines.js";

const LIMIT_MS = 60_000;

function sh(script: string, more: Partial<Command> = {}): Child {
  const files = ["ignore", "pipe", "pipe"] as const;
  return startChild(libc, { program: "sh", args: ["-c", script], files, ...more });
}

/** The device that stands for no input needs root. */
const missing = process.getuid?.() === 0 ? null : "needs root";

describeUnless(missing, "children", () => {
  test("reports its output, and its exit code", async () => {
    const child = sh("echo out; echo err >&2; exit 7");
    const [stdout, stderr, end] = await Promise.all([
      text(child.pipes[1]!),
      text(child.pipes[2]!),
      endOf(child, libc, LIMIT_MS),
    ]);
    expect([stdout, stderr, end]).toEqual(["out\n", "err\n", { code: 7 }]);
  });

  test("reads its input to the end", async () => {
    const child = sh("cat", { files: ["pipe", "pipe", "ignore"] });
    child.pipes[0]!.end("given");
    expect(await text(child.pipes[1]!)).toBe("given");
    expect(await child.gone).toEqual({ code: 0 });
  });

  test("can open its streams by their names, and gets an open file unchanged", async () => {
    const directory = mkdtempSync(join(tmpdir(), "coracle-child-"));
    const file = openSync(join(directory, "errors"), "a");
    try {
      const child = sh("pwd > /dev/stdout; echo err > /dev/stderr", { files: ["ignore", "pipe", file], directory });
      expect(await text(child.pipes[1]!)).toBe(`${directory}\n`);
      await child.gone;
      expect(readFileSync(join(directory, "errors"), "utf8")).toBe("err\n");
    } finally {
      closeSync(file);
      rmSync(directory, { recursive: true });
    }
  });

  test("has its own session and signals, and none of our files", async () => {
    const child = sh("cut -d' ' -f6 /proc/$$/stat; grep SigIgn /proc/self/status; ls /proc/$$/fd");
    const [session, ignored, ...files] = (await text(child.pipes[1]!)).trim().split("\n");
    expect(session).toBe(String(child.pid));
    expect(ignored).toBe("SigIgn:\t0000000000000000");
    expect(files.sort()).toEqual([...new Set(["0", "1", "2", ...handedOn()])].sort());
    await child.gone;
  });

  test("its output is complete when it has ended, even if another process holds its pipe", async () => {
    const child = sh("echo said >&2; sleep 1000 > /dev/null & echo $!");
    const [pid, stderr] = await Promise.all([saidBy(child, 1), saidBy(child, 2)]);
    expect(stderr).toBe("said\n");
    expect(child.pipes[2]!.destroyed).toBe(true);
    process.kill(Number(pid), "SIGKILL");
  });

  test("one that takes too long is killed; a signal leaves no code", async () => {
    expect(await endOf(sh("exec sleep 1000"), libc, 50)).toEqual({ code: null });
  });

  test("many that end at once are all reported, and leave no zombies", async () => {
    const children = Array.from({ length: 40 }, (_, index) => sh(`exit ${index}`));
    const ends = await Promise.all(children.map((child) => endOf(child, libc, LIMIT_MS)));
    expect(ends.map(({ code }) => code)).toEqual(children.map((_, index) => index));
    for (const { pid } of children) expect(() => readFileSync(`/proc/${pid}/stat`)).toThrow(/ENOENT|ESRCH/);
  });

  test("throws when there is no such program, and leaves nothing open", () => {
    const nothing: Command = { program: "/no/such", args: [], files: ["pipe", "pipe", "ignore"] };
    const start = (): unknown => startChild(libc, nothing);
    // The descriptor for signals is opened once and stays.
    expect(start).toThrow(/ENOENT/);
    const held = readdirSync("/proc/self/fd").length;
    expect(start).toThrow(/ENOENT/);
    expect(readdirSync("/proc/self/fd")).toHaveLength(held);
  });

  test("its empty stream is a device of its own", async () => {
    const before = machineNull();
    const other = sh("stat -Lc '%i %a %t:%T' /dev/stdin; cat; echo lost > /dev/stderr", { files: NOTHING_AND_OUTPUT });
    const child = sh("stat -Lc '%i %a %t:%T' /dev/stdin; chown 777:777 /proc/self/fd/0 && chmod 600 /proc/self/fd/0", {
      files: NOTHING_AND_OUTPUT,
    });
    const [one, two] = await Promise.all([text(other.pipes[1]!), text(child.pipes[1]!)]);
    expect([one, two].map((line) => line.replace(/^\d+ /, ""))).toEqual(["666 1:3\n", "666 1:3\n"]);
    expect(one).not.toBe(two);
    expect(await child.gone).toEqual({ code: 0 });
    expect(await other.gone).toEqual({ code: 0 });
    expect(machineNull()).toEqual(before);
  });

  test("is reported as not installed only if it is missing", () => {
    const why = (program: string, more: Partial<Command> = {}) => {
      try {
        return expect.unreachable(String(startChild(libc, { program, args: [], files: [], ...more }).pid));
      } catch (error) {
        return shownFailure(missingProgram(error, program));
      }
    };
    expect(why("no-such-program")).toEqual({ tag: "no-such", val: { what: "tool", name: "no-such-program" } });
    const refused = { call: "fork/exec", inside: false };
    expect(why("sh", { directory: "/no/such" })).toEqual({
      tag: "call",
      val: { ...refused, path: "sh", error: "ENOENT" },
    });
    const path = "/etc/passwd"; // it is not executable
    expect(why(path)).toEqual({ tag: "call", val: { ...refused, path, error: "EACCES" } });
  });
});

const NOTHING_AND_OUTPUT = ["ignore", "pipe", "ignore"] as const;

function machineNull(): object {
  const { uid, gid, mode, ctimeNs } = statSync("/dev/null", { bigint: true });
  return { uid, gid, mode, ctimeNs };
}

/** Files without close-on-exec: left open by the program that started the tests. */
function handedOn(): string[] {
  return readdirSync("/proc/self/fdinfo").filter((fd) => {
    const flags = /^flags:\s+(\d+)/m.exec(readIfThere(`/proc/self/fdinfo/${fd}`))?.[1];
    return flags !== undefined && (Number.parseInt(flags, 8) & O_CLOEXEC) === 0;
  });
}

const O_CLOEXEC = 0o2000000;

function readIfThere(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
