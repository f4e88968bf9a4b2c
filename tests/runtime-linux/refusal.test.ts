// What OCI runtimes say when they fail, in Docker's words.

import { expect, it } from "vitest";
import { refusal } from "../../runtime-linux/refusal.js";
import { parseVersion } from "../../runtime-linux/runtimes.js";

const RUNC = (text: string) =>
  `time="2026-01-02T03:04:05Z" level=error msg="runc create failed: unable to start container process: ${text}"`;

it.each([
  // runc 1.1
  [
    RUNC('exec: \\"x\\": executable file not found in $PATH'),
    "x",
    "command-not-found",
    'exec: "x": executable file not found in $PATH',
  ],
  [
    RUNC('exec: \\"/x\\": stat /x: no such file or directory'),
    "/x",
    "command-not-found",
    'exec: "/x": stat /x: no such file or directory',
  ],
  [RUNC('exec: \\"/x\\": permission denied'), "/x", "command-not-executable", 'exec: "/x": permission denied'],
  [RUNC('exec: \\"/x\\": is a directory'), "/x", "command-not-executable", 'exec: "/x": is a directory'],
  [
    RUNC('error mounting \\"a\\"'),
    "x",
    "invalid",
    'runc create failed: unable to start container process: error mounting "a"',
  ],
  // crun 1.8
  [
    "executable file `x` not found in $PATH: No such file or directory",
    "x",
    "command-not-found",
    'exec: "x": executable file not found in $PATH',
  ],
  [
    "executable file `/x` not found in $PATH: No such file or directory",
    "/x",
    "command-not-found",
    'exec: "/x": stat /x: no such file or directory',
  ],
  ["open executable: Permission denied", "/x", "command-not-executable", 'exec: "/x": permission denied'],
  ["open executable: Operation not permitted", "/x", "command-not-executable", 'exec: "/x": permission denied'],
  ["open executable: Not a directory", "/x/y", "command-not-found", 'exec: "/x/y": stat /x/y: not a directory'],
  ["chdir `/x y`: Not a directory", "x", "invalid", "Cannot mkdir: /x y is not a directory"],
  [
    RUNC("error during container init: mkdir /x: not a directory"),
    "x",
    "invalid",
    "Cannot mkdir: /x is not a directory",
  ],
  [
    "2026-01-02T03:04:05.678901Z: mount `proc` to `proc`: Operation not permitted",
    "x",
    "invalid",
    "mount `proc` to `proc`: operation not permitted",
  ],
  [
    "open `/proc/sys/net/ipv4/nope`: No such file or directory",
    "x",
    "invalid",
    "open `/proc/sys/net/ipv4/nope`: no such file or directory",
  ],
])("%s", (text, program, kind, message) => {
  const { failure } = refusal(text, program);
  expect(failure).toMatchObject({ kind, message });
});

it("reads what runtimes say of themselves", () => {
  const crun = "crun version 1.8.1\ncommit: f8a096be060b22ccd3d5f3ebe44108517fbf6c30\nrundir: /run/crun\nspec: 1.0.0\n";
  expect(parseVersion(crun)).toEqual({
    version: "1.8.1",
    commit: "f8a096be060b22ccd3d5f3ebe44108517fbf6c30",
    kind: "crun",
  });
  const runc = "runc version 1.1.5+ds1\ncommit: 1.1.5+ds1-1+deb12u1\nspec: 1.0.2-dev\n";
  expect(parseVersion(runc)).toEqual({ version: "1.1.5+ds1", commit: "1.1.5+ds1-1+deb12u1", kind: "runc" });
  expect(parseVersion("runsc version release-20240101\nspec: 1.1\n")).toMatchObject({
    version: "release-20240101",
    kind: "other",
  });
});
