// Marks in the log where a run's output ended without a newline, because conmon does not mark it.
import { appendFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, renameSync } from "node:fs";
import { rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { afterEach, beforeEach, expect, test } from "vitest";
import { LogPiece } from "../../../runtime-linux/stdio/log-piece.js";
import { Logs } from "../../../runtime-linux/stdio/log.js";
import { until } from "../../support/commands.js";
import { line } from "../../streams/log-of.js";

const ID = "c";
/** The time of `line(7)`. */
const AT = BigInt(Date.UTC(2026, 10, 20, 9, 0, 7)) * 1_000_000n + 123_456_789n;

let directory: string;
let logs: Logs;
const path = (container = ID): string => join(directory, container === ID ? "log" : container);

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "log-ends-"));
  logs = new Logs(path);
});
afterEach(() => {
  logs.close();
  rmSync(directory, { recursive: true });
});

test.each([
  ["of whole lines", line(1, "a") + line(2, "b", "stderr"), ""],
  ["without a newline", line(1, "a") + line(2, "b", "stderr", "P"), line(7, "", "stderr", "E")],
  ["of parts and whole lines", line(1, "a", "stdout", "P") + line(2, "b", "stderr") + line(3, "c"), ""],
  [
    "without a newline on both streams, at no time before the last of them",
    line(8, "a", "stdout", "P") + line(9, "b", "stderr", "P"),
    line(9, "", "stdout", "E") + line(9, "", "stderr", "E"),
  ],
])("an output %s", (_, written, marks) => {
  writeFileSync(path(), written);
  logs.ended(ID, AT);
  expect(readFileSync(path(), "utf8")).toBe(written + marks);
  // A repeated report does not add a second mark, and a run without output has no end of its own.
  logs.ended(ID, AT);
  expect(readFileSync(path(), "utf8")).toBe(written + marks);
});

test("the next run's log has its own end", () => {
  writeFileSync(path(), line(1, "a", "stdout", "P"));
  logs.ended(ID, AT);
  appendFileSync(path(), line(8, "b", "stderr", "P"));
  logs.ended(ID, AT);
  const ends = [line(7, "", "stdout", "E"), line(8, "", "stderr", "E")];
  expect(readFileSync(path(), "utf8")).toBe(
    line(1, "a", "stdout", "P") + ends[0] + line(8, "b", "stderr", "P") + ends[1],
  );
});

test("a line that the supervisor could not finish is finished", () => {
  const whole = line(1, "a") + line(2, "cut", "stdout", "P");
  writeFileSync(path(), whole.slice(0, -1));
  logs.ended(ID, AT);
  expect(readFileSync(path(), "utf8")).toBe(whole + line(7, "", "stdout", "E"));
});

test("a stream without output for long may have ended without a newline", () => {
  const many = line(1, "p", "stdout", "P") + line(2, "e".repeat(1000), "stderr").repeat(100);
  writeFileSync(path(), many);
  logs.ended(ID, AT);
  expect(readFileSync(path(), "utf8")).toBe(many + line(7, "", "stdout", "E"));
});

test("an empty file stays empty: the end is marked in the newest file that is not", async () => {
  const [part, end] = [line(1, "a", "stdout", "P"), line(7, "", "stdout", "E")];
  writeFileSync(path(), part);
  const reader = logs.open(ID); // the file has its second name
  const into = new Uint8Array(1000);
  expect(await reader.read(0, into)).toBe(part.length);
  rmSync(path());
  writeFileSync(path(), "");
  expect(await reader.read(part.length, into)).toBe(0);
  for (const time of ["ended", "reaped"]) {
    logs.ended(ID, AT);
    expect([time, readFileSync(path(), "utf8"), readFileSync(`${path()}.1`, "utf8")]).toEqual([time, "", part + end]);
  }
  // A reader continues with it, and then with the next run's output.
  writeFileSync(path(), line(2, "b"));
  for (const [at, text] of [
    [part.length, end],
    [part.length + end.length, line(2, "b")],
  ] as const) {
    const read = await reader.read(at, into);
    expect(Buffer.from(into.subarray(0, read)).toString()).toBe(text);
  }
  await reader.close();
});

test("for a file that has others before it, their ends are unknown", async () => {
  writeFileSync(path(), line(1, "a", "stdout", "P"));
  const reader = logs.open(ID); // the file has its second name
  rmSync(path());
  writeFileSync(path(), line(2, "b", "stderr"));
  logs.ended(ID, AT);
  expect(readFileSync(path(), "utf8")).toBe(line(2, "b", "stderr") + line(7, "", "stdout", "E"));
  await reader.close();
});

test("a file is not compressed before the end is marked in it", async () => {
  const keep = (container: string, next: string) => {
    const renew = () => {
      writeFileSync(`${path(container)}.new`, next);
      renameSync(`${path(container)}.new`, path(container));
      return true;
    };
    writeFileSync(path(container), written);
    logs.keep(container, { fileBytes: 50, files: 3, compressed: true, passing: false, renew });
  };
  const written = line(1, "a") + line(2, "b", "stdout", "P");
  keep(ID, "");
  await until("an empty file", () => existsSync(`${path()}.2`));
  // For another container, the newer file shows that its run continues, so no end will be marked in the older one.
  keep("other", line(3, "c"));
  await until(
    "the other's to be compressed",
    () => existsSync(`${path("other")}.1.gz`) && !existsSync(`${path("other")}.1`),
  );
  expect(
    readdirSync(directory)
      .filter((name) => name.startsWith("log"))
      .sort(),
  ).toEqual(["log", "log.1", "log.2"]);
  logs.ended(ID, AT);
  await until("a compressed file", () => existsSync(`${path()}.1.gz`) && !existsSync(`${path()}.1`));
  expect(gunzipSync(readFileSync(`${path()}.1.gz`)).toString()).toBe(written + line(7, "", "stdout", "E"));
});

test("a mark that is added while the last part is copied is in the copy", async () => {
  const end = line(7, "", "stdout", "E");
  writeFileSync(path(), line(1, "a") + line(2, "b", "stdout", "P"));
  const piece = new LogPiece(1, 0, path());
  piece.finish();
  // Read when the copy is made.
  Object.defineProperty(piece, "gone", {
    get: () => {
      appendFileSync(path(), end);
      piece.regrow();
      return false;
    },
    set: () => {},
  });
  const rest = await piece.cut(line(1, "a").length);
  piece.close();
  expect(readFileSync(path(), "utf8")).toBe(line(2, "b", "stdout", "P") + end);
  expect(rest?.end).toBe(piece.end);
});

test("a container without a log gets no mark", () => {
  logs.ended(ID, AT);
  expect(() => readFileSync(path())).toThrow("ENOENT");
});
