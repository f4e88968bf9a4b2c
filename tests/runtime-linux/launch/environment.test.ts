// The environment of programs that the engine starts.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { failures } from "../../../hosts/shared/host.js";
import type { Cgroups } from "../../../runtime-linux/cgroups/cgroups.js";
import { libc } from "../../../runtime-linux/kernel/libc.js";
import { callRuntime } from "../../../runtime-linux/launch/launch.js";
import type { Surroundings } from "../../../runtime-linux/launch/surroundings.js";
import { runProgram } from "../../../runtime-linux/networks/rules/run-program.js";
import { Paths } from "../../../runtime-linux/paths.js";
import { detectRuntimes } from "../../../runtime-linux/launch/runtimes.js";
import { supervise, type Supervision } from "../../../runtime-linux/launch/supervisor.js";
import { failed } from "../../support/failed.js";

const SECRET = "CORACLE_TEST_SECRET";
const directory = mkdtempSync(join(tmpdir(), "coracle-environment-"));
/** Prints its environment to stderr and as its version. */
const program = join(directory, "program");
beforeAll(() => {
  process.env[SECRET] = "secret";
  writeFileSync(program, '#!/bin/sh\n/usr/bin/env >&2\necho "version 1$CORACLE_TEST_SECRET"\nexit 1\n', {
    mode: 0o755,
  });
});
afterAll(() => {
  delete process.env[SECRET];
  rmSync(directory, { recursive: true });
});

function namesIn(lines: string): string[] {
  const names = lines.split("\n").map((line) => line.split("=")[0]!);
  // The shell sets these itself.
  return names.filter((name) => name !== "" && !["PWD", "OLDPWD", "SHLVL", "_"].includes(name)).sort();
}

test("firewall programs see only PATH", async () => {
  const { stderr } = await runProgram(program, []);
  expect(namesIn(stderr)).toEqual(["PATH"]);
});

test("OCI runtimes see only PATH", async () => {
  const at: Surroundings = {
    paths: new Paths({ data: directory, exec: directory }),
    kernel: libc,
    cgroups: {} as Cgroups,
    conmon: "",
    createLimitMs: 10_000,
    born: (_, spawn) => spawn(),
  };
  const said = await callRuntime({ name: "odd", path: program, kind: "other" }, at, ["start"]);
  expect(namesIn(said ?? "")).toEqual(["PATH"]);
});

test("runtimes that are asked for their version see only PATH, too", async () => {
  const asked = join(directory, "asked");
  writeFileSync(asked, `#!/bin/sh\necho "odd version 1$${SECRET}"\n`, { mode: 0o755 });
  const found = await detectRuntimes(new Map([["odd", asked]]));
  expect(found.find(({ name }) => name === "odd")?.version).toBe("1");
});

test("supervisors see PATH and where to report", async () => {
  const supervision: Supervision = {
    program,
    name: "name",
    directory,
    log: "",
    logBytes: 0,
    exits: "",
    runtime: { path: "", kind: "other", root: "" },
    hasMachineNull: false,
    tty: false,
    openStdin: false,
    stdinOnce: false,
    process: {},
    born: (spawn) => spawn(),
  };
  const { created, ended } = supervise(supervision, libc);
  const { tag, val } = await failed(created);
  await ended;
  expect([tag, val]).toEqual([
    "start-broke",
    { how: "supervisor-ended", said: expect.any(String) as string, error: "" },
  ]);
  expect(namesIn((val as failures.BrokenStart).said)).toEqual(["PATH", "_OCI_SYNCPIPE"]);
});
