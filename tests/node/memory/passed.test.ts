// Bytes that pass through the engine's thread do not pile up in its memory.
import { setImmediate as turn } from "node:timers/promises";
import { expect, test } from "vitest";
import { notePassed } from "../../../hosts/node/memory/passed.js";

const PIECE = 64 << 10;
const PIECES = 4096;

test("the memory of bytes that have passed is freed early", async () => {
  const left = await mostKept(() => {});
  expect(left).toBeGreaterThan(24 << 20);
  expect(await mostKept(notePassed)).toBeLessThan(16 << 20);
});

/** The most memory in use by pieces while a quarter of a gigabyte passes. */
async function mostKept(passed: (bytes: number) => void): Promise<number> {
  const before = process.memoryUsage().arrayBuffers;
  let most = 0;
  for (let at = 0; at < PIECES; at += 1) {
    Buffer.allocUnsafeSlow(PIECE).fill(at);
    passed(PIECE);
    most = Math.max(most, process.memoryUsage().arrayBuffers - before);
    if (at % 16 === 0) await turn();
  }
  return most;
}
