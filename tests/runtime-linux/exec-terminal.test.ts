// Terminals that we make for OCI runtimes to copy to.

import { closeSync, mkdtempSync, readdirSync, readlinkSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { ExecPlace } from "../../runtime-linux/exec/place.js";
import { openTerminal, TerminalSocket } from "../../runtime-linux/exec/terminal.js";
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

test("a socket that cannot be made is told of, and leaves nothing open", async () => {
  const directory = mkdtempSync(join(tmpdir(), "coracle-terminal-"));
  const before = readdirSync("/proc/self/fd").length;
  const socket = new TerminalSocket({ directory } as ExecPlace, libc);
  writeFileSync(join(directory, "terminal"), "");
  await expect(socket.listen()).rejects.toThrow("EADDRINUSE");
  socket.close();
  expect(readdirSync("/proc/self/fd").length).toBe(before);
  rmSync(directory, { recursive: true });
});
