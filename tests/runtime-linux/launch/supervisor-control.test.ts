// Messages to a supervisor through its control fifo, with a reader instead of the supervisor.

import { execFileSync } from "node:child_process";
import { closeSync, constants, mkdtempSync, openSync, readSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { renewLog, resizeTerminal } from "../../../runtime-linux/launch/supervisor-control.js";
import { libc } from "../../../runtime-linux/kernel/libc.js";
import type { Run } from "../../../runtime-linux/ends/run.js";

test("a resize is answered when the terminal has its size, not when the supervisor got the message", async () => {
  const directory = mkdtempSync(join(tmpdir(), "coracle-control-"));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const run = { directory } as Run;
  await expect(resizeTerminal(run, 31, 97, libc)).rejects.toThrow("no-such: process");
  execFileSync("mkfifo", [join(directory, "ctl")]);
  await expect(resizeTerminal(run, 31, 97, libc)).rejects.toThrow("no-such: process");
  const supervisor = openSync(join(directory, "ctl"), constants.O_RDONLY | constants.O_NONBLOCK);
  onTestFinished(() => closeSync(supervisor));
  let told = false;
  const resized = resizeTerminal(run, 31, 97, libc).then(() => (told = true));
  await sleep(30);
  expect(told).toBe(false);
  const line = Buffer.alloc(64);
  expect(line.toString("latin1", 0, readSync(supervisor, line))).toBe("1 31 97\n");
  await resized;
  expect(told).toBe(true);
});

test("a slow supervisor is not told twice to begin a new log file", () => {
  const directory = mkdtempSync(join(tmpdir(), "coracle-control-"));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const run = { directory } as Run;
  execFileSync("mkfifo", [join(directory, "ctl")]);
  expect(renewLog(run, libc)).toBe(false);
  const supervisor = openSync(join(directory, "ctl"), constants.O_RDONLY | constants.O_NONBLOCK);
  onTestFinished(() => closeSync(supervisor));
  const line = Buffer.alloc(64);
  for (let file = 0; file < 2; file++) {
    expect([renewLog(run, libc), renewLog(run, libc)]).toEqual([true, false]);
    expect(line.toString("latin1", 0, readSync(supervisor, line))).toBe("2 0 0\n");
  }
});
