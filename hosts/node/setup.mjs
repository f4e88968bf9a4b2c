// The commands of package.json, and `packages`, which is a part of `test`: set-up, and what builds on it. Plain
// JavaScript without packages, since it runs before any are installed.
//   node hosts/node/setup.mjs build [core] [--debug] | test [--all-clients] [FILTER…] | packages [--all-clients] |
//     bench [--all-clients] | check | playground [--port PORT] | simulate [--seed N] [--seeds N] [--steps M]
//     [--jobs N] [--minutes M] [--story FILE] | simulate --mutants [--only TEXT] [--write] [--seeds N]

import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build, bundleTool, platformsOwn, staleProducts } from "./setup/build.mjs";
import { installDependencies } from "./setup/dependencies.mjs";
import { installMissingPackages, requireNode } from "./setup/machine.mjs";

/** The repository. */
export const ROOT = fileURLToPath(new URL("../..", import.meta.url)).replace(/\/$/, "");

/**
 * Installs npm packages and builds the named products. Stale ones are built in a process of its own: the compilers'
 * memory must not stay with a daemon that starts afterwards. Exits on failure.
 */
export function prepare(products = ["core", "daemon"]) {
  requireNode(ROOT);
  installDependencies(ROOT);
  const stale = staleProducts(ROOT, products);
  if (stale.length > 0) runOrExit(process.execPath, [fileURLToPath(import.meta.url), "build", ...stale]);
}

const COMMANDS = {
  // With --debug the core is compiled quickly and keeps its names; the next start builds it again.
  async build(args) {
    requireNode(ROOT);
    installDependencies(ROOT);
    const names = args.filter((arg) => arg !== "--debug");
    await build(ROOT, { names: names.length > 0 ? names : undefined, release: names.length === args.length });
  },

  // Without root, tests that need more are skipped and say so. Installation and build run concurrently.
  async test(args) {
    requireNode(ROOT);
    const installed = beside("packages", args);
    prepare(["core", "daemon", "package", "playground"]);
    await installed;
    vitest(withoutOwn(args));
  },

  packages(args) {
    installMissingPackages({ withTests: wantsAllClients(args) });
  },

  check() {
    prepare(["core", "package"]);
    vitest(["tests/check.test.ts", "tests/layering.test.ts", "tests/mutants/applying.test.ts"]);
  },

  async playground(args) {
    prepare(["core", "playground"]);
    const { servePage } = await import(await bundleTool(ROOT, "hosts/browser/serve.ts", "serve-playground"));
    await servePage({ directory: join(ROOT, "build/playground"), args });
  },

  async simulate(args) {
    prepare(["core"]);
    const [main, name] = args.includes("--mutants")
      ? ["mutants/main.ts", "mutants"]
      : ["simulator/main.ts", "simulate"];
    const program = fileURLToPath(await bundleTool(ROOT, `tests/${main}`, name, platformsOwn(ROOT)));
    runOrExit(process.execPath, [...OF_SIMULATOR, program, ...args]);
  },

  // Benchmarks that need a missing package say so.
  async bench(args) {
    prepare(["core", "daemon", "playground"]);
    installMissingPackages({ withTests: wantsAllClients(args) });
    const program = fileURLToPath(await bundleTool(ROOT, "benches/main.ts", "bench"));
    runOrExit(process.execPath, [program, ...withoutOwn(args)]);
  },
};

/** Installs the reference engine and other clients on a user's machine only on request. */
function wantsAllClients(args) {
  return process.env["CI"] === "true" || args.includes("--all-clients");
}

function withoutOwn(args) {
  return args.filter((arg) => arg !== "--all-clients");
}

/** Runs a command in a separate process beside this one. Exits if it fails; it ends if this one does. */
async function beside(name, args) {
  const begun = spawn(process.execPath, [fileURLToPath(import.meta.url), name, ...args], { stdio: "inherit" });
  const end = () => begun.kill();
  process.once("exit", end);
  const [status] = await once(begun, "exit");
  process.off("exit", end);
  if (status !== 0) process.exit(status ?? 1);
}

/**
 * How V8 works in vitest's own process, which turns hundreds of modules into JavaScript: with room for them from the
 * beginning, little optimizing, and one thread for both. It takes 2.9 s of a processor for 30 files instead of 3.7.
 */
const OF_VITEST = [
  "--max-semi-space-size=64",
  "--initial-old-space-size=256",
  "--interrupt-budget=400000",
  "--v8-pool-size=1",
];

/**
 * How V8 works in the simulator, and in the processes that it starts. Worlds are short-lived. A large young generation, and
 * later collections of the old generation, save a tenth of the time for garbage collection. V8 optimizes functions that
 * run four times longer than by default: three seeds of 400 steps took 7.7 s of a processor instead of 8.5.
 */
const OF_SIMULATOR = ["--max-semi-space-size=64", "--initial-old-space-size=256", "--interrupt-budget=600000"];

function vitest(args) {
  runOrExit(process.execPath, [...OF_VITEST, "tests/run.mjs", "--config", "tests/vitest.config.ts", ...args]);
}

function runOrExit(program, args) {
  const { status, error } = spawnSync(program, args, { cwd: ROOT, stdio: "inherit" });
  if (error) fail(error.message);
  if (status !== 0) process.exit(status ?? 1);
}

function fail(message) {
  console.error(message);
  process.exit(1);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [name = "", ...args] = process.argv.slice(2);
  const command = COMMANDS[name];
  if (!command)
    fail(
      `setup.mjs: unknown command "${name}": build, test, packages, bench, check, playground or simulate is expected`,
    );
  try {
    await command(args);
  } catch (error) {
    fail(error.message);
  }
}
