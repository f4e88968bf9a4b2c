// `ps`, with replacement programs: the result if it lists nothing.

import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { ps } from "../../runtime-linux/ps.js";
import { failed } from "../support/failed.js";

const scratch = mkdtempSync(join(tmpdir(), "coracle-ps-"));
afterAll(() => rmSync(scratch, { recursive: true }));

function program(name: string, script: string, mode = 0o755): string {
  const path = join(scratch, name);
  writeFileSync(path, `#!/bin/sh\n${script}\n`);
  chmodSync(path, mode);
  return path;
}

function list(path: string | undefined, limitMs = 60_000): Promise<unknown> {
  return ps(["-ef"], new Set([7]), { path, limitMs, mostBytes: 1000 });
}

it("lists", async () => {
  expect(await list(program("lists", 'echo "$@"'))).toEqual({
    tag: "ps",
    val: { text: Buffer.from("-ef -q7\n"), pids: Uint32Array.of(7) },
  });
});

it("lists all processes for a format that works with no list of them", async () => {
  const picky = program("picky", '[ $# = 1 ] || exit 1; echo "$@"');
  expect(await list(picky)).toMatchObject({ val: { text: Buffer.from("-ef\n") } });
});

it.each([
  ["is missing", () => undefined, { tag: "no-such", val: { what: "tool", name: "ps" } }],
  ["says no", () => program("no", "echo no >&2; exit 3"), { tag: "tool", val: { name: "ps", exit: 3, said: "no\n" } }],
  ["is killed", () => program("dies", "kill -9 $$"), { tag: "tool", val: { name: "ps", said: "" } }],
  [
    "writes too much",
    () => program("yes", "yes"),
    { tag: "too-large", val: { what: "tool", name: "ps", limit: 1000n } },
  ],
])("reports one that %s", async (_, path, failure) => {
  expect(await failed(list(path()))).toEqual(failure);
});

it("is not asked again if it wrote too much", async () => {
  const calls = join(scratch, "calls");
  await failed(list(program("repeats", `echo call >> ${calls}; yes`)));
  expect(readFileSync(calls, "utf8")).toBe("call\n");
});

it("reports one that does not answer", async () => {
  const hangs = program("hangs", "exec sleep 100");
  expect(await failed(list(hangs, 200))).toEqual({ tag: "silent", val: { what: "tool", limit: 200 } });
});

it("reports one that cannot be started", async () => {
  const path = program("closed", "", 0o644);
  const refused = { call: "fork/exec", path, inside: false, error: "EACCES" };
  expect(await failed(list(path))).toEqual({ tag: "call", val: refused });
});

it("does not ask for the processes of an ended run", async () => {
  expect(await failed(ps([], new Set()))).toEqual({ tag: "no-such", val: { what: "process", name: "" } });
});
