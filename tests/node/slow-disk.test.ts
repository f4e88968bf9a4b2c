// A disk that never finishes its writes, or accepts none: the flight recorder does without a segment, and no client
// waits or fails.

import type * as SyncFiles from "node:fs";
import type * as Files from "node:fs/promises";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { openLog } from "../../hosts/node/log.js";
import { SegmentFiles } from "../../hosts/node/trace/segment-files.js";
import { TraceDirectory } from "../../hosts/node/trace/trace-directory.js";
import { SUM_BYTES } from "../../hosts/trace/chain.js";
import { until } from "../support/commands.js";

const disk = vi.hoisted(() => ({ release: () => {}, held: Promise.resolve(), isReadOnly: false }));

vi.mock("node:fs", async (original) => {
  const real = await original<typeof SyncFiles>();
  const rmSync: typeof real.rmSync = (...of) => {
    if (disk.isReadOnly) throw new Error("EROFS: read-only file system, rm");
    real.rmSync(...of);
  };
  return { ...real, rmSync };
});

vi.mock("node:fs/promises", async (original) => {
  const real = await original<typeof Files>();
  const open: typeof real.open = async (...of) => {
    const handle = await real.open(...of);
    const write = handle.appendFile.bind(handle);
    handle.appendFile = async (...bytes) => {
      await disk.held;
      if (disk.isReadOnly) throw new Error("EROFS: read-only file system, write");
      await write(...bytes);
    };
    return handle;
  };
  return { ...real, open };
});

const LINE = "x".repeat(1 << 20);
let directory: TraceDirectory;
let lines: string[] = [];
const log = openLog(
  () => "debug",
  (line) => void lines.push(line),
);

beforeEach(() => {
  directory = new TraceDirectory(join(mkdtempSync(join(tmpdir(), "coracle-slow-")), "trace"));
  directory.make();
  lines = [];
});
afterEach(() => {
  disk.isReadOnly = false;
  rmSync(join(directory.path, ".."), { recursive: true });
});

test("its queue is limited, and it is used again when it is fast", async () => {
  const files = new SegmentFiles({ directory, limit: 256 << 20, log });
  disk.held = new Promise((resolve) => (disk.release = resolve));
  files.begin(1);
  files.append("first");
  const flushed = files.flush();
  let taken = 0;
  while (files.takes(1)) {
    files.append(LINE);
    taken++;
  }
  expect(taken).toBeGreaterThan(8);
  expect(taken).toBeLessThan(32);
  expect(lines).toEqual([expect.stringContaining('msg="the flight recorder dropped a segment" segment=1')]);
  expect(lines[0]).toContain("too slow");
  disk.release();
  await flushed;
  await until("another segment to be taken", () => files.takes(2));
  expect(files.takes(1)).toBe(false);
  files.begin(2);
  files.append("second");
  await files.close();
  expect(directory.segments().map(({ number }) => number)).toEqual([1, 2]);
});

test("one that becomes read-only costs a segment, and is used again when it is writable", async () => {
  const files = new SegmentFiles({ directory, limit: 256 << 20, log });
  files.begin(1);
  disk.isReadOnly = true;
  files.append("first");
  // Not awaited, so that an error would end the process.
  await until("the log to say so", () => lines.length > 1);
  expect(lines).toEqual([
    expect.stringMatching(/the flight recorder dropped a segment.*EROFS.*write/),
    expect.stringMatching(/the flight recorder could not remove a segment.*EROFS.*rm/),
  ]);
  await files.flush();
  disk.isReadOnly = false;
  await until("another segment to be taken", () => files.takes(2));
  files.begin(2);
  files.append("second");
  await files.close();
  expect(directory.segments().map(({ number, bytes }) => [number, bytes])).toEqual([
    [1, 0],
    [2, "second\n".length + SUM_BYTES],
  ]);
});
