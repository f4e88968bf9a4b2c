// What the daemon hands back of its core's memory: pages of zeros, all of them, and none beside.

import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { handBackZeros, Surplus } from "../../hosts/node/surplus.js";

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

describe("after a burst", () => {
  const GROWN = 100 * MEBIBYTE;
  const LONG_MS = 60_000;
  let rss = GROWN;

  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    vi.spyOn(process.memoryUsage, "rss").mockImplementation(() => rss);
  });
  afterEach(() => {
    vi.useRealTimers();
    vi.restoreAllMocks();
  });

  /** A process that had so much, then more. */
  function burst(trim: () => Promise<void>): { surplus: Surplus; collected: () => number } {
    rss = GROWN;
    const collectAndWipe = vi.fn(() => () => new Uint8Array(CHUNK));
    const surplus = new Surplus({ bound: () => {}, handBack: () => {}, trim });
    surplus.watch({ allocatedBytes: 50 * MEBIBYTE, collectAndWipe });
    surplus.opened();
    rss = 3 * GROWN;
    surplus.stepped();
    return { surplus, collected: () => collectAndWipe.mock.calls.length };
  }

  async function untilTrimmed(trim: ReturnType<typeof vi.fn>): Promise<void> {
    vi.advanceTimersByTime(LONG_MS);
    vi.useRealTimers();
    await vi.waitFor(() => expect(trim).toHaveBeenCalled(), { timeout: 20_000 });
  }

  test("memory is given back when the engine rests", async () => {
    const trim = vi.fn(async () => {});
    const { surplus, collected } = burst(trim);
    surplus.rested();
    await untilTrimmed(trim);
    expect(collected()).toBe(1);
  });

  test("nothing is done in the midst of work", () => {
    const trim = vi.fn(async () => {});
    const { surplus, collected } = burst(trim);
    surplus.rested();
    surplus.stepped();
    vi.advanceTimersByTime(LONG_MS);
    expect(collected()).toBe(0);
  });

  test("a system that takes nothing back does not end the daemon", async () => {
    const trim = vi.fn(() => Promise.reject(new Error("madvise: EINVAL")));
    const rejected = vi.fn();
    process.on("unhandledRejection", rejected);
    const { surplus } = burst(trim);
    surplus.rested();
    await untilTrimmed(trim);
    await new Promise((resolve) => setImmediate(resolve));
    process.off("unhandledRejection", rejected);
    expect(rejected).not.toHaveBeenCalled();
  });
});
