// When a process that was replaced looks at its files: at changes, and else seldom.

import { once } from "node:events";
import { mkdtempSync, rmSync, watch, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, expect, test, vi } from "vitest";
import { Looks } from "../../../runtime-linux/followers/looks.js";

const HOUR_MS = 3_600_000;
const directory = mkdtempSync(join(tmpdir(), "coracle-looks-"));
afterEach(() => void vi.useRealTimers());
afterAll(() => rmSync(directory, { recursive: true }));

test("it looks when a file is written, replaced or removed, long before the pause is over", async () => {
  const looks = new Looks(directory, HOUR_MS, HOUR_MS);
  const file = join(directory, "one.json");
  for (const act of [() => writeFileSync(file, "1"), () => writeFileSync(file, "2"), () => rmSync(file)]) {
    const next = looks.next();
    act();
    await next;
  }
  looks.close();
});

test("a change between two looks is not missed", async () => {
  const looks = new Looks(directory, HOUR_MS, HOUR_MS);
  const other = watch(directory);
  const told = once(other, "change");
  writeFileSync(join(directory, "two.json"), "");
  await told;
  await looks.next();
  other.close();
  looks.close();
});

test("without a change, and without a directory to watch, the pauses grow up to a second", async () => {
  vi.useFakeTimers();
  for (const watched of [undefined, join(directory, "none")]) {
    const looks = new Looks(watched);
    const pauses: number[] = [];
    for (let at = 0; at < 7; at++) {
      const before = Date.now();
      const next = looks.next();
      vi.advanceTimersToNextTimer();
      await next;
      pauses.push(Date.now() - before);
    }
    looks.close();
    expect(pauses).toEqual([50, 100, 200, 400, 800, 1000, 1000]);
  }
});
