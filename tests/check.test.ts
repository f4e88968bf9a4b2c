// Types, lint and format of all source files.

import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

/** Each check reads every file on a busy machine. */
const LONGEST_MS = 300_000;
const ROOT = fileURLToPath(new URL("..", import.meta.url));

// tsc does not know AssemblyScript: core/assembly is checked by its own compiler in each build.
test.each([
  ["types", "typescript/bin/tsc", ["--project", "."]],
  ["lint", "oxlint/bin/oxlint", ["--deny-warnings"]],
  [
    "format",
    "prettier/bin/prettier.cjs",
    ["--no-error-on-unmatched-pattern", "--log-level", "warn", ...known(), "--check", ...formatted()],
  ],
])(
  "%s",
  (_name, program, args) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [`node_modules/${program}`, ...args], { cwd: ROOT });
    expect(status, `${stdout}${stderr}`).toBe(0);
  },
  LONGEST_MS,
);

/** A file that passed is checked again when its bytes, the settings or any package changed. */
function known(): string[] {
  const hash = createHash("sha256")
    .update(readFileSync(join(ROOT, "package-lock.json")))
    .digest("hex");
  const file = join(ROOT, "build", `formatted-${hash.slice(0, 16)}.json`);
  try {
    JSON.parse(readFileSync(file, "utf8"));
  } catch {
    // There is none yet, or its writer was killed.
    rmSync(file, { force: true });
  }
  return ["--cache", "--cache-strategy", "content", "--cache-location", file];
}

function formatted(): string[] {
  return ["core", "hosts", "runtime-linux", "tests", "benches"].map((folder) => `${folder}/**/*.{ts,mjs}`);
}
