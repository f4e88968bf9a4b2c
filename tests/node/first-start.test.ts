// The image that comes with the engine, at a daemon's first start.

import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { loadEmbeddedImage } from "../../hosts/node/first-start.js";
import { openLog } from "../../hosts/node/log.js";

test("a first start whose image cannot be loaded goes on, says so, and leaves it to the next start", async () => {
  const directory = await mkdtemp(join(tmpdir(), "coracle-first-"));
  onTestFinished(() => rm(directory, { recursive: true }));
  const lines: string[] = [];
  const log = openLog(
    () => "info",
    (line) => lines.push(line),
  );
  await loadEmbeddedImage(directory, () => Promise.reject(new Error("the reply was cut off")), log);
  // Without a static busybox there is nothing to ask for, and that is said instead.
  expect(lines.join("")).toMatch(/embedded image cannot be loaded.*the reply was cut off|no embedded image/);
  expect(existsSync(join(directory, "embedded-image"))).toBe(false);
});
