// What the daemon hands back of its core's memory: pages of zeros, all of them, and none beside.

import { describe, expect, test } from "vitest";
import { handBackZeros } from "../../hosts/node/surplus.js";

const MEBIBYTE = 1 << 20;
const CHUNK = 64 * 1024;

async function handedBack(memory: Uint8Array): Promise<[from: number, length: number][]> {
  const handed: [number, number][] = [];
  await handBackZeros(
    () => memory,
    (pages) => handed.push([pages.byteOffset, pages.length]),
  );
  return handed;
}

describe("of the core's memory", () => {
  test("stretches of zeros go back, what holds a single byte stays", async () => {
    const memory = new Uint8Array(4 * MEBIBYTE);
    memory[0] = 1;
    memory[2 * MEBIBYTE - 1] = 1;
    expect(await handedBack(memory)).toEqual([
      [CHUNK, 2 * MEBIBYTE - 2 * CHUNK],
      [2 * MEBIBYTE, 2 * MEBIBYTE],
    ]);
  });

  test("a large one is gone through in several turns, and may change in between", async () => {
    const memory = new Uint8Array(64 * MEBIBYTE);
    const turns = new Set<number>();
    let turn = 0;
    const count = setInterval(() => turn++, 0);
    const before = new Uint8Array(32 * MEBIBYTE);
    // As memory that grows: the first view is not to be asked any more.
    let views = 0;
    await handBackZeros(
      () => (views++ === 0 ? before : memory),
      () => turns.add(views),
    );
    clearInterval(count);
    expect(turns.size).toBeGreaterThan(4);
    expect(views).toBeGreaterThan(4);
  });
});
