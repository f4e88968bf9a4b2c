// What is kept of a log that outlives its container.

import { expect, test } from "vitest";
import { keptLog } from "../../hosts/streams/kept-log.js";
import { MemoryLog } from "./log-of.js";

const line = (second: number, stream: string, text: string, mark = "F"): string =>
  `2026-01-01T00:00:0${second}.000000000+00:00 ${stream} ${mark} ${text}\n`;
const [FIRST, SECOND, THIRD] = [line(1, "stdout", "one"), line(2, "stderr", "two"), line(3, "stdout", "three", "P")];
const NOTE = "clipped";

async function kept(text: string, limit: number): Promise<string> {
  const log = new MemoryLog(text);
  const bytes = await keptLog(log, { container: "c", limit, note: NOTE });
  expect(log.closed).toBe(1);
  return new TextDecoder().decode(bytes);
}

test("a log within the limit is kept as it is, and nothing of an empty one", async () => {
  const all = FIRST + SECOND + THIRD;
  expect(await kept(all, all.length)).toBe(all);
  expect(await kept("", 0)).toBe("");
});

test("of a longer log whole lines are kept, with a note at the time of the last one", async () => {
  const two = FIRST + SECOND;
  expect(await kept(two + THIRD, two.length)).toBe(two + line(2, "stderr", NOTE));
  expect(await kept(two + THIRD, two.length + THIRD.length - 1)).toBe(two + line(2, "stderr", NOTE));
  expect(await kept(two + THIRD, two.length - 1)).toBe(FIRST + line(1, "stderr", NOTE));
});

test.each([0, 1, 40, FIRST.length - 1])("with a limit of %d bytes only the note is left", async (limit) => {
  expect(await kept(FIRST + SECOND, limit)).toBe(line(1, "stderr", NOTE));
});

test("a log whose first lines are gone begins with those that are left", async () => {
  const log = new MemoryLog(FIRST + SECOND);
  log.forget(FIRST.length);
  const bytes = await keptLog(log, { container: "c", limit: 1000, note: NOTE });
  expect(new TextDecoder().decode(bytes)).toBe(SECOND);
});

test("a line that is just being written is left out", async () => {
  expect(await kept(FIRST + SECOND.slice(0, -1), 1000)).toBe(FIRST);
});
