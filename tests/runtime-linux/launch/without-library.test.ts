// Programs without a library that they load, but do not use.

import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { findProgram } from "../../../runtime-linux/launch/find-program.js";
import { withoutLibrary } from "../../../runtime-linux/launch/without-library.js";

const LIBRARY = "libsystemd.so.0";

function written(bytes: Uint8Array): string {
  const directory = mkdtempSync(join(tmpdir(), "coracle-lean-"));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const path = join(directory, "program");
  writeFileSync(path, bytes, { mode: 0o755 });
  return path;
}

/** The dynamic loader's own list of the libraries that a program loads (ld.so(8)), without their addresses. */
function loaded(path: string): string[] {
  const LD_TRACE_LOADED_OBJECTS = "1";
  const lines = execFileSync(path, { env: { LD_TRACE_LOADED_OBJECTS } }).toString().trim().split("\n");
  return lines.map((line) => line.trim().split(" ")[0]!).toSorted();
}

test.each(["crun", "conmon"])("%s answers without libsystemd and what that loads", (name) => {
  const path = findProgram(name)!;
  const before = readFileSync(path);
  const lean = written(withoutLibrary(before, LIBRARY)!);
  expect(readFileSync(path).equals(before)).toBe(true);
  expect(execFileSync(lean, ["--version"])).toEqual(execFileSync(path, ["--version"]));
  const [all, rest] = [loaded(path), loaded(lean)];
  expect(all).toEqual(expect.arrayContaining([...rest, LIBRARY, "libgcrypt.so.20"]));
  expect(rest.filter((library) => /systemd|gcrypt|gpg|lzma|lz4|zstd/.test(library))).toEqual([]);
});

test("nothing is changed twice, or where the library is not loaded", () => {
  const lean = withoutLibrary(readFileSync(findProgram("crun")!), LIBRARY)!;
  expect(withoutLibrary(lean, LIBRARY)).toBeUndefined();
  expect(withoutLibrary(lean, "libnone.so.1")).toBeUndefined();
});

test("a program keeps its only library", () => {
  expect(withoutLibrary(readFileSync(findProgram("sh")!), "libc.so.6")).toBeUndefined();
});

test("a program keeps a library of which it needs data", () => {
  const file = readFileSync(findProgram("crun")!);
  // Of each symbol from elsewhere, what follows its name: global, a function; everything else is 0 (elf(5)).
  const symbol = Buffer.alloc(20);
  symbol[0] = 0x12;
  for (let at = file.indexOf(symbol); at >= 0; at = file.indexOf(symbol, at + 1)) file[at] = 0x11; // an object
  expect(withoutLibrary(file, LIBRARY)).toBeUndefined();
});

test("a program keeps a library if no section lists what it needs of it", () => {
  const file = readFileSync(findProgram("crun")!);
  file.writeUInt16LE(0, 60); // number of sections
  expect(withoutLibrary(file, LIBRARY)).toBeUndefined();
});

test("what is no such program, or is cut short, stays as it is", () => {
  const whole = readFileSync(findProgram("conmon")!);
  expect(withoutLibrary(Buffer.from("#!/bin/sh\n"), LIBRARY)).toBeUndefined();
  expect(withoutLibrary(Buffer.alloc(0), LIBRARY)).toBeUndefined();
  for (let bytes = 0; bytes < whole.length; bytes += 997)
    expect(withoutLibrary(whole.subarray(0, bytes), LIBRARY)).toBeUndefined();
});
