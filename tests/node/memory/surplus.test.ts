// Which of its core's memory the daemon gives back: all pages of zeros, and no others.

import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { Surplus } from "../../../hosts/node/memory/surplus.js";
import { handBackZeros } from "../../../hosts/node/memory/zero-pages.js";

const MEBIBYTE = 1 << 20;
const PAGE = 4096;

async function handedBack(memory: Uint8Array): Promise<[from: number, length: number][]> {
  const handed: [number, number][] = [];
  await handBackZeros(() => memory, {
    pageBytes: PAGE,
    handBack: (pages) => void handed.push([pages.byteOffset, pages.length]),
  });
  return handed;
}

describe("of the core's memory", () => {
  test("pages of zeros are given back, a page with a single byte stays", async () => {
    const memory = new Uint8Array(4 * MEBIBYTE);
    memory[0] = 1;
    memory[2 * MEBIBYTE - 1] = 1;
    expect(await handedBack(memory)).toEqual([
      [PAGE, 2 * MEBIBYTE - 2 * PAGE],
      [2 * MEBIBYTE, 2 * MEBIBYTE],
    ]);
  });

  test("a large memory is scanned in several turns, and may change in between", async () => {
    const memory = new Uint8Array(64 * MEBIBYTE);
    const turns = new Set<number>();
    let turn = 0;
    const count = setInterval(() => turn++, 0);
    const before = new Uint8Array(32 * MEBIBYTE);
    // Like memory that has grown: the first view must not be used any more.
    let views = 0;
    await handBackZeros(() => (views++ === 0 ? before : memory), {
      pageBytes: PAGE,
      handBack: () => void turns.add(views),
    });
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

  interface Burst {
    surplus: Surplus;
    trim: ReturnType<typeof vi.fn<() => Promise<void>>>;
    collect: ReturnType<typeof vi.fn<() => () => Uint8Array>>;
    warn: ReturnType<typeof vi.fn>;
    handBackFile: ReturnType<typeof vi.fn>;
    handBackProgram: ReturnType<typeof vi.fn>;
    quiet: { file: string | null };
  }

  /** A process that used this much, then more. `load`: the share of time in which it is busy. */
  function burst(load = 0): Burst {
    rss = GROWN;
    const trim = vi.fn(async () => {});
    const collect = vi.fn(() => () => new Uint8Array(PAGE));
    const warn = vi.fn();
    const handBackFile = vi.fn();
    const handBackProgram = vi.fn();
    const system = {
      pageBytes: PAGE,
      get ownBytes() {
        return process.memoryUsage.rss();
      },
      bound: () => {},
      handBack: () => {},
      handBackFile,
      handBackProgram,
      trim,
    };
    const quiet = { file: "/records" as string | null };
    const surplus = new Surplus(
      system,
      { warn },
      () => quiet.file,
      () => load,
    );
    surplus.watch({ allocatedBytes: 50 * MEBIBYTE, collectAndWipe: collect });
    surplus.opened();
    rss = 3 * GROWN;
    surplus.stepped();
    return { surplus, trim, collect, warn, handBackFile, handBackProgram, quiet };
  }

  async function untilTrimmed(trim: Burst["trim"], times = 1): Promise<void> {
    vi.advanceTimersByTime(LONG_MS);
    vi.useRealTimers();
    await vi.waitFor(() => expect(trim).toHaveBeenCalledTimes(times), { timeout: 60_000 });
    // It is over in this turn.
    await new Promise((resolve) => setImmediate(resolve));
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  }

  test("memory is given back when the engine is idle", async () => {
    const { surplus, trim, collect } = burst(1);
    surplus.rested();
    await untilTrimmed(trim);
    expect(collect).toHaveBeenCalledOnce();
  });

  test("a start is a burst, too, however little it has taken: memory is given back once", async () => {
    const { surplus, trim, handBackProgram } = burst(0.1);
    rss = GROWN;
    surplus.stepped();
    vi.advanceTimersByTime(LONG_MS);
    expect(trim).not.toHaveBeenCalled();
    surplus.rested();
    await untilTrimmed(trim);
    for (let i = 0; i < 3; i++) {
      surplus.stepped();
      surplus.rested();
      await vi.advanceTimersByTimeAsync(LONG_MS);
    }
    expect([trim.mock.calls.length, handBackProgram.mock.calls.length]).toEqual([1, 1]);
  });

  test("pages of the records' file are given back, too", async () => {
    const { surplus, trim, handBackFile } = burst();
    surplus.rested();
    await untilTrimmed(trim);
    expect(handBackFile.mock.calls).toEqual([["/records"]]);
  });

  test("but not while a thread may map it elsewhere", async () => {
    const { surplus, trim, handBackFile, quiet } = burst();
    quiet.file = null;
    surplus.rested();
    await untilTrimmed(trim);
    expect(handBackFile).not.toHaveBeenCalled();
  });

  test("pages of the program are given back last, since the rest needs some", async () => {
    const { surplus, trim, handBackProgram } = burst();
    surplus.rested();
    await untilTrimmed(trim);
    expect(handBackProgram).toHaveBeenCalledOnce();
    expect(handBackProgram.mock.invocationCallOrder[0]).toBeGreaterThan(trim.mock.invocationCallOrder[0]!);
  });

  test("and when it is never idle, but has little to do", async () => {
    const { surplus, trim, collect } = burst(0.1);
    surplus.rested();
    surplus.stepped();
    await untilTrimmed(trim);
    expect(collect).toHaveBeenCalledOnce();
  });

  test("it need never have been idle for that", async () => {
    const { trim } = burst(0.1);
    await untilTrimmed(trim);
  });

  test("a second round follows while the engine is idle, since V8 keeps much after the first, and no third", async () => {
    const { surplus, trim } = burst();
    surplus.rested();
    await untilTrimmed(trim);
    await untilTrimmed(trim, 2);
    await vi.advanceTimersByTimeAsync(LONG_MS);
    vi.useRealTimers();
    await new Promise((resolve) => setTimeout(resolve, 600));
    expect(trim).toHaveBeenCalledTimes(2);
  });

  test("nothing is done during much work, but after it", async () => {
    const { surplus, trim, collect } = burst(0.9);
    surplus.rested();
    surplus.stepped();
    vi.advanceTimersByTime(LONG_MS);
    expect(collect).not.toHaveBeenCalled();
    surplus.rested();
    await untilTrimmed(trim);
    expect(collect).toHaveBeenCalledOnce();
  });

  test("nothing is done once it is closed", () => {
    const { surplus, collect } = burst();
    surplus.close();
    surplus.rested();
    vi.advanceTimersByTime(LONG_MS);
    expect(collect).not.toHaveBeenCalled();
  });

  test("a system that takes nothing back is logged once, and tried again", async () => {
    const rejected = vi.fn();
    process.on("unhandledRejection", rejected);
    const { surplus, trim, collect, warn } = burst();
    trim.mockRejectedValue(new Error("malloc_trim: EIO"));
    surplus.rested();
    await untilTrimmed(trim);
    surplus.rested();
    await untilTrimmed(trim, 2);
    process.off("unhandledRejection", rejected);
    expect(rejected).not.toHaveBeenCalled();
    // The core had not allocated anything since.
    expect(collect).toHaveBeenCalledOnce();
    expect(warn.mock.calls).toEqual([
      ["memory of the C library's cannot be given back", { error: "Error: malloc_trim: EIO" }],
    ]);
  });

  test("memory in use is rarely scanned after some rounds, until it grows", async () => {
    const { surplus, trim, collect } = burst(0.1);
    let allocated = 0;
    surplus.watch({
      // More than the last time: the core's collection is part of each round, and done at once.
      get allocatedBytes() {
        return (allocated += 50 * MEBIBYTE);
      },
      collectAndWipe: collect,
    });
    const rounds = 4;
    for (let times = 1; times <= rounds; times++) {
      surplus.stepped();
      await untilTrimmed(trim, times);
    }
    surplus.stepped();
    vi.advanceTimersByTime(LONG_MS);
    expect(collect).toHaveBeenCalledTimes(rounds);
    surplus.stepped();
    await untilTrimmed(trim, rounds + 1);
    rss += 16 * MEBIBYTE;
    surplus.stepped();
    await untilTrimmed(trim, rounds + 2);
    // Nothing more, but the engine is idle, so its users may be gone.
    surplus.rested();
    await untilTrimmed(trim, rounds + 3);
  });

  test("an engine without a free descriptor continues, and tries again later", async () => {
    const { surplus, trim, warn } = burst();
    const look = vi.mocked(process.memoryUsage.rss).getMockImplementation()!;
    const fails = vi.mocked(process.memoryUsage.rss).mockImplementation(() => {
      throw new Error("EMFILE: too many open files");
    });
    surplus.opened();
    surplus.rested();
    await vi.advanceTimersByTimeAsync(LONG_MS);
    expect(trim).not.toHaveBeenCalled();
    expect(warn.mock.calls).toEqual([
      ["the memory of this process cannot be looked at", { error: "Error: EMFILE: too many open files" }],
    ]);
    fails.mockImplementation(look);
    surplus.rested();
    await untilTrimmed(trim);
  });

  test("a failure for the core's memory does not affect other memory", async () => {
    const { surplus, trim, collect, warn } = burst();
    collect.mockImplementation(() => {
      throw new Error("madvise: EINVAL");
    });
    surplus.rested();
    await untilTrimmed(trim);
    surplus.rested();
    await untilTrimmed(trim, 2);
    expect(collect).toHaveBeenCalledTimes(2);
    expect(warn).toHaveBeenCalledOnce();
  });
});
