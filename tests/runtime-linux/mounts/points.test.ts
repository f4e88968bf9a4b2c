// Missing mount points, made outside of any runtime: where they may be made, and where not.

import fs, { lstatSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { libc } from "../../../runtime-linux/kernel/libc.js";
import { placeMounts, type Mount } from "../../../runtime-linux/mounts/places.js";
import { makePoints } from "../../../runtime-linux/mounts/points.js";

let [directory, root, source, outside] = ["", "", "", ""];
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "coracle-made-points-"));
  [root, source, outside] = ["root", "source", "outside"].map((name) => join(directory, name)) as [
    string,
    string,
    string,
  ];
  for (const made of [root, source, outside]) mkdirSync(made);
  writeFileSync(join(source, "file"), "");
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const bind = (destination: string, from = source, ...options: string[]): Mount => ({
  ...{ destination, type: "bind", source: from },
  options: ["rbind", ...options],
});

function make(...mounts: Mount[]): void {
  makePoints(placeMounts(mounts, root, [], false), libc);
}

/** Everything below a directory, with its modes. */
function below(path: string): string[] {
  const names = readdirSync(path, { recursive: true }) as string[];
  return names.sort().map((name) => `${name} ${(lstatSync(join(path, name)).mode & 0o7777).toString(8)}`);
}

test("no link leads out of the container's files", () => {
  symlinkSync(outside, join(root, "absolute"));
  symlinkSync("../../../outside", join(root, "upwards"));
  make(bind("/absolute/a"), bind("/upwards/b"), bind("/../../c"));
  expect(readdirSync(outside)).toEqual([]);
  expect(lstatSync(join(root, outside, "a")).isDirectory()).toBe(true);
  expect(readdirSync(root).sort()).toEqual(["absolute", "c", "outside", outside.split("/")[1], "upwards"].sort());
});

test("a link that appears after the places were looked up leads nowhere else", () => {
  const points = placeMounts([bind("/a", source), bind("/a/b/c")], root, [], false);
  symlinkSync(outside, join(source, "b"));
  makePoints(points, libc);
  expect(readdirSync(outside)).toEqual([]);
});

test("they are made in what is mounted above them, unless that is read-only or of the kernel", () => {
  const memory = { destination: "/memory", type: "tmpfs", source: "tmpfs" };
  make(bind("/a"), memory, bind("/a/b/c"), bind("/memory/d"));
  expect(below(source)).toEqual(["b 755", "b/c 755", "file 644"]);
  expect(below(root)).toEqual(["a 755", "memory 755"]);
  make(bind("/r", source, "ro"), bind("/r/s"));
  expect(below(source)).toEqual(["b 755", "b/c 755", "file 644"]);
});

test("what is there stays as it is, whatever its kind", () => {
  writeFileSync(join(root, "file"), "text", { mode: 0o600 });
  mkdirSync(join(root, "directory"), { mode: 0o700 });
  make(bind("/file"), bind("/file/below"), bind("/directory", join(source, "file")));
  expect(below(root)).toEqual(["directory 700", "file 600"]);
});

test("nothing is made for a source that cannot be found", () => {
  symlinkSync("loop", join(source, "loop"));
  make(bind("/a/b", join(source, "missing")), bind("/c", join(source, "loop")), bind("/d", join(source, "file/x")));
  expect(below(root)).toEqual([]);
});

test("a source is only looked at if its mount point is missing", () => {
  const stat = vi.spyOn(fs, "statSync");
  syncBuiltinESMExports();
  try {
    make(bind("/a"));
    expect(stat.mock.calls).toEqual([[source]]);
    make(bind("/a"));
    expect(stat).toHaveBeenCalledOnce();
  } finally {
    vi.restoreAllMocks();
    syncBuiltinESMExports();
  }
});
