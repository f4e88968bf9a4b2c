// Stored network files: an unreadable one stays until an engine may clean up.
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { KeptFiles } from "../../../runtime-linux/networks/kept.js";

interface Note {
  text: string;
}

function directoryWith(files: Record<string, string>): string {
  const directory = mkdtempSync(join(tmpdir(), "coracle-kept-"));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  for (const [name, content] of Object.entries(files)) writeFileSync(join(directory, name), content);
  return directory;
}

const open = (directory: string): KeptFiles<Note> => new KeptFiles(directory, ({ text }) => typeof text === "string");
const FILES = { "good.json": '{"text":"a"}', "cut.part": '{"te', "later.json": '{"form":2}', "none.json": "null" };

test("truncated files, and files of an unknown format, are skipped and not touched", () => {
  const directory = directoryWith(FILES);
  const kept = open(directory);
  expect(kept.entries()).toEqual([["good", { value: { text: "a" }, whole: true }]]);
  expect(readdirSync(directory).sort()).toEqual(Object.keys(FILES).sort());
});

test("a sweep removes it, and newer files stay", () => {
  const directory = directoryWith(FILES);
  const kept = open(directory);
  for (const name of ["cut", "later"]) kept.begin(name, { text: name });
  kept.sweep();
  expect(readdirSync(directory).sort()).toEqual(["cut.part", "good.json", "later.part"]);
  expect(open(directory).entries().length).toBe(3);
});
