// A disk that does not come to an end with what it is given: the flight recorder lets go of a segment, and nobody waits.

import type * as Files from "node:fs/promises";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { openLog } from "../../hosts/node/log.js";
import { SegmentFiles } from "../../hosts/node/trace/segment-files.js";
import { TraceDirectory } from "../../hosts/node/trace/trace-directory.js";
import { until } from "../support/commands.js";

const disk = vi.hoisted(() => ({ release: () => {}, held: Promise.resolve() }));

vi.mock("node:fs/promises", async (original) => {
  const real = await original<typeof Files>();
  const open: typeof real.open = async (...of) => {
    const handle = await real.open(...of);
    const write = handle.appendFile.bind(handle);
    handle.appendFile = async (...bytes) => {
      await disk.held;
      await write(...bytes);
    };
    return handle;
  };
  return { ...real, open };
});

const LINE = "x".repeat(1 << 20);
let directory: TraceDirectory;
let lines: string[] = [];

beforeEach(() => {
  directory = new TraceDirectory(join(mkdtempSync(join(tmpdir(), "coracle-slow-")), "trace"));
  directory.make();
  lines = [];
});
afterEach(() => rmSync(join(directory.path, ".."), { recursive: true }));

test("what waits for it is bounded, and it is used again when it is quick", async () => {
  const log = openLog(
    () => "debug",
    (line) => void lines.push(line),
  );
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
