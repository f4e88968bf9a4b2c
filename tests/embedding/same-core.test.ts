// The daemon, the package and the page run the same bytes. A hook around WebAssembly sees what each of them compiles.

import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { coreIdentity } from "coracle-engine";
import { buildSync } from "esbuild";
import { expect, onTestFinished, test } from "vitest";
import { PlaygroundBrowser, reasonForNoPages, sendLast } from "../browser/chromium.js";
import { launchDaemon } from "../support/daemon-process.js";
import { CORACLE, engines } from "../support/engines.js";
import { describeUnless } from "../support/on-engines.js";
import { PackedPackage, ROOT } from "./packed-package.js";

const COMPILED_WASM = join(ROOT, "tests/embedding/compiled-wasm.mjs");
const WATCH = ["--import", pathToFileURL(COMPILED_WASM).href];
const linux = engines().find((engine) => engine.kind === "linux");
const CORE = join(ROOT, "build/core");
const built = readdirSync(CORE)
  .filter((name) => name.endsWith(".wasm"))
  .map((name) =>
    createHash("sha256")
      .update(readFileSync(join(CORE, name)))
      .digest("hex"),
  );

/** Both are used, so that each has its own core; not by `fetch`, for which Node compiles a module of its own. */
const TWO_ENGINES = `
  import { openEngine, simulatedHost } from "coracle-engine";
  const engines = [await openEngine({ host: simulatedHost() }), await openEngine({ host: simulatedHost() })];
  for (const engine of engines) console.log("rules:", engine.rules().length > 0);
  for (const engine of engines) await engine.close();
  console.log("listens on");
`;

test("the daemon", async () => {
  const directory = mkdtempSync(join(tmpdir(), "coracle-same-core-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  const socket = `unix://${join(directory, "s.sock")}`;
  const coracle = join(ROOT, "hosts/node/coracle.cjs");
  const told = await untilGreeting([...WATCH, coracle, "daemon", "--simulated", "-H", socket]);
  expect(compiledIn(told)).toEqual(built.toSorted());
});

describeUnless(linux === undefined ? "another engine was chosen" : linux.missing, "on Linux", () => {
  test("the daemon", async () => {
    const daemon = await launchDaemon("same-core", ({ socketPath, dataRoot, execRoot, pidFile }) => {
      const places = ["--data-root", dataRoot, "--exec-root", execRoot, "-p", pidFile];
      const [node = "", ...coracle] = CORACLE;
      return [node, ...WATCH, ...coracle, "daemon", "-H", `unix://${socketPath}`, ...places];
    });
    onTestFinished(() => daemon.close());
    expect(compiledIn(daemon.log())).toEqual(built.toSorted());
  });
});

test("the package, once for all engines of a program", async () => {
  const packed = new PackedPackage();
  onTestFinished(() => packed.remove());
  packed.write("open.mjs", TWO_ENGINES);
  const told = await untilGreeting([...WATCH, join(packed.directory, "open.mjs")]);
  expect(told.match(/rules: \w+/g)).toEqual(["rules: true", "rules: true"]);
  expect(compiledIn(told)).toEqual(built.toSorted());
});

test("the page", async ({ skip }) => {
  const reason = reasonForNoPages();
  if (reason !== null) return skip(reason);
  const browser = await PlaygroundBrowser.start();
  onTestFinished(() => browser.close());
  const { outputFiles } = buildSync({ entryPoints: [COMPILED_WASM], bundle: true, format: "iife", write: false });
  const { page } = await browser.open({}, "", outputFiles[0]!.text);
  expect(await sendLast(page)).toBe("201 Created");
  const compiled = await page.evaluate(() => (globalThis as unknown as { compiledWasm: string[] }).compiledWasm);
  expect(compiled.toSorted()).toEqual(built.toSorted());
});

test("the identity in traces belongs to the same bytes", () => {
  const core = createHash("sha256")
    .update(readFileSync(join(CORE, "core.core.wasm")))
    .digest("hex");
  expect(coreIdentity()).toBe(core);
});

function compiledIn(told: string): string[] {
  return Array.from(told.matchAll(/^compiled wasm (\w+)$/gm), ([, hash]) => hash!).toSorted();
}

/** The output of a program until it listens. It is ended then. */
async function untilGreeting(args: readonly string[]): Promise<string> {
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "pipe"] });
  let told = "";
  const greeted = new Promise<void>((resolve, reject) => {
    const hear = (text: Buffer): void => {
      told += text.toString();
      if (told.includes("listens on")) resolve();
    };
    child.stdout.on("data", hear);
    child.stderr.on("data", hear);
    child.once("exit", () => (told.includes("listens on") ? resolve() : reject(new Error(told))));
  });
  const ended = new Promise((resolve) => child.once("close", resolve));
  await greeted.finally(() => child.kill("SIGTERM"));
  await ended;
  return told;
}
