// Logs as clients read them: frames, times, details, since and until.

import { describe, expect, test } from "vitest";
import { turn } from "../../hosts/shared/turn.js";
import { serveLogs } from "../../hosts/streams/logs.js";
import { messagesOf } from "../support/buildkit/protocol.js";
import { ALL, FIVE, MemoryLog, frames, line, logsOf, never, timeOf } from "./log-of.js";

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
    // A turn's share, plus one block for each of the four readers that have begun in it.
    expect(Math.max(...written.filter(Boolean))).toBeLessThan(128 * 1024 + 4 * 131_072);
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
    const objects = { attributes: "", separated: false, progress: false, vertex: "" };
    const log = new MemoryLog(
      '2026-11-20T10:00:01.500000000+01:00 stdout F <a> & "b"\\\u2028\u0001\n' +
        "2026-11-20T09:00:02.000000000Z stderr F two\n",
    );
    expect(await logsOf(log, { objects, framed: true, timestamps: true, prefix: "x " })).toBe(
      '{"Line":"\\u003ca\\u003e \\u0026 \\"b\\"\\\\\\u2028\\u0001\\n","Source":"stdout","Timestamp":"2026-11-20T09:00:01.5Z"}\n' +
        '{"Line":"two\\n","Source":"stderr","Timestamp":"2026-11-20T09:00:02Z"}\n',
    );
    const sequence = { attributes: '[{"Key":"a","Value":"b"}]', separated: true, progress: false, vertex: "" };
    expect(await logsOf(log, { objects: sequence, stdout: false })).toBe(
      '\u001e{"Line":"two\\n","Source":"stderr","Timestamp":"2026-11-20T09:00:02Z","Attrs":[{"Key":"a","Value":"b"}]}\n',
    );
    const long = new MemoryLog(line(1, "z".repeat(16_384 + 3)));
    const parts = (await logsOf(long, { objects })).trimEnd().split("\n");
    expect(parts.map((part) => (JSON.parse(part) as { Line: string }).Line.length)).toEqual([16_384, 4]);
  });

  test("as a build's progress are streams, stderr in red", async () => {
    const objects = { attributes: "", separated: false, progress: true, vertex: "" };
    const log = new MemoryLog("2026-11-20T10:00:01.5Z stdout F <a>\n2026-11-20T09:00:02Z stderr P two\n");
    expect(await logsOf(log, { objects, ended: true })).toBe(
      '{"stream":"\\u003ca\\u003e\\n"}\r\n{"stream":"\\u001b[91mtwo\\u001b[0m"}\r\n',
    );
  });

  test("as a build's trace are messages of BuildKit's, whatever the bytes are", async () => {
    const objects = { attributes: "", separated: false, progress: true, vertex: "sha256:1" };
    const log = new MemoryLog(`2026-11-20T10:00:01.5Z stderr F ${"\u00e4".repeat(100)}\n`);
    const [told, rest] = (await logsOf(log, { objects, ended: true })).split("\r\n");
    const { id, aux } = JSON.parse(told!) as { id: string; aux: string };
    expect([id, rest]).toEqual(["moby.buildkit.trace", ""]);
    const timestamp = { seconds: Date.UTC(2026, 10, 20, 10, 0, 1) / 1000, nanos: 500_000_000 };
    expect(messagesOf("StatusResponse").decode(Buffer.from(aux, "base64"))).toEqual({
      logs: [{ vertex: "sha256:1", timestamp, stream: 2, msg: Buffer.from(`${"\u00e4".repeat(100)}\n`) }],
    });
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

  test("each line has its own time, in the same second as the line before, another one, or with another offset", async () => {
    const times = [
      ["2026-12-31T23:59:59.000000001+00:00", "2026-12-31T23:59:59.000000001Z"],
      ["2026-12-31T23:59:59.900000000+00:00", "2026-12-31T23:59:59.900000000Z"],
      ["2027-01-01T00:00:00.5+00:00", "2027-01-01T00:00:00.500000000Z"],
      ["2027-01-01T00:00:00.5+01:00", "2026-12-31T23:00:00.500000000Z"],
      ["2027-01-01T00:00:00.5Z", "2027-01-01T00:00:00.500000000Z"],
      ["2026-12-31T23:59:59Z", "2026-12-31T23:59:59.000000000Z"],
    ] as const;
    const log = new MemoryLog(times.map(([written]) => `${written} stdout F x\n`).join(""));
    expect(await logsOf(log, { timestamps: true })).toBe(times.map(([, shown]) => `${shown} x\n`).join(""));
  });

  test("records may be longer than their lines, and than all that was read", async () => {
    const prefix = `${"p".repeat(300)} `;
    const texts = Array.from({ length: 3000 }, (_, index) => `text ${index}${"y".repeat(index % 500)}`);
    const log = new MemoryLog(texts.map((text) => line(1, text)).join(""));
    expect(await logsOf(log, { prefix })).toBe(texts.map((text) => `${prefix}${text}\n`).join(""));
    expect(await logsOf(log, {})).toBe(texts.map((text) => `${text}\n`).join(""));
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
