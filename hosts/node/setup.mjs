// The commands of package.json, and `packages`, which is a part of `test`: set-up, and what stands on it. Plain JavaScript
// without packages, since it runs before there are any.
//   node hosts/node/setup.mjs build [core] [--debug] | test [--all-clients] [FILTER…] | packages [--all-clients] |
//     bench [--all-clients] | check | playground [--port PORT] | simulate [--seed N] [--seeds N] [--steps M]
//     [--jobs N] [--minutes M] [--story FILE] | simulate --mutants [--only TEXT] [--write] [--tries N]

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
 * npm packages and build of what is named. What is stale is built by a process of its own: the compilers' memory must
 * not stay with a daemon that is started afterwards. Exits when it cannot be done.
 */
export function prepare(products = ["core", "daemon"]) {
  requireNode(ROOT);
  installDependencies(ROOT);
  const stale = staleProducts(ROOT, products);
  if (stale.length > 0) runOrExit(process.execPath, [fileURLToPath(import.meta.url), "build", ...stale]);
}

const COMMANDS = {
  // With --debug the core is compiled quickly and keeps its names; the next start builds it anew.
  async build(args) {
    requireNode(ROOT);
    installDependencies(ROOT);
    const names = args.filter((arg) => arg !== "--debug");
    await build(ROOT, { names: names.length > 0 ? names : undefined, release: names.length === args.length });
  },

  // Without root the tests that need more say so and are skipped. What is installed and what is built come side by side.
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
    runOrExit(process.execPath, [program, ...args]);
  },

  // What cannot be asked for want of a package says so.
  async bench(args) {
    prepare(["core", "daemon", "playground"]);
    installMissingPackages({ withTests: wantsAllClients(args) });
    const program = fileURLToPath(await bundleTool(ROOT, "benches/main.ts", "bench"));
    runOrExit(process.execPath, [program, ...withoutOwn(args)]);
  },
};

/** The reference engine and other clients come to a user's machine only when asked for. */
function wantsAllClients(args) {
  return process.env["CI"] === "true" || args.includes("--all-clients");
}

function withoutOwn(args) {
  return args.filter((arg) => arg !== "--all-clients");
}

/** Runs a command in a process of its own, beside this one. Exits if it fails; it ends if this one does. */
async function beside(name, args) {
  const begun = spawn(process.execPath, [fileURLToPath(import.meta.url), name, ...args], { stdio: "inherit" });
  const end = () => begun.kill();
  process.once("exit", end);
  const [status] = await once(begun, "exit");
  process.off("exit", end);
  if (status !== 0) process.exit(status ?? 1);
}

function vitest(args) {
  runOrExit(process.execPath, ["tests/run.mjs", "--config", "tests/vitest.config.ts", ...args]);
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
