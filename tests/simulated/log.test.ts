// Limits of a simulated container's log, with different readers.
import { expect, test } from "vitest";
import { ContainerLog } from "../../hosts/simulated/processes/log.js";

const KEPT = { fileBytes: 1000n, files: 2, compressed: false, passing: false };
/** Size of one line in the log. */
const LINE = "2026-01-01T00:00:00.000000000+00:00 stdout F 1000\n".length;

test("files that a reader held back go with the reader, even if nothing more is written", async () => {
  const log = new ContainerLog(() => 1_767_225_600_000_000_000n);
  log.keep(KEPT);
  const reader = log.open();
  await reader.read(0, new Uint8Array(LINE));
  const lines = Array.from({ length: 1000 }, (_, index) => `${1000 + index}\n`).join("");
  log.sink("stdout").put(new TextEncoder().encode(lines));
  log.endRun();
  const other = log.open();
  expect(await other.start()).toBe(0);
  await other.close();
  await reader.close();
  const left = log.open();
  const kept = (await left.size()) - (await left.start());
  expect(kept).toBeLessThanOrEqual(Number(KEPT.fileBytes) * KEPT.files + LINE);
  expect(kept).toBeGreaterThan(0);
});
