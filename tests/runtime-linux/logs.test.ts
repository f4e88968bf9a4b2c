// A container's log on disk, with a supervisor that is made up: files that follow one another, readers that go on over
// them, bounds, and what is found after an engine was killed.
import { appendFileSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { LogBytes } from "../../hosts/host.js";
import { Logs, type Keeping } from "../../runtime-linux/stdio/log.js";

const ID = "c";
const LINE_BYTES = 10;

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

test("a reader goes on from file to file, and offsets never go back", async () => {
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

test("what is beyond the bound is thrown away with whole files, from those who come later too", async () => {
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

test("a log is kept within its bounds while others come to be kept all the time", async () => {
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

test("who is still reading keeps files that are gone, and they go when the reader does", async () => {
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

test("a reader that never reads holds no more back than 64 MiB", async () => {
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

test("compressed files are read like the others", async () => {
  write(6);
  logs.keep(ID, keeping({ fileBytes: 50, files: 3, compressed: true }));
  const before = logs.open(ID);
  await before.read(0, new Uint8Array(10));
  await rotated(1);
  write(6);
  await rotated(2);
  write(2);
  await until(() => names().filter((name) => name.endsWith(".gz")).length === 2);
  expect(names().sort()).toEqual(["log", "log.1.gz", "log.2.gz", "log.3"]);
  const after = logs.open(ID);
  for (const log of [before, after]) expect(await textOf(log)).toBe(lines(0, 14));
  for (const log of [before, after]) await log.close();
});

test("an engine that was killed at any point of it leaves the next one the whole log", async () => {
  write(6);
  logs.keep(ID, keeping({ fileBytes: 50, files: 3, compressed: true, renew: () => false }));
  logs.close(); // killed before the supervisor was told to
  renew(); // the supervisor did it all the same
  write(2);
  writeFileSync(`${path()}.1.gz.packing`, "half");
  logs = open();
  const log = logs.open(ID);
  expect(await textOf(log)).toBe(lines(0, 8));
  expect(names().sort()).toEqual(["log", "log.1", "log.2"]);
  await log.close();
});

test("what goes wrong once is tried again", async () => {
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

test("a log that passes leaves nothing, and who reads gets the rest", async () => {
  write(3);
  logs.keep(ID, keeping({ fileBytes: 50, files: 1, passing: true }));
  const log = logs.open(ID);
  logs.ended(ID);
  logs.clear(ID);
  expect(names()).toEqual([]);
  expect(await textOf(log)).toBe(lines(0, 3));
  write(2);
  logs.keep(ID, keeping({ fileBytes: 50, files: 1, passing: true }));
  expect(await textOf(log, 30)).toBe(lines(3, 5));
  await log.close();
  expect(statSync(path()).size).toBe(2 * LINE_BYTES);
});

test("a watcher hears of lines in the first file and in the next", async () => {
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

function path(): string {
  return join(directory, "log");
}

function names(): string[] {
  return readdirSync(directory);
}

/** What a supervisor does when it is told to. */
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

/** `log` has been replaced so many times: it is empty, and linked. */
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
