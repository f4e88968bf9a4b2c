// Terminals of execs: they deliver all their output, and none stays open.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, mkdtempSync, readdirSync, readlinkSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Writable } from "node:stream";
import { expect, test } from "vitest";
import type { ExecPlace } from "../../../runtime-linux/exec/place.js";
import { ExecOutput } from "../../../runtime-linux/exec/output.js";
import { ExecTerminal, openTerminal, TerminalSocket } from "../../../runtime-linux/exec/terminal.js";
import type { Kernel } from "../../../runtime-linux/kernel.js";
import { libc } from "../../../runtime-linux/kernel/libc.js";

/** Number of terminal descriptors in this process. */
function openEnds(): number {
  const places = readdirSync("/proc/self/fd").map((descriptor) => {
    try {
      return readlinkSync(`/proc/self/fd/${descriptor}`);
    } catch {
      return ""; // the descriptor of the directory itself
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

test.each(["unlockTerminal", "makeRaw", "setWindowSize"] as const)("none of it stays open if %s fails", (call) => {
  const before = openEnds();
  const fail = (): never => {
    throw new Error("EIO");
  };
  const kernel: Kernel = { ...libc, [call]: fail };
  expect(() => openTerminal(kernel, 24, 80)).toThrow("EIO");
  expect(openEnds()).toBe(before);
});

test.each(["openPeer", "duplicate"] as const)("nor if the engine's own part fails: %s", (call) => {
  const before = openEnds();
  const { terminal, other } = openTerminal(libc, 24, 80);
  closeSync(other);
  const fail = (): never => {
    throw new Error("EMFILE");
  };
  expect(() => new ExecTerminal({ ...libc, [call]: fail }, terminal)).toThrow("EMFILE");
  expect(openEnds()).toBe(before);
});

test("the remaining output of an ended process is read to the end, and then it is closed", async () => {
  const before = openEnds();
  const { shown, output, write } = showing();
  shown.stream.pause(); // like a slow reader: there is more than the kernel returns at once
  await write("seq 1 2000");
  output.add("stdout", shown.rest()!);
  await output.drained();
  expect((await textOf(output)).split("\n").slice(-3)).toEqual(["1999", "2000", ""]);
  await expect.poll(openEnds).toBe(before);
});

test("output of processes that still have it is read until they are gone", async () => {
  const { shown, output, write } = showing();
  await write("{ read -r go; seq 1 2000; } <&3 & echo first");
  output.add("stdout", shown.rest()!);
  const drained = output.drained();
  setImmediate(write.go); // the first read has found no more data then, and no end
  await drained;
  const lines = (await textOf(output)).split("\n");
  expect([lines[0], ...lines.slice(-3)]).toEqual(["first", "1999", "2000", ""]);
});

test("a released one is closed in any state", async () => {
  const before = openEnds();
  for (const isOver of [false, true]) {
    const { shown } = showing();
    if (isOver) shown.rest()!.destroy();
    shown.close();
  }
  await expect.poll(openEnds).toBe(before);
});

/** A terminal with a client. `write`: a shell writes to it until its end. */
function showing() {
  const { terminal, other } = openTerminal(libc, 24, 80);
  const shown = new ExecTerminal(libc, terminal, other);
  const output = new ExecOutput(0);
  output.bind();
  output.add("stdout", shown.stream);
  output.begin();
  return { shown, output, write: writerTo(other) };
}

function writerTo(other: number) {
  const write = async (script: string): Promise<void> => {
    const child = spawn("sh", ["-c", script], { stdio: [other, other, other, "pipe"] });
    write.go = () => void (child.stdio[3] as Writable).end("go\n");
    await once(child, "exit");
  };
  write.go = (): void => {};
  return write;
}

async function textOf(output: ExecOutput): Promise<string> {
  const pieces: Uint8Array[] = [];
  for await (const { bytes } of output.pieces()) pieces.push(bytes);
  return Buffer.concat(pieces).toString();
}

test("a socket that cannot be made is reported, and leaves nothing open", async () => {
  const directory = mkdtempSync(join(tmpdir(), "coracle-terminal-"));
  const before = readdirSync("/proc/self/fd").length;
  const socket = new TerminalSocket({ directory } as ExecPlace, libc);
  writeFileSync(join(directory, "terminal"), "");
  await expect(socket.listen()).rejects.toThrow("EADDRINUSE");
  socket.close();
  expect(readdirSync("/proc/self/fd").length).toBe(before);
  rmSync(directory, { recursive: true });
});
