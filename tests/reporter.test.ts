// A test that is skipped without leave fails a run of CI, and no other run.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { REFERENCE } from "./support/allowed-skips.js";
import { run } from "./support/commands.js";
import { ROOT } from "./support/engines.js";

const FILE = `
  test("it runs", () => {});
  test("pings on reference", ({ skip }) => skip(${JSON.stringify(REFERENCE.races)}));
  test("pings on linux", ({ skip }) => skip(process.env.WHY));
`;
let directory = "";

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "coracle-reporter-"));
  await writeFile(join(directory, "skips.test.js"), FILE);
});
afterAll(async () => rm(directory, { recursive: true }));

test.each([
  ["what is missing, in CI", { CI: "true", WHY: "crun is not installed" }, 1, "1 passed, 1 failed, 1 skipped"],
  ["a reason of another engine's, in CI", { CI: "true", WHY: REFERENCE.races }, 1, "1 passed, 1 failed, 1 skipped"],
  ["what is missing, elsewhere", { CI: "false", WHY: "crun is not installed" }, 0, "1 passed, 0 failed, 2 skipped"],
])("%s", async (_, env, code, counts) => {
  const vitest = join(ROOT, "node_modules/vitest/vitest.mjs");
  const reporter = join(ROOT, "tests/reporter.ts");
  const options = ["run", "--globals", "--root", directory, "--reporter", reporter];
  const finished = await run([process.execPath, vitest, ...options], { env, cwd: directory });
  const lines = finished.stdout.trim().split("\n");
  expect([finished.code, lines.at(-1)], finished.stdout + finished.stderr).toEqual([code, counts]);
  expect(finished.stdout).toContain(`skips.test.js: pings on linux: ${env.WHY}`);
});
