// The daemon's bundle, and the code that the build keeps of it (hosts/node/bundle.cjs).

import { cpSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { run } from "../support/commands.js";
import { ROOT } from "../support/engines.js";

interface Builder {
  compileAhead(root: string, bundled: string): void;
}

const BUILDER = join(ROOT, "hosts/node/setup/build.mjs");
const LOADER = join(ROOT, "hosts/node/bundle.cjs");
const { BUNDLE } = createRequire(import.meta.url)(LOADER) as { BUNDLE: string };
const CODE = /^coracle-[0-9a-f]{16}\.code$/;

test("V8 takes the code that the build keeps", async () => {
  expect(codesIn(join(ROOT, "build"))).toHaveLength(1);
  // In a process without flags for V8, as daemons are.
  const told = "script.cachedDataRejected, typeof exports.main";
  const program = `const { exports, script } = require(process.argv[1]).loadBundle(); console.log(${told})`;
  const { stdout } = await run([process.execPath, "-e", program, LOADER]);
  expect(stdout).toBe("false function\n");
});

test("what few daemons need is not loaded with the bundle", async () => {
  const loaded = "process.moduleLoadList.filter((name) => / (http2|https|tls|http)$/.test(name)).join()";
  const script = `require(process.argv[1]).loadBundle(); console.log(${loaded})`;
  const { stdout } = await run([process.execPath, "-e", script, LOADER]);
  expect(stdout).toBe("NativeModule http\n");
});

test("the bundle takes Node's modules whole, without a copy for each file", () => {
  const bundle = readFileSync(BUNDLE, "latin1");
  expect(bundle).toContain('require("node:fs")');
  expect(bundle).not.toMatch(/__toESM\(require\("node:/);
});

test("the bundle has the database's JavaScript, without its encoder of values", () => {
  const bundle = readFileSync(BUNDLE, "latin1");
  expect(bundle).toContain("WeakLRUCache");
  expect(bundle).not.toMatch(/(createRequire\(bundleUrl\)|require)\("(lmdb|msgpackr)"\)/);
});

test.each<[string, (code: string) => void]>([
  ["without it", (code) => rmSync(code)],
  ["with code that is damaged", (code) => writeFileSync(code, "no code of V8's")],
])("the command runs %s", async (_how, spoil) => {
  const copy = copyOfBuild();
  spoil(join(copy, "build", codesIn(join(copy, "build"))[0]!));
  const { stdout } = await run([process.execPath, join(copy, "hosts/node/coracle.cjs"), "--version"]);
  expect(stdout).toMatch(/^Coracle version \d/);
});

test("a build continues with a warning where no daemon can be started to compile the code", async () => {
  const copy = copyOfBuild();
  const build = join(copy, "build");
  for (const name of codesIn(build)) rmSync(join(build, name));
  const tooLong = join(copy, "long".repeat(30));
  mkdirSync(tooLong);
  vi.stubEnv("TMPDIR", tooLong);
  const warnings = vi.spyOn(console, "error").mockReturnValue();
  onTestFinished(() => void vi.unstubAllEnvs());
  onTestFinished(() => warnings.mockRestore());
  const { compileAhead } = (await import(BUILDER)) as Builder;
  compileAhead(ROOT, join(build, "coracle.cjs"));
  expect(warnings.mock.calls.flat().join("\n")).toContain("Warning: starts will be slower");
  expect(codesIn(build)).toEqual([]);
});

test("a daemon that ends before it has answered ends the build's wait for it", async () => {
  const directory = mkdtempSync(join(tmpdir(), "coracle-bundle-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  const bundle = join(directory, "coracle.cjs");
  writeFileSync(bundle, "exports.main = () => process.exit(0);\n");
  const { code } = await run([process.execPath, join(ROOT, "hosts/node/setup/code.cjs"), bundle], {
    timeoutMs: 30_000,
  });
  expect(code).toBe(1);
});

function codesIn(directory: string): string[] {
  return readdirSync(directory).filter((name) => CODE.test(name));
}

/** What the command needs, in a directory that may be spoilt. */
function copyOfBuild(): string {
  const copy = mkdtempSync(join(tmpdir(), "coracle-bundle-"));
  onTestFinished(() => rmSync(copy, { recursive: true, force: true }));
  for (const file of ["build/coracle.cjs", ...codesIn(join(ROOT, "build")).map((name) => `build/${name}`)]) {
    cpSync(join(ROOT, file), join(copy, file));
  }
  cpSync(join(ROOT, "build/core"), join(copy, "build/core"), { recursive: true });
  for (const name of ["bundle.cjs", "coracle.cjs", "threads.cjs"]) {
    cpSync(join(ROOT, "hosts/node", name), join(copy, "hosts/node", name));
  }
  symlinkSync(join(ROOT, "node_modules"), join(copy, "node_modules"));
  return copy;
}
