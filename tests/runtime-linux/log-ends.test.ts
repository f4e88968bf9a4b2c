// Where a run's output ended without a newline is marked in its log: conmon does not.
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Logs } from "../../runtime-linux/stdio/log.js";
import { line } from "../streams/log-of.js";

const ID = "c";
/** Of `line(7)`. */
const AT = BigInt(Date.UTC(2026, 10, 20, 9, 0, 7)) * 1_000_000n + 123_456_789n;

let directory: string;
let logs: Logs;
const path = (): string => join(directory, "log");

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
  // Who is told twice does not mark twice, and a run that says nothing has no end of its own.
  logs.ended(ID, AT);
  expect(readFileSync(path(), "utf8")).toBe(written + marks);
});

test("the next run's has an end of its own", () => {
  writeFileSync(path(), line(1, "a", "stdout", "P"));
  logs.ended(ID, AT);
  appendFileSync(path(), line(8, "b", "stderr", "P"));
  logs.ended(ID, AT);
  const ends = [line(7, "", "stdout", "E"), line(8, "", "stderr", "E")];
  expect(readFileSync(path(), "utf8")).toBe(
    line(1, "a", "stdout", "P") + ends[0] + line(8, "b", "stderr", "P") + ends[1],
  );
});

test("a line that the supervisor could not end is ended", () => {
  const whole = line(1, "a") + line(2, "cut", "stdout", "P");
  writeFileSync(path(), whole.slice(0, -1));
  logs.ended(ID, AT);
  expect(readFileSync(path(), "utf8")).toBe(whole + line(7, "", "stdout", "E"));
});

test("a stream that is not heard of for long may have ended without a newline", () => {
  const many = line(1, "p", "stdout", "P") + line(2, "e".repeat(1000), "stderr").repeat(100);
  writeFileSync(path(), many);
  logs.ended(ID, AT);
  expect(readFileSync(path(), "utf8")).toBe(many + line(7, "", "stdout", "E"));
});

test("of a file that has others before it nothing is known of what they ended with; one with nothing in it stays empty", () => {
  writeFileSync(path(), line(1, "a", "stdout", "P"));
  const reader = logs.open(ID); // the file has its second name
  rmSync(path());
  writeFileSync(path(), "");
  logs.ended(ID, AT);
  expect(readFileSync(path(), "utf8")).toBe("");
  writeFileSync(path(), line(2, "b", "stderr"));
  logs.ended(ID, AT);
  expect(readFileSync(path(), "utf8")).toBe(line(2, "b", "stderr") + line(7, "", "stdout", "E"));
  void reader.close();
});

test("a container without a log gets none", () => {
  logs.ended(ID, AT);
  expect(() => readFileSync(path())).toThrow("ENOENT");
});
