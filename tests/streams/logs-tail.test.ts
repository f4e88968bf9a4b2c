// The last lines of a log.

import { describe, expect, test } from "vitest";
import { FIVE, MemoryLog, RotatedLog, frames, line, logsOf, timeOf } from "./log-of.js";

describe("tail", () => {
  test.each([
    [0, ""],
    [1, "five\n"],
    [2, "four\nfive\n"],
    [5, "one\ntwo\nthree\nfour\nfive\n"],
    [9, "one\ntwo\nthree\nfour\nfive\n"],
  ])("%i", async (tail, expected) => {
    expect(await logsOf(FIVE, { tail })).toBe(expected);
  });

  test("counts lines of both streams, after since and until", async () => {
    expect(await logsOf(FIVE, { tail: 4, stderr: false })).toBe("three\nfour\nfive\n");
    expect(await logsOf(FIVE, { tail: 2, until: timeOf(3) })).toBe("two\nthree\n");
    expect(await logsOf(FIVE, { tail: 3, since: timeOf(4) })).toBe("four\nfive\n");
  });

  test("counts a line once, with any number of parts", async () => {
    const log = new MemoryLog(
      line(1, "one") + line(2, "tw", "stdout", "P") + line(3, "o") + line(4, "rest", "stdout", "P"),
    );
    expect(await logsOf(log, { tail: 1 })).toBe("rest");
    expect(await logsOf(log, { tail: 2 })).toBe("two\nrest");
    expect(await logsOf(log, { tail: 3 })).toBe("one\ntwo\nrest");
  });

  test("has a whole line that began before earlier lines of the other stream, without those", async () => {
    const log = new MemoryLog(
      line(1, "zero") +
        line(2, "fo", "stdout", "P") +
        line(3, "two", "stderr") +
        line(4, "three", "stderr") +
        line(5, "ur"),
    );
    expect(await logsOf(log, { tail: 1 })).toBe("four\n");
    expect(await logsOf(log, { tail: 2 })).toBe("three\nfour\n");
    expect(await logsOf(log, { tail: 3 })).toBe("two\nthree\nfour\n");
    expect(await logsOf(log, { tail: 4 })).toBe("zero\ntwo\nthree\nfour\n");
    log.append(line(6, "five", "stderr"));
    expect(await logsOf(log, { tail: 1 })).toBe("five\n");
    expect(await logsOf(log, { tail: 2 })).toBe("four\nfive\n");
  });

  test("does not read a long log backwards for a line that the other stream may have begun", async () => {
    const one = line(2, "y".repeat(1000));
    const log = new MemoryLog(line(1, "old", "stderr") + one.repeat(4000) + line(3, "new", "stderr") + one);
    let bytes = 0;
    const read = log.read.bind(log);
    log.read = (offset, into) => read(offset, into).then((length) => ((bytes += length), length));
    expect(await logsOf(log, { tail: 2 })).toBe(`new\n${"y".repeat(1000)}\n`);
    expect(bytes).toBeLessThan(2 ** 20 + 3 * 65_536);
  });

  test.each([
    [0, []],
    [1, ["last\n"]],
    [2, ["7233n", "last\n"]],
    [3, ["16384", "7233n", "last\n"]],
    [4, ["16384", "16384", "7233n", "last\n"]],
    [5, ["first\n", "16384", "16384", "7233n", "last\n"]],
    [6, ["first\n", "16384", "16384", "7233n", "last\n"]],
  ])("%i counts each 16 KiB of a long line", async (tail, expected) => {
    const parts = [8192, 8192, 8192, 8192, 7232].map((length, index) =>
      line(2, "x".repeat(length), "stdout", index < 4 ? "P" : "F"),
    );
    const log = new MemoryLog(line(1, "first") + parts.join("") + line(3, "last"));
    const told = frames(await logsOf(log, { tail, framed: true }));
    const records = told === "" ? [] : told.split("|").map((frame) => frame.slice(2));
    const short = records.map((text) =>
      text.startsWith("x") ? `${text.length}${text.endsWith("\n") ? "n" : ""}` : text,
    );
    expect(short).toEqual(expected);
  });

  test("counts records of both streams, whichever is shown, and those of a run's end", async () => {
    const long = "x".repeat(16_384);
    const log = new MemoryLog(
      line(1, "one", "stderr") +
        line(2, long, "stdout", "P") +
        line(3, "two", "stderr", "P") +
        line(4, "rest", "stdout", "P") +
        line(5, "", "stdout", "E") +
        line(5, "", "stderr", "E"),
    );
    expect(await logsOf(log, { tail: 1 })).toBe("two");
    expect(await logsOf(log, { tail: 2 })).toBe("resttwo");
    expect(await logsOf(log, { tail: 2, stdout: false })).toBe("two");
    expect(await logsOf(log, { tail: 3, stderr: false })).toBe(`${long}rest`);
    expect(await logsOf(log, { tail: 4, stdout: false })).toBe("one\ntwo");
    expect(await logsOf(log, { tail: 1, until: timeOf(4) })).toBe("rest");
    log.append(line(6, "three"));
    expect(await logsOf(log, { tail: 2 })).toBe("twothree\n");
  });

  test.each([
    ["the skipped part is dropped", false, "two\nthree\n"],
    ["a held-back part is kept", true, "rest\ntwo\nthree\n"],
  ])("has the newest even if %s between counting and sending", async (_, keeps, expected) => {
    const long = line(1, "x".repeat(2 * 16_384) + "rest");
    const log = new RotatedLog(long + line(2, "two") + line(3, "three"), long.length, keeps);
    expect(await logsOf(log, { tail: 3 })).toBe(expected);
  });

  test("does not count an unfinished line", async () => {
    const log = new MemoryLog(line(1, "one") + line(2, "two") + line(3, "three", "stdout", "P"));
    expect(await logsOf(log, { tail: 1, ended: false })).toBe("two\n");
    expect(await logsOf(log, { tail: 1 })).toBe("three");
    log.append(line(4, "x".repeat(16_384), "stdout", "P"));
    expect(await logsOf(log, { tail: 1, ended: false })).toBe(`three${"x".repeat(16_379)}`);
    expect(await logsOf(log, { tail: 2, ended: false })).toBe(`two\nthree${"x".repeat(16_379)}`);
  });

  test("of a log without lines is empty", async () => {
    expect(await logsOf(new MemoryLog(), { tail: 3 })).toBe("");
  });
});
