// What a run of the tests says at its end: a test that is skipped without leave fails in CI, and nowhere else; whatever
// failed is named.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { REFERENCE } from "./support/allowed-skips.js";
import { run } from "./support/commands.js";
import { ROOT } from "./support/engines.js";

const SKIPS = `
  test("it runs", () => {});
  test("pings on reference", ({ skip }) => skip(${JSON.stringify(REFERENCE.races)}));
  test("pings on linux", ({ skip }) => skip(process.env.WHY));
`;
const FAILURES = `
  test("it runs", () => {});
  test("it fails", () => { throw new Error("first line\\nsecond line"); });
  describe("a block", () => {
    beforeAll(() => { throw new Error("no set-up"); });
    test("it is not reached", () => {});
  });
`;
let directory = "";

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "coracle-reporter-"));
  await writeFile(join(directory, "skips.test.js"), SKIPS);
  await writeFile(join(directory, "failures.test.js"), FAILURES);
});
afterAll(async () => rm(directory, { recursive: true }));

const NOT_ALLOWED = "CI skips only what is in allowed-skips.ts: ";

test.each([
  ["what is missing, in CI", { CI: "true", WHY: "crun is not installed" }, 1],
  ["a reason of another engine's, in CI", { CI: "true", WHY: REFERENCE.races }, 1],
  ["what is missing, elsewhere", { CI: "false", WHY: "crun is not installed" }, 0],
])("%s", async (_, env, failed) => {
  const { code, lines, told } = await runOf("skips", env);
  expect([code, lines.at(-1)], told).toEqual([failed, `1 passed, ${failed} failed, ${2 - failed} skipped`]);
  const line =
    failed > 0 ? `failed: skips.test.js: pings on linux: ${NOT_ALLOWED}` : `skipped: skips.test.js: pings on linux: `;
  expect(lines).toContain(`${line}${env.WHY}`);
});

test("failures are named last, with the first line of each", async () => {
  const { code, lines, told } = await runOf("failures", { CI: "false" });
  expect([code, ...lines.slice(-4)], told).toEqual([
    1,
    "skipped: failures.test.js: a block > it is not reached: its set-up failed",
    "failed: failures.test.js: it fails: first line",
    "failed: failures.test.js: a block: no set-up",
    "1 passed, 2 failed, 1 skipped",
  ]);
});

async function runOf(
  file: string,
  env: Record<string, string>,
): Promise<{ code: number | null; lines: string[]; told: string }> {
  const vitest = join(ROOT, "node_modules/vitest/vitest.mjs");
  const reporter = join(ROOT, "tests/reporter.ts");
  const options = ["run", file, "--globals", "--root", directory, "--reporter", reporter];
  const { code, stdout, stderr } = await run([process.execPath, vitest, ...options], { env, cwd: directory });
  return { code, lines: stdout.trim().split("\n"), told: stdout + stderr };
}
