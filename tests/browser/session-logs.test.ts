// A container's log as the page shows it.
import { expect, test } from "vitest";
import { entriesOf } from "../../hosts/browser/session/view/logs.js";
import { line, MemoryLog, timeOf } from "../streams/log-of.js";

test("text without a newline at the end of a run becomes a line when the run is over", async () => {
  const log = new MemoryLog(line(1, "a") + line(2, "last ", "stdout", "P") + line(3, "words", "stdout", "P"));
  const shown = async (second: number) =>
    (await entriesOf(log, timeOf(second))).map(({ text, stream }) => `${stream}: ${text}`);
  expect(await shown(5)).toEqual(["stdout: a"]);
  log.append(line(4, "", "stdout", "E") + line(4, "", "stderr", "E") + line(5, "b"));
  expect(await shown(3)).toEqual(["stdout: a"]);
  expect(await shown(5)).toEqual(["stdout: a", "stdout: last words", "stdout: b"]);
});

test("a log whose start was dropped shows the rest", async () => {
  const log = new MemoryLog(line(1, "gone") + line(2, "left"));
  log.forget(line(1, "gone").length);
  expect((await entriesOf(log, timeOf(9))).map(({ text }) => text)).toEqual(["left"]);
});
