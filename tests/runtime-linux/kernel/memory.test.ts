// What a process that has had much to do gives back of its memory, and how it counts what it has.

import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { processMemory } from "../../../runtime-linux/kernel/memory.js";

const MEBIBYTE = 2 ** 20;

test("pages of its program", () => {
  const before = fileBytes();
  processMemory.handBackProgram();
  expect(fileBytes()).toBeLessThan(before - 4 * MEBIBYTE);
  expect(JSON.parse(JSON.stringify({ one: [1, 2, 3].map((number) => number * 2) }))).toEqual({ one: [2, 4, 6] });
});

test("those do not count as its own memory, buffers do", () => {
  const before = processMemory.ownBytes;
  processMemory.handBackProgram();
  expect(Math.abs(processMemory.ownBytes - before)).toBeLessThan(8 * MEBIBYTE);
  const buffer = Buffer.alloc(64 * MEBIBYTE, 1);
  expect(processMemory.ownBytes).toBeGreaterThan(before + 48 * MEBIBYTE);
  expect(buffer[0]).toBe(1);
});

/** Of files, in memory: proc_pid_status(5). */
function fileBytes(): number {
  return Number(/^RssFile:\s+(\d+)/m.exec(readFileSync("/proc/self/status", "utf8"))?.[1]) * 1024;
}
