// Types, lint and format of everything that people write.

import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

/** Each looks at every file, on a machine that has other things to do. */
const LONGEST_MS = 300_000;
const ROOT = fileURLToPath(new URL("..", import.meta.url));

// tsc knows nothing of AssemblyScript: core/assembly is checked by its own compiler, whenever it is built.
test.each([
  ["types", "typescript/bin/tsc", ["--project", "."]],
  ["lint", "oxlint/bin/oxlint", ["--deny-warnings"]],
  [
    "format",
    "prettier/bin/prettier.cjs",
    ["--no-error-on-unmatched-pattern", "--log-level", "warn", "--check", ...formatted()],
  ],
])(
  "%s",
  (_name, program, args) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [`node_modules/${program}`, ...args], { cwd: ROOT });
    expect(status, `${stdout}${stderr}`).toBe(0);
  },
  LONGEST_MS,
);

function formatted(): string[] {
  return ["core", "hosts", "runtime-linux", "tests", "benches"].map((folder) => `${folder}/**/*.{ts,mjs}`);
}
