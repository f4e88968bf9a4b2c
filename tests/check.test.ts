// Types, lint and format of all source files.

import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

/** Each check reads every file on a busy machine. */
const LONGEST_MS = 300_000;
const FOLDERS = ["core", "hosts", "runtime-linux", "tests", "benches"];
const ROOT = fileURLToPath(new URL("..", import.meta.url));

// tsc does not know AssemblyScript: core/assembly is checked by its own compiler in each build.
test.each([
  ["types", "typescript/bin/tsc", ["--project", "."]],
  ["lint", "oxlint/bin/oxlint", ["--deny-warnings"]],
  ["format", "oxfmt/bin/oxfmt", ["--check", ...FOLDERS.map((folder) => `${folder}/**/*.{ts,mjs}`)]],
  // What these declare to AssemblyScript's compiler is no TypeScript, and oxfmt cannot read it.
  ["format of the core's runtime", "prettier/bin/prettier.cjs", ["--check", "core/bindgen/runtime/*.ts"]],
])(
  "%s",
  (_name, program, args) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [`node_modules/${program}`, ...args], { cwd: ROOT });
    expect(status, `${stdout}${stderr}`).toBe(0);
  },
  LONGEST_MS,
);
