// Runs the machine's `ps` for a container's processes.

import { execFile } from "node:child_process";
import type { Outcome } from "../hosts/shared/host.js";
import { failedTool, noSuch } from "../hosts/shared/failure.js";
import { findProgram } from "./launch/runtimes.js";

/** The client wants to see the current state, so a `ps` that hangs in the kernel is abandoned. */
const LIMIT_MS = 10_000;
const OUTPUT_MAX = 16 << 20;

/**
 * Lists at least `pids`; there may be lines of other processes. Titles and numbers are in the C locale, and the
 * engine's own environment does not change them (ps(1): PS_FORMAT, PS_PERSONALITY).
 */
export async function ps(words: readonly string[], pids: ReadonlySet<number>): Promise<Outcome> {
  if (pids.size === 0) throw noSuch("process");
  // Some formats (`f`) cannot be combined with a list of processes: then all are listed.
  const text = await run([...words, `-q${[...pids].join(",")}`]).catch(() => run(words));
  return { tag: "ps", val: { text, pids: Uint32Array.from(pids) } };
}

function run(words: readonly string[]): Promise<Uint8Array> {
  const program = findProgram("ps");
  if (!program) throw noSuch("tool", "ps");
  const options = {
    env: { LC_ALL: "C", PATH: process.env["PATH"] ?? "" },
    ...{ encoding: "buffer" as const, timeout: LIMIT_MS, maxBuffer: OUTPUT_MAX },
  };
  return new Promise((resolve, reject) =>
    execFile(program, words, options, (error, stdout, stderr) => {
      if (!error) return resolve(stdout);
      reject(failedTool("ps", typeof error.code === "number" ? error.code : null, stderr.toString("utf8")));
    }),
  );
}
