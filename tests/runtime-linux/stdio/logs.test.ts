// A container's log on disk, with a simulated supervisor: consecutive files, readers that continue across them, limits,
// and the state after an engine was killed.
import { appendFileSync, closeSync, mkdtempSync, openSync, readdirSync, renameSync, rmSync, statSync } from "node:fs";
import { symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from "vitest";
import type { LogBytes } from "../../../hosts/shared/host.js";
import { Logs, type Keeping } from "../../../runtime-linux/stdio/log.js";

const ID = "c";
const LINE_BYTES = 10;
/** 2026-11-20T09:00:07.5Z */
const AT = 1_795_165_207_500_000_000n;

let directory: string;
let logs: Logs;
let next: number;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "logs-"));
  logs = open();
  next = 0;
});
afterEach(() => {
  logs.close();
  rmSync(directory, { recursive: true });
});

test("a reader continues from file to file, and offsets never go back", async () => {
  write(3);
  logs.keep(ID, keeping({ fileBytes: 50, files: 2 }));
  const log = logs.open(ID);
  expect(await textOf(log)).toBe(lines(0, 3));
  write(3);
  await rotated(1);
  write(2);
  expect([await log.start(), await log.size()]).toEqual([0, 80]);
  expect(await textOf(log, 30)).toBe(lines(3, 8));
  await log.close();
});

test("text over the limit is dropped in whole files, also for later readers", async () => {
  write(6);
  logs.keep(ID, keeping({ fileBytes: 50, files: 2 }));
  for (const count of [2, 3, 4]) {
    await rotated(count - 1);
    write(6);
  }
  await rotated(4);
  write(1);
  await until(() => names().length === 3);
  const log = logs.open(ID);
  expect(await log.read(0, new Uint8Array(10))).toBe(-1);
  expect([await log.start(), await textOf(log, await log.start())]).toEqual([180, lines(18, 25)]);
  await log.close();
});

test("a log stays within its limits while others are added all the time", async () => {
  let coming = 0;
  write(6);
  const others = setInterval(() => logs.keep(`other${coming++}`, keeping({ fileBytes: 50, files: 1 })), 5);
  try {
    logs.keep(ID, keeping({ fileBytes: 50, files: 1 }));
    await rotated(1);
  } finally {
    clearInterval(others);
  }
  expect(coming).toBeGreaterThan(0);
});

test("a reader keeps removed files, which go when it is gone", async () => {
  write(6);
  logs.keep(ID, keeping({ fileBytes: 50, files: 1 }));
  const slow = logs.open(ID);
  await rotated(1);
  write(6);
  await rotated(2);
  write(1);
  await until(() => names().length === 2);
  const other = logs.open(ID);
  expect(await textOf(slow)).toBe(lines(0, 13));
  await other.read(120, new Uint8Array(10));
  expect(await other.start()).toBe(0);
  await slow.close();
  expect(await other.start()).toBe(120);
  await other.close();
});

test("a reader that will read again keeps what it has read", async () => {
  write(6);
  logs.keep(ID, keeping({ fileBytes: 50, files: 1 }));
  const log = logs.open(ID);
  expect(await log.read(0, new Uint8Array(60), 10)).toBe(60);
  await rotated(1);
  write(6);
  await rotated(2);
  write(1);
  await until(() => names().length === 2);
  expect(await textOf(log, 10)).toBe(lines(1, 13));
  await log.close();
});

test("a reader that never reads holds back at most 64 MiB", async () => {
  const block = 16 * 1024 ** 2;
  const put = () => appendFileSync(path(), new Uint8Array(block).fill(0x0a));
  put();
  logs.keep(ID, keeping({ fileBytes: block, files: 1 }));
  const idle = logs.open(ID);
  for (let count = 1; count <= 7; count++) {
    await rotated(count);
    put();
  }
  await until(() => names().length <= 3);
  expect(await idle.size()).toBe(8 * block);
  expect(await idle.read(0, new Uint8Array(1))).toBe(-1);
  const held = (await idle.size()) - (await idle.start());
  expect(held).toBeGreaterThanOrEqual(4 * block);
  expect(held).toBeLessThanOrEqual(6 * block);
  await idle.close();
});

test.each([false, true])(
  "a burst keeps no more than the limits, and a reader gets all of it (compressed: %s)",
  async (compressed) => {
    write(3);
    logs.keep(ID, keeping({ fileBytes: 50, files: 2, compressed }));
    const slow = logs.open(ID);
    await slow.read(0, new Uint8Array(10));
    write(97);
    await rotated(1);
    await until(() => statSync(`${path()}.1`).size < 1000);
    if (compressed) {
      write(1); // a file without a successor is not compressed
      await until(() => names().includes("log.1.gz"));
    }
    const last = next;
    expect(await textOf(slow, 10)).toBe(lines(1, last));
    await slow.close();
    const after = logs.open(ID);
    expect([await after.start(), await textOf(after, await after.start())]).toEqual([900, lines(90, last)]);
    expect(await after.read(0, new Uint8Array(1))).toBe(-1);
    write(2);
    expect(await textOf(after, 950)).toBe(lines(95, last + 2));
    await after.close();
    logs.close();
    logs = open();
    const found = logs.open(ID);
    expect(await textOf(found)).toBe(lines(90, last + 2));
    await found.close();
  },
);

test("a run that ends with a burst leaves no more than the limits either", async () => {
  write(3);
  logs.keep(ID, keeping({ fileBytes: 50, files: 3 }));
  write(97);
  logs.ended(ID, AT);
  await until(() => statSync(`${path()}.1`).size === 150);
  const log = logs.open(ID);
  const start = await log.start();
  expect(await textOf(log, start)).toBe(lines(85, 100));
  // The next run continues where this one ended.
  logs.keep(ID, keeping({ fileBytes: 50, files: 3 }));
  write(1);
  expect(await textOf(log, start + 100)).toBe(lines(95, 101));
  await log.close();
});

test.each([6, 100])("a burst is cut, then compressed, even if %d lines must be compressed before", async (count) => {
  const bounds = { fileBytes: 50, files: 3, compressed: true };
  write(count);
  logs.keep(ID, keeping(bounds));
  renew();
  logs.ended(ID, AT);
  runWith(100, bounds); // before the work that the first left is begun
  await until(() => names().includes("log.2.gz") && names().length === 3);
  logs.close();
  logs = open();
  const found = logs.open(ID);
  expect(await textOf(found)).toBe(lines(next - 15, next));
  await found.close();
});

test.each([[[70, 70, 70, 70, 70]], [[90, 25]], [[90, 50]]])(
  "bursts leave no more than twice the limits, even if half of the newest must be kept (%s)",
  async (bursts) => {
    const bounds = 505;
    for (const count of bursts) {
      runWith(count, { fileBytes: 101, files: 5 });
      await until(() => onDisk() <= 2 * bounds);
    }
    const log = logs.open(ID);
    const start = await log.start();
    const kept = (await log.size()) - start;
    expect(kept).toBeGreaterThan(bounds - LINE_BYTES);
    expect(await textOf(log, start)).toBe(lines(next - kept / LINE_BYTES, next));
    await log.close();
  },
);

test("a reader holds back only the part of a cut file that is not in its rest", async () => {
  const mebibyte = 1024 ** 2;
  appendFileSync(path(), new Uint8Array(70 * mebibyte).fill(0x0a));
  const bounds = keeping({ fileBytes: 10 * mebibyte, files: 1 });
  logs.keep(ID, bounds);
  const slow = logs.open(ID);
  await slow.read(55 * mebibyte, new Uint8Array(1));
  logs.ended(ID, AT);
  await until(() => statSync(`${path()}.1`).size === 10 * mebibyte);
  await logs.open(ID).close(); // unused data is released
  expect(await slow.read(55 * mebibyte + 1, new Uint8Array(1))).toBe(1);
  await slow.read(60 * mebibyte, new Uint8Array(1)); // already in the remaining part
  await logs.open(ID).close();
  expect(await slow.start()).toBe(60 * mebibyte);
  await slow.close();
});

test.each([
  [".cutting", false],
  [".packing", true],
])("a copy that a full disk stops leaves no log.1%s, and the log is complete", async (ending, compressed) => {
  const half = `${path()}.1${ending}`;
  logs.keep(ID, keeping({ fileBytes: 50, files: compressed ? 20 : 2, compressed }));
  symlinkSync("/dev/full", half);
  write(100);
  logs.ended(ID, AT);
  await until(() => !names().includes(`log.1${ending}`));
  expect(names().sort()).toEqual(["log", "log.1", "log.2"]);
  const log = logs.open(ID);
  expect(await textOf(log)).toBe(lines(0, 100));
  await log.close();
});

test("an unreadable compressed file leaves all descriptors unchanged, and opens none", async () => {
  writeFileSync(`${path()}.1.gz`, Buffer.from("\x1f\x8b that is no log", "latin1"));
  write(3);
  const before = readdirSync("/proc/self/fd").length;
  for (let time = 0; time < 3; time++) {
    const log = logs.open(ID);
    await expect(log.read(0, new Uint8Array(10))).rejects.toThrow();
    await sleep(20);
    // A file opened now may get the descriptor of one that was closed twice.
    const others = [1, 2, 3, 4].map(() => openSync("/proc/self/status", "r"));
    await log.close();
    for (const other of others) closeSync(other);
  }
  expect(readdirSync("/proc/self/fd").length).toBe(before);
});

test("compressed files are read like the others", async () => {
  write(6);
  logs.keep(ID, keeping({ fileBytes: 50, files: 3, compressed: true }));
  const before = logs.open(ID);
  await before.read(0, new Uint8Array(10));
  await rotated(1);
  write(6);
  await rotated(2);
  write(2);
  // The original file is removed only after its copy is on disk.
  await until(() => names().sort().join(" ") === "log log.1.gz log.2.gz log.3");
  const after = logs.open(ID);
  for (const log of [before, after]) expect(await textOf(log)).toBe(lines(0, 14));
  for (const log of [before, after]) await log.close();
});

test("an engine that is killed at any point of a rotation leaves the whole log to the next one", async () => {
  write(6);
  logs.keep(ID, keeping({ fileBytes: 50, files: 3, compressed: true, renew: () => false }));
  logs.close(); // killed before the supervisor was told
  renew(); // the supervisor did it anyway
  write(2);
  writeFileSync(`${path()}.1.gz.packing`, "half");
  logs = open();
  const log = logs.open(ID);
  expect(await textOf(log)).toBe(lines(0, 8));
  expect(names().sort()).toEqual(["log", "log.1", "log.2"]);
  await log.close();
});

test("the file is kept, not its compressed copy, which may not be on the disk yet", async () => {
  write(3);
  renameSync(path(), `${path()}.1`);
  writeFileSync(`${path()}.1.gz`, "half of it");
  const log = logs.open(ID);
  expect(await textOf(log)).toBe(lines(0, 3));
  expect(names()).toEqual(["log.1"]);
  await log.close();
});

test("a new file that a supervisor could not finish is removed after its run", async () => {
  write(3);
  logs.keep(ID, keeping({ fileBytes: 50, files: 2 }));
  writeFileSync(`${path()}.tmp`, "");
  logs.ended(ID, AT);
  expect(names().sort()).toEqual(["log", "log.1"]);
});

test("a new file that a supervisor is just making is not touched", async () => {
  write(3);
  writeFileSync(`${path()}.tmp`, "");
  const log = logs.open(ID);
  renameSync(`${path()}.tmp`, path());
  write(2);
  expect(await textOf(log)).toBe(lines(0, 5));
  await log.close();
});

test("a reader continues with the new file even if the run ends before it exists", async () => {
  let told = false;
  write(6);
  logs.keep(ID, keeping({ fileBytes: 50, files: 2, renew: () => (told = true) }));
  await until(() => told);
  logs.ended(ID, AT);
  const log = logs.open(ID);
  renew();
  await until(() => numbered(2));
  write(2);
  expect(await textOf(log)).toBe(lines(0, 8));
  await log.close();
});

test("a supervisor that has not made its new file yet is not told again, even after a long time", async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  let told = 0;
  write(6);
  logs.keep(ID, keeping({ fileBytes: 50, files: 3, renew: () => told++ >= 0 }));
  await vi.advanceTimersByTimeAsync(60_000);
  write(6); // to the full file
  await vi.advanceTimersByTimeAsync(60_000);
  expect(told).toBe(1);
  renew();
  write(6);
  await vi.advanceTimersByTimeAsync(60_000);
  expect([told, numbered(2), numbered(3)]).toEqual([2, true, false]);
});

test("another run's supervisor need not make the new file of the run before", async () => {
  const told: string[] = [];
  const say = (name: string) => keeping({ fileBytes: 50, files: 3, renew: () => told.push(name) > 0 });
  write(6);
  logs.keep(ID, say("first"));
  await until(() => told.length === 1);
  logs.keep(ID, say("second"));
  await until(() => told.length === 2);
  expect(told).toEqual(["first", "second"]);
});

test.each([
  [".packing", true],
  [".cutting", false],
])("a copy that a full disk stops (log.1%s) is tried again until it is complete", async (ending, compressed) => {
  const half = `log.1${ending}`;
  const count = compressed ? 6 : 100;
  logs.keep(ID, keeping({ fileBytes: 50, files: 2, compressed }));
  symlinkSync("/dev/full", join(directory, half));
  write(count);
  await rotated(1);
  write(1);
  for (let failed = 1; failed <= 3; failed++) {
    await until(() => !names().includes(half)); // removed after the failure
    expect(statSync(`${path()}.1`).size).toBe(count * LINE_BYTES);
    if (failed < 3) symlinkSync("/dev/full", join(directory, half));
  }
  await until(() => (compressed ? names().includes("log.1.gz") : statSync(`${path()}.1`).size < count * LINE_BYTES));
  const log = logs.open(ID);
  expect(await textOf(log, await log.start())).toBe(lines(compressed ? 0 : 91, next));
  await log.close();
});

test("a step that fails once is tried again", async () => {
  let fails = 3;
  const stubborn = () => {
    if (fails-- > 0) throw new Error("input/output error");
    return renew();
  };
  write(6);
  logs.keep(ID, keeping({ fileBytes: 50, files: 1, renew: stubborn }));
  await rotated(1);
  expect(fails).toBeLessThan(0);
});

test("a log of a driver that keeps nothing leaves nothing, and a reader gets the rest", async () => {
  write(3);
  logs.keep(ID, keeping({ fileBytes: 50, files: 1, passing: true }));
  const log = logs.open(ID);
  logs.ended(ID, AT);
  logs.clear(ID);
  expect(names()).toEqual([]);
  expect(await textOf(log)).toBe(lines(0, 3));
  write(2);
  logs.keep(ID, keeping({ fileBytes: 50, files: 1, passing: true }));
  expect(await textOf(log, 30)).toBe(lines(3, 5));
  await log.close();
  expect(statSync(path()).size).toBe(2 * LINE_BYTES);
});

test("a watcher is notified of lines in the first file and in the next", async () => {
  const log = logs.open(ID);
  let heard = 0;
  const stop = log.watch(() => heard++);
  write(6);
  logs.keep(ID, keeping({ fileBytes: 50, files: 2 }));
  await until(() => heard > 0);
  await rotated(1);
  heard = 0;
  write(1);
  await until(() => heard > 0);
  stop();
  await log.close();
});

function open(): Logs {
  return new Logs(() => path());
}

test("a watcher is notified on a machine without free inotify watches", async () => {
  write(1);
  const log = logs.open(ID);
  rmSync(`${path()}.1`); // fs.watch fails for this too
  let heard = 0;
  const unwatch = log.watch(() => heard++);
  write(1);
  await until(() => heard > 0);
  unwatch();
  const last = heard;
  await sleep(300);
  expect(heard).toBe(last);
  await log.close();
});

function path(): string {
  return join(directory, "log");
}

function names(): string[] {
  return readdirSync(directory);
}

/** What a supervisor does when told to rotate. */
function renew(): boolean {
  writeFileSync(`${path()}.tmp`, "");
  renameSync(`${path()}.tmp`, path());
  return true;
}

function keeping(given: Partial<Keeping>): Keeping {
  return { fileBytes: 0, files: 1, compressed: false, passing: false, renew, ...given };
}

function lines(from: number, to: number): string {
  let text = "";
  for (let number = from; number < to; number++) text += `${String(number).padStart(LINE_BYTES - 1, "0")}\n`;
  return text;
}

function write(count: number): void {
  appendFileSync(path(), lines(next, next + count));
  next += count;
}

/** A run that writes this many lines at once, before the log is checked. */
function runWith(count: number, given: Partial<Keeping>): void {
  logs.keep(ID, keeping(given));
  write(count);
  logs.ended(ID, AT);
}

/** Size of all files; `log` and the newest numbered file are the same. */
function onDisk(): number {
  const numbers = names().filter((name) => name !== "log");
  return numbers.reduce((sum, name) => sum + statSync(join(directory, name)).size, 0);
}

/** `log` has been replaced this many times: it is empty, and linked. */
async function rotated(count: number): Promise<void> {
  await until(() => statSync(path()).size === 0 && statSync(path()).nlink === 2 && numbered(count + 1));
}

function numbered(number: number): boolean {
  return names().includes(`log.${number}`);
}

async function textOf(log: LogBytes, from = 0): Promise<string> {
  const into = new Uint8Array(1 << 16);
  let text = "";
  for (let at = from; ;) {
    const read = await log.read(at, into);
    if (read <= 0) return text;
    text += Buffer.from(into.subarray(0, read)).toString();
    at += read;
  }
}

async function until(condition: () => boolean): Promise<void> {
  for (let waited = 0; !condition(); waited += 10) {
    if (waited > 10_000) throw new Error(`still: ${names().join(" ")}`);
    await sleep(10);
  }
}
