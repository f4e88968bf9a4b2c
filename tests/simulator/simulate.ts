// Runs `npm run simulate` as people do.

import { spawn } from "node:child_process";
import { constants, setPriority } from "node:os";
import { fileURLToPath } from "node:url";

const SETUP = fileURLToPath(new URL("../../hosts/node/setup.mjs", import.meta.url));
/** What it runs. */
const BUNDLE = fileURLToPath(new URL("../../build/tools/simulate.mjs", import.meta.url));

/** As `hosts/node/setup.mjs` runs it. */
const OF_SIMULATOR = ["--max-semi-space-size=64", "--initial-old-space-size=256", "--interrupt-budget=600000"];

/** Whether this process has had the simulator bundled: once is enough. */
let isBundled = false;

/** The output of `npm run simulate`. It runs with a lower priority, since it has no timeouts and other tests do. */
export function simulate(...args: string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const program = isBundled ? [...OF_SIMULATOR, BUNDLE] : [SETUP, "simulate"];
    const child = spawn(process.execPath, [...program, ...args], { stdio: ["ignore", "pipe", "pipe"] });
    if (child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_BELOW_NORMAL);
    let text = "";
    child.stdout.on("data", (bytes: Buffer) => (text += bytes.toString()));
    child.stderr.on("data", (bytes: Buffer) => (text += bytes.toString()));
    child.on("error", reject);
    child.on("close", () => {
      isBundled = true;
      resolve(text);
    });
  });
}

export interface Hashes {
  /** Of all outputs. */
  all: string | undefined;
  /** A line for each seed, in the order of the seeds. */
  each: string[];
}

/** What a run with `--verbose` has told. */
export function hashesIn(told: string): Hashes {
  const seedOf = (line: string): number => Number(/\d+/.exec(line)?.[0]);
  const each = told.match(/^seed \d+: \d+ steps, hash [0-9a-f]{16}$/gm) ?? [];
  return {
    all: /^hash of all outputs: (\w+)$/m.exec(told)?.[1],
    each: each.sort((one, other) => seedOf(one) - seedOf(other)),
  };
}
