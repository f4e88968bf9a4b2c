// Logs as clients read them: frames, times, details, since, until and tail.

import { describe, expect, test } from "vitest";
import type { LogBytes, replies } from "../../hosts/shared/host.js";
import { serveLogs } from "../../hosts/streams/logs.js";
import { turn } from "../../hosts/shared/turn.js";
import { Collected, MemoryLog, RotatedLog, frames, line, never, timeOf } from "./log-of.js";

const ALL: replies.LogSource = {
  container: "c",
  stdout: true,
  stderr: true,
  framed: false,
  prefix: "",
  timestamps: false,
  since: 0n,
  until: 0n,
  follow: false,
  ended: true,
};

async function logsOf(log: MemoryLog, source: Partial<replies.LogSource>): Promise<string> {
  const client = new Collected();
  await serveLogs({ ...ALL, ...source }, log, client, never, never);
  expect(log.watchers).toBe(0);
  return client.text;
}

const FIVE = new MemoryLog(
  line(1, "one") + line(2, "two", "stderr") + line(3, "three") + line(4, "four") + line(5, "five"),
);

describe("logs", () => {
  test("with much output for many readers do not block other work", async () => {
    const log = new MemoryLog(line(1, "x".repeat(1000)).repeat(300));
    const written: number[] = [];
    let turns = 0;
    const sink = {
      async write(bytes: Uint8Array): Promise<boolean> {
        written[turns] = (written[turns] ?? 0) + bytes.length;
        return true;
      },
    };
    let isOver = false;
    const others = (async () => {
      while (!isOver) {
        await turn();
        turns += 1;
      }
    })();
    const readers = Array.from({ length: 50 }, () => serveLogs({ ...ALL }, log, sink, never, never));
    await Promise.all(readers);
    isOver = true;
    await others;
    expect(written.reduce((sum, bytes) => sum + bytes)).toBe(50 * 300 * 1001);
    // A turn's share, plus one block for each of the eight readers that have begun in it.
    expect(Math.max(...written.filter(Boolean))).toBeLessThan(128 * 1024 + 8 * 65_536);
  });

  test("have the written output, raw or with one frame per line", async () => {
    expect(await logsOf(FIVE, {})).toBe("one\ntwo\nthree\nfour\nfive\n");
    expect(frames(await logsOf(FIVE, { framed: true }))).toBe("1:one\n|2:two\n|1:three\n|1:four\n|1:five\n");
  });

  test("of one stream leave the other out", async () => {
    expect(await logsOf(FIVE, { stdout: false })).toBe("two\n");
    expect(await logsOf(FIVE, { stderr: false })).toBe("one\nthree\nfour\nfive\n");
  });

  test("details are between a line's time and its text, in every record", async () => {
    expect(await logsOf(FIVE, { prefix: "a=b ", stderr: false, tail: 1 })).toBe("a=b five\n");
    expect(await logsOf(FIVE, { prefix: " ", timestamps: true, tail: 1 })).toBe(
      "2026-11-20T09:00:05.123456789Z  five\n",
    );
    const long = new MemoryLog(line(1, "z".repeat(16_384 + 3)));
    expect(frames(await logsOf(long, { prefix: "a=b ", framed: true }))).toBe(
      `1:a=b ${"z".repeat(16_384)}|1:a=b zzz\n`,
    );
  });

  test("as objects have stream and time in the shortest form, with Go's escapes", async () => {
    const objects = { attributes: "", separated: false };
    const log = new MemoryLog(
      '2026-11-20T10:00:01.500000000+01:00 stdout F <a> & "b"\\\u2028\u0001\n' +
        "2026-11-20T09:00:02.000000000Z stderr F two\n",
    );
    expect(await logsOf(log, { objects, framed: true, timestamps: true, prefix: "x " })).toBe(
      '{"Line":"\\u003ca\\u003e \\u0026 \\"b\\"\\\\\\u2028\\u0001\\n","Source":"stdout","Timestamp":"2026-11-20T09:00:01.5Z"}\n' +
        '{"Line":"two\\n","Source":"stderr","Timestamp":"2026-11-20T09:00:02Z"}\n',
    );
    const sequence = { attributes: '[{"Key":"a","Value":"b"}]', separated: true };
    expect(await logsOf(log, { objects: sequence, stdout: false })).toBe(
      '\u001e{"Line":"two\\n","Source":"stderr","Timestamp":"2026-11-20T09:00:02Z","Attrs":[{"Key":"a","Value":"b"}]}\n',
    );
    const long = new MemoryLog(line(1, "z".repeat(16_384 + 3)));
    const parts = (await logsOf(long, { objects })).trimEnd().split("\n");
    expect(parts.map((part) => (JSON.parse(part) as { Line: string }).Line.length)).toEqual([16_384, 4]);
  });

  test("of a log whose start was dropped begin with the rest", async () => {
    const log = new MemoryLog(line(1, "gone") + line(2, "two") + line(3, "three"));
    log.forget(line(1, "gone").length);
    expect(await logsOf(log, {})).toBe("two\nthree\n");
    for (const tail of [2, 3, 100]) expect(await logsOf(log, { tail })).toBe("two\nthree\n");
    expect(await logsOf(log, { tail: 1 })).toBe("three\n");
  });

  test("since and until are inclusive", async () => {
    expect(await logsOf(FIVE, { since: timeOf(2), until: timeOf(4) })).toBe("two\nthree\nfour\n");
    expect(await logsOf(FIVE, { since: timeOf(2) + 1n, until: timeOf(4) - 1n })).toBe("three\n");
  });

  test("since skips only up to the first line at or after it", async () => {
    const log = new MemoryLog(line(1, "a") + line(5, "b") + line(2, "clock set back"));
    expect(await logsOf(log, { since: timeOf(4) })).toBe("b\nclock set back\n");
  });

  test("times have nine digits and are UTC, with any written offset", async () => {
    const log = new MemoryLog(
      line(1, "a", "stdout", "F", "+02:30") + line(1, "b", "stdout", "F", "-09:01") + line(59, "c"),
    );
    expect(await logsOf(log, { timestamps: true })).toBe(
      "2026-11-20T06:30:01.123456789Z a\n2026-11-20T18:01:01.123456789Z b\n2026-11-20T09:00:59.123456789Z c\n",
    );
  });

  test("dates agree with the platform's calendar", async () => {
    for (const date of ["1970-01-01", "1999-12-31", "2000-02-29", "2024-02-29", "2100-03-01", "2026-12-31"]) {
      const log = new MemoryLog(`${date}T23:59:58.000000001-01:00 stdout F x\n`);
      const expected = new Date(Date.parse(`${date}T23:59:58Z`) + 3_600_000)
        .toISOString()
        .replace(".000Z", ".000000001Z");
      expect(await logsOf(log, { timestamps: true })).toBe(`${expected} x\n`);
    }
  });

  test("a TTY's lines keep their carriage returns, an empty line is a line", async () => {
    expect(await logsOf(new MemoryLog(line(1, "a\r") + line(2, "")), {})).toBe("a\r\n\n");
  });

  test("a line cut by the writer is one record, with the time of its end", async () => {
    const log = new MemoryLog(
      line(1, "ab", "stdout", "P") + line(2, "err", "stderr") + line(3, "cd", "stdout", "P") + line(4, "ef"),
    );
    const text = await logsOf(log, { timestamps: true, framed: true });
    expect(frames(text)).toBe("2:2026-11-20T09:00:02.123456789Z err\n|1:2026-11-20T09:00:04.123456789Z abcdef\n");
  });

  test("records of a long line have the time at which the first was full", async () => {
    const parts = [1, 2, 3, 4].map((second) => line(second, "x".repeat(10_000), "stdout", second < 4 ? "P" : "F"));
    const log = new MemoryLog(parts.join("") + line(5, "end"));
    const text = frames(await logsOf(log, { timestamps: true, framed: true }));
    const times = text.split("|").map((frame) => frame.slice("1:2026-11-20T09:00:".length).slice(0, 2));
    expect(times).toEqual(["02", "02", "02", "05"]);
    expect((await logsOf(log, { since: timeOf(2) })).length).toBe(40_001 + 4);
    expect(await logsOf(log, { since: timeOf(2) + 1n })).toBe("end\n");
    expect(await logsOf(log, { until: timeOf(2) - 1n })).toBe("");
  });

  test("since and until use the time of a line's end", async () => {
    const log = new MemoryLog(line(1, "ab", "stdout", "P") + line(3, "cd") + line(4, "ef"));
    expect(await logsOf(log, { since: timeOf(2) })).toBe("abcd\nef\n");
    expect(await logsOf(log, { until: timeOf(2) })).toBe("");
    expect(await logsOf(log, { until: timeOf(3) })).toBe("abcd\n");
  });

  test.each([
    [16_383, ["16384n"]],
    [16_384, ["16384", "1n"]],
    [40_000, ["16384", "16384", "7233n"]],
    [32_768, ["16384", "16384", "1n"]],
  ])("a line of %i bytes is cut at 16 KiB as Docker cuts", async (length, expected) => {
    let written = "";
    for (let at = 0; at < length; at += 8192) {
      const last = at + 8192 >= length;
      written += line(1, "x".repeat(Math.min(8192, length - at)), "stdout", last ? "F" : "P");
    }
    const sizes = frames(await logsOf(new MemoryLog(written), { framed: true }))
      .split("|")
      .map((frame) => `${frame.length - 2}${frame.endsWith("\n") ? "n" : ""}`);
    expect(sizes).toEqual(expected);
  });

  test("last output without a newline comes without one", async () => {
    expect(await logsOf(new MemoryLog(line(1, "a") + line(2, "prompt", "stdout", "P")), {})).toBe("a\nprompt");
  });

  test("text without a newline is not shown during its run, except for full 16 KiB", async () => {
    const log = new MemoryLog(line(1, "a") + line(2, "prompt", "stdout", "P"));
    expect(await logsOf(log, { ended: false })).toBe("a\n");
    log.append(line(3, "x".repeat(16_384), "stdout", "P"));
    expect(await logsOf(log, { ended: false })).toBe(`a\nprompt${"x".repeat(16_378)}`);
    log.append(line(4, "end"));
    expect(await logsOf(log, { ended: false })).toBe(`a\nprompt${"x".repeat(16_384)}end\n`);
  });

  test("text without a newline ends with its run, with the time of its end", async () => {
    const log = new MemoryLog(
      line(1, "on", "stdout", "P") +
        line(2, "e", "stderr", "P") +
        line(3, "e", "stdout", "P") +
        line(5, "", "stdout", "E") +
        line(5, "", "stderr", "E") +
        line(6, "two") +
        line(7, "three", "stdout", "P"),
    );
    const text = frames(await logsOf(log, { framed: true, timestamps: true, ended: false }));
    expect(text.replaceAll(".123456789Z", "").replaceAll("2026-11-20T09:00:", "")).toBe("1:05 one|2:05 e|1:06 two\n");
    expect(await logsOf(log, { until: timeOf(4) })).toBe("");
    expect(await logsOf(log, { since: timeOf(4), ended: false })).toBe("oneetwo\n");
  });

  test("a stream's end after whole lines is no record", async () => {
    const log = new MemoryLog(line(1, "a") + line(2, "", "stdout", "E") + line(2, "", "stderr", "E") + line(3, "b"));
    expect(frames(await logsOf(log, { framed: true }))).toBe("1:a\n|1:b\n");
    expect(await logsOf(log, { tail: 1 })).toBe("b\n");
    expect(await logsOf(log, { tail: 2 })).toBe("a\nb\n");
  });

  test("a line that is still being written is not shown", async () => {
    expect(await logsOf(new MemoryLog(line(1, "a") + "2026-11-20T09:00:02.1234"), {})).toBe("a\n");
  });

  test("a block holds many lines, and lines cross the ends of blocks", async () => {
    const texts = Array.from({ length: 5000 }, (_, index) => `line ${index} ${"y".repeat(index % 200)}`);
    const log = new MemoryLog(texts.map((text) => line(1, text)).join(""));
    expect(await logsOf(log, {})).toBe(texts.map((text) => `${text}\n`).join(""));
    expect(await logsOf(log, { tail: 4321 })).toBe(
      texts
        .slice(-4321)
        .map((text) => `${text}\n`)
        .join(""),
    );
  });
});

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

describe("follow", () => {
  test("continues with new lines until the end is requested, then drains", async () => {
    const log = new MemoryLog(line(1, "old"));
    const client = new Collected();
    const drain = new AbortController();
    const served = serveLogs({ ...ALL, follow: true }, log, client, drain.signal, never);
    await turns();
    expect(client.text).toBe("old\n");
    log.append(line(2, "new") + line(3, "half", "stdout", "P"));
    await turns();
    expect(client.text).toBe("old\nnew\n");
    log.append(line(4, " and half"));
    drain.abort();
    await served;
    expect(client.text).toBe("old\nnew\nhalf and half\n");
  });

  test("with tail 0 shows only what is new", async () => {
    const log = new MemoryLog(line(1, "old"));
    const client = new Collected();
    const drain = new AbortController();
    const served = serveLogs({ ...ALL, follow: true, tail: 0 }, log, client, drain.signal, never);
    await turns();
    log.append(line(2, "new"));
    drain.abort();
    await served;
    expect(client.text).toBe("new\n");
  });

  test.each([
    [0, ""],
    [1, "two\n"],
  ])("with tail %i has the whole unfinished line, and the end of a run", async (tail, before) => {
    const log = new MemoryLog(line(1, "one", "stderr") + line(2, "two") + line(3, "log", "stdout", "P"));
    const client = new Collected();
    const drain = new AbortController();
    const source = { ...ALL, follow: true, ended: false, tail };
    const served = serveLogs(source, log, client, drain.signal, never);
    await turns();
    expect(client.text).toBe(before);
    log.append(
      line(4, "err", "stderr") + line(5, "in: me") + line(6, "bye", "stdout", "P") + line(7, "", "stdout", "E"),
    );
    await turns();
    expect(client.text).toBe(`${before}err\nlogin: me\nbye`);
    drain.abort();
    await served;
    expect(client.text).toBe(`${before}err\nlogin: me\nbye`);
  });

  test("continues with a whole line when the next part was dropped", async () => {
    const log = new MemoryLog(line(1, "one"));
    const client = new Collected();
    const drain = new AbortController();
    const served = serveLogs({ ...ALL, follow: true }, log, client, drain.signal, never);
    await turns();
    log.forget((await log.size()) + line(2, "gone").length);
    log.append(line(2, "gone") + line(3, "three"));
    await turns();
    drain.abort();
    await served;
    expect(client.text).toBe("one\nthree\n");
  });

  test("does not continue with a line whose end was dropped", async () => {
    const log = new MemoryLog(line(1, "one") + line(2, "half", "stdout", "P"));
    const client = new Collected();
    const drain = new AbortController();
    const served = serveLogs({ ...ALL, follow: true, framed: true }, log, client, drain.signal, never);
    await turns();
    log.forget((await log.size()) + line(2, " and half").length);
    log.append(line(2, " and half") + line(3, "three"));
    await turns();
    drain.abort();
    await served;
    expect(frames(client.text)).toBe("1:one\n|1:half|1:three\n");
  });

  test("ends when the client is gone", async () => {
    const log = new MemoryLog(line(1, "old"));
    const gone = new AbortController();
    const served = serveLogs({ ...ALL, follow: true }, log, new Collected(), never, gone.signal);
    await turns();
    gone.abort();
    await served;
    expect(log.watchers).toBe(0);
  });

  test("fails where it cannot be read further, after the text that was read", async () => {
    const log = new MemoryLog(line(1, "one"));
    let reads = 0;
    const breaking: LogBytes = {
      size: () => log.size(),
      start: () => log.start(),
      read: async (offset, into) => {
        if (reads++ > 0) throw new Error("input/output error");
        return log.read(offset, into);
      },
      watch: (grown) => log.watch(grown),
      close: () => log.close(),
    };
    for (const framed of [true, false]) {
      const client = new Collected();
      reads = 0;
      const served = serveLogs({ ...ALL, framed }, breaking, client, never, never);
      await expect(served).rejects.toThrow("input/output error");
      expect(framed ? frames(client.text) : client.text).toBe(framed ? "1:one\n" : "one\n");
    }
  });

  test("reads no further than a slow client lets it", async () => {
    const log = new MemoryLog(Array.from({ length: 20_000 }, () => line(1, "z".repeat(80))).join(""));
    let written = 0;
    let release = () => {};
    const slow = {
      write: async (bytes: Uint8Array) => {
        written += bytes.length;
        await new Promise<void>((resolve) => (release = resolve));
        return false;
      },
    };
    const served = serveLogs({ ...ALL }, log, slow, never, never);
    await turns();
    expect(written).toBeLessThan(70_000);
    release();
    await served;
  });
});

async function turns(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 5));
}
