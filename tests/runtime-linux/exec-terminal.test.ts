// Terminals that we make for OCI runtimes to copy to.

import { closeSync, readdirSync, readlinkSync } from "node:fs";
import { expect, test } from "vitest";
import { openTerminal } from "../../runtime-linux/exec/terminal.js";
import type { Kernel } from "../../runtime-linux/kernel.js";
import { libc } from "../../runtime-linux/kernel/libc.js";

/** Ends of terminals that this process has open. */
function openEnds(): number {
  const places = readdirSync("/proc/self/fd").map((descriptor) => {
    try {
      return readlinkSync(`/proc/self/fd/${descriptor}`);
    } catch {
      return ""; // that of the directory itself
    }
  });
  return places.filter((place) => /^\/dev\/(?:ptmx|pts\/)/.test(place)).length;
}

test("a terminal has two ends", () => {
  const before = openEnds();
  const { terminal, other } = openTerminal(libc, 24, 80);
  expect(openEnds()).toBe(before + 2);
  for (const end of [terminal, other]) closeSync(end);
});

test.each(["unlockTerminal", "makeRaw", "setWindowSize"] as const)("none of it stays open where %s fails", (call) => {
  const before = openEnds();
  const fail = (): never => {
    throw new Error("EIO");
  };
  const kernel: Kernel = { ...libc, [call]: fail };
  expect(() => openTerminal(kernel, 24, 80)).toThrow("EIO");
  expect(openEnds()).toBe(before);
});
