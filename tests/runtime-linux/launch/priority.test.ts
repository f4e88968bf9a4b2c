// A child's session gives way while its container is made, but no session that it has not made itself.

import { spawn, type ChildProcess } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { expect, onTestFinished, test } from "vitest";
import { libc } from "../../../runtime-linux/kernel/libc.js";
import { yielding } from "../../../runtime-linux/launch/priority.js";
import { describeUnless } from "../../support/on-engines.js";

const missing = !existsSync("/proc/self/autogroup")
  ? "this kernel has no autogroups"
  : process.getuid?.() === 0
    ? null
    : "only root may raise a priority again";

/** A program that waits. `detached`: in a session of its own. */
function sleeper(detached: boolean): ChildProcess {
  const child = spawn("sleep", ["1000"], { detached, stdio: "ignore" });
  onTestFinished(() => void child.kill("SIGKILL"));
  return child;
}

/** The priority of its session (sched(7), autogroups). */
function nice({ pid }: ChildProcess): string | undefined {
  return /nice (-?\d+)/.exec(readFileSync(`/proc/${pid}/autogroup`, "utf8"))?.[1];
}

test("a process's session is known while it exists", async () => {
  const [apart, within] = [sleeper(true), sleeper(false)];
  expect(libc.sessionOf(apart.pid!)).toBe(apart.pid);
  expect(libc.sessionOf(within.pid!)).toBe(libc.sessionOf(process.pid));
  const gone = new Promise((resolve) => apart.once("exit", resolve));
  apart.kill("SIGKILL");
  await gone;
  expect(libc.sessionOf(apart.pid!)).toBeUndefined();
});

describeUnless(missing, "the priority of a child's session", () => {
  test.each(["settles", "fails"])("is low until what it makes %s", async (end) => {
    const child = sleeper(true);
    let over: () => void = () => {};
    const made = new Promise<string>((resolve, reject) => {
      over = () => (end === "fails" ? reject(new Error("no container")) : resolve("made"));
    });
    const waiting = yielding(child.pid!, made, libc).catch(() => "failed");
    await expect.poll(() => nice(child)).toBe("5");
    over();
    expect(await waiting).toBe(end === "fails" ? "failed" : "made");
    expect(nice(child)).toBe("0");
  });

  test("stays as it is if the session is ours", async () => {
    const child = sleeper(false);
    const before = nice(child);
    const made = new Promise<void>((resolve) => setTimeout(resolve, 50));
    await yielding(child.pid!, made, libc);
    expect(nice(child)).toBe(before);
  });
});
