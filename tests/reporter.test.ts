// The summary at the end of a test run: a skip that is not allowed fails in CI and nowhere else; every failure is
// named.
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
/** Fails until it has been tried often enough, also across processes: each try adds a letter to a file. */
const failsUntil = (tries: number, file: string): string => `
  import { appendFileSync, readFileSync } from "node:fs";
  test("it settles", () => {
    appendFileSync("${file}", "x");
    if (readFileSync("${file}", "utf8").length < ${tries}) throw new Error("too slow");
  });
`;
const SET_UPS = `
  let tries = 0;
  let held = 0;
  afterAll(() => { held--; });
  describe("slow", () => {
    beforeAll(() => { held++; if (++tries === 1) throw new Error("too slow\\nat first"); });
    afterAll(() => { held--; });
    test("has one set-up to itself", () => expect([tries, held]).toEqual([2, 1]));
  });
  describe("broken", () => {
    beforeAll(() => { throw new Error("no set-up"); });
    test("it is not reached", () => {});
  });
`;
const RETRIED = `
  let tries = 0;
  test("it settles", () => {
    if (++tries === 1) throw new Error("Command failed: sh\\nwhat it said\\n");
  });
`;
/** Uses a second of processor time in a child process, which is counted when it has ended. */
const BUSY = `
  import { spawnSync } from "node:child_process";
  const used = "Object.values(process.cpuUsage()).reduce((one, other) => one + other)";
  const burn = "for (let at = 0; at % 1_000_000 > 0 || " + used + " < 1_000_000; at++);";
  test("it is busy", () => { spawnSync(process.execPath, ["-e", burn]); });
`;
const DIES = `test("it dies", () => process.kill(process.pid, "SIGKILL"));`;
/** Shorter than the busy one, so they run after it. */
const IDLE = ["idle-1", "idle-2"];
let directory = "";

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "coracle-reporter-"));
  await writeFile(join(directory, "skips.test.js"), SKIPS);
  await writeFile(join(directory, "failures.test.js"), FAILURES);
  await writeFile(join(directory, "setups.test.js"), SET_UPS);
  await writeFile(join(directory, "retried.test.js"), RETRIED);
  await writeFile(join(directory, "busy.test.js"), BUSY);
  await writeFile(join(directory, "dies.test.js"), DIES);
  for (const name of IDLE) await writeFile(join(directory, `${name}.test.js`), `test("it is idle", () => {});`);
  const config = { test: { runner: join(ROOT, "tests/runner.ts") } };
  await writeFile(join(directory, "vitest.config.mjs"), `export default ${JSON.stringify(config)};`);
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

test("a setup has a second try in CI, which is reported with the whole error", async () => {
  const { code, lines, told } = await runOf("setups", { CI: "true" });
  expect([code, ...lines.slice(-5)], told).toEqual([
    1,
    "passed at the second try: setups.test.js: slow: too slow",
    "    at first",
    `failed: setups.test.js: broken > it is not reached: ${NOT_ALLOWED}its set-up failed`,
    "failed: setups.test.js: broken: no set-up",
    "1 passed, 2 failed, 0 skipped",
  ]);
  const elsewhere = await runOf("setups", { CI: "false" });
  expect(elsewhere.lines.at(-1), elsewhere.told).toBe("0 passed, 2 failed, 2 skipped");
});

test("a test's second try is reported with the whole error of the first", async () => {
  const { code, lines, told } = await runOf("retried", { CI: "true" }, ["--retry", "1"]);
  expect([code, ...lines.slice(-3)], told).toEqual([
    0,
    "passed at the second try: retried.test.js: it settles: Command failed: sh",
    "    what it said",
    "1 passed, 0 failed, 0 skipped",
  ]);
});

// In CI a test has a second try (vitest.config.ts). This configuration has none, so its first failure counts.
test("a file that failed runs once more in CI, alone", async () => {
  await writeFile(join(directory, "third.test.js"), failsUntil(2, join(directory, "third")));
  await writeFile(join(directory, "never.test.js"), failsUntil(9, join(directory, "never")));
  const both = await runOf(["third", "never", "idle-1"], { CI: "true" });
  expect([both.code, ...both.lines.slice(-3)], both.told).toEqual([
    1,
    "passed only alone: third.test.js: it settles: too slow",
    "failed: never.test.js: it settles: too slow",
    "2 passed, 1 failed, 0 skipped",
  ]);
  await rm(join(directory, "third"));
  const { code, lines, told } = await runOf("third", { CI: "true" });
  expect([code, lines.at(-1)], told).toEqual([0, "1 passed, 0 failed, 0 skipped"]);
  await rm(join(directory, "third"));
  const elsewhere = await runOf("third", { CI: "false" });
  expect([elsewhere.code, elsewhere.lines.at(-1)], elsewhere.told).toEqual([1, "0 passed, 1 failed, 0 skipped"]);
});

test("files are listed with their time, including their child processes", async () => {
  const { lines, told } = await runOf(["busy", "setups"], { CI: "false" });
  const sums = /^2 files took (\d+) s of processors, the whole run (\d+) s; the longest:$/m.exec(told) ?? [];
  const [, files = "", whole = ""] = sums;
  expect(Number(files), told).toBeGreaterThan(0);
  expect(Number(whole), told).toBeGreaterThanOrEqual(Number(files));
  const parts = /^test files \d+ s, programs they started (\d+) s, lent engines 0 s, browsers 0 s$/m.exec(told);
  expect(Number(parts?.[1]), told).toBeGreaterThanOrEqual(1);
  const took = lines.flatMap((line) => /^took [\d.]+ s, ([\d.]+) s of processors: busy.test.js$/.exec(line)?.[1] ?? []);
  expect(took, told).toHaveLength(1);
  expect(Number(took[0]), told).toBeGreaterThanOrEqual(1);
});

test("files that did not end are counted, because nothing tells what they spent", async () => {
  const { told } = await runOf(["dies", "idle-1"], { CI: "false" });
  expect(told).toMatch(/^only the whole run includes files that did not end: 1$/m);
  expect(told).toMatch(/^by file: .*idle-1\.test\.js \d+ s/m);
});

test("files that share a process are listed with their own times", async () => {
  const inOneProcess = ["--no-isolate", "--maxWorkers", "1", "--pool", "forks"];
  const { lines, told } = await runOf(["busy", ...IDLE], { CI: "false" }, inOneProcess);
  const busy = lines.flatMap((line) => /^took [\d.]+ s, [1-9][\d.]* s of processors: (.*)$/.exec(line)?.[1] ?? []);
  expect(busy, told).toEqual(["busy.test.js"]);
});

async function runOf(
  files: string | string[],
  env: Record<string, string>,
  flags: readonly string[] = [],
): Promise<{ code: number | null; lines: string[]; told: string }> {
  const program = join(ROOT, "tests/run.mjs");
  const reporter = join(ROOT, "tests/reporter.ts");
  const options = [...[files].flat(), "--globals", "--root", directory, "--reporter", reporter, ...flags];
  // What these tests prove is not to be written.
  const own = { CORACLE_TEST_PROVE: "", ...env };
  const { code, stdout, stderr } = await run([process.execPath, program, ...options], { env: own, cwd: directory });
  return { code, lines: stdout.trim().split("\n"), told: stdout + stderr };
}
