// What is known of an exec from its directory: a file that is missing differs from one that cannot be read.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { Run } from "../../../runtime-linux/ends/run.js";
import { ExecPlace } from "../../../runtime-linux/exec/place.js";
import { makePrivate } from "../../../runtime-linux/directories.js";
import { Paths } from "../../../runtime-linux/paths.js";

function somePlace(): ExecPlace {
  const scratch = mkdtempSync(join(tmpdir(), "coracle-exec-place-"));
  onTestFinished(() => rmSync(scratch, { recursive: true }));
  const paths = new Paths({ data: join(scratch, "data"), exec: join(scratch, "exec") });
  return new ExecPlace(new Run(paths, "c".repeat(64), 1), "exec");
}

test("nothing is known before anything is written", () => {
  const place = somePlace();
  expect([place.pid(), place.exitCode(), place.errors()]).toEqual([undefined, undefined, ""]);
  place.make({});
  expect([place.pid(), place.exitCode(), place.errors()]).toEqual([undefined, undefined, ""]);
  writeFileSync(place.pidFile, "12\n");
  place.writeExit(3);
  expect([place.pid(), place.exitCode()]).toEqual([12, 3]);
});

test("a file that the disk does not let us look at is not taken for a missing one", () => {
  const place = somePlace();
  makePrivate(dirname(place.directory));
  writeFileSync(place.directory, "not a directory");
  for (const look of [() => place.pid(), () => place.exitCode(), () => place.errors()]) expect(look).toThrow("ENOTDIR");
});
