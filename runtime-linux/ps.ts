// Runs the machine's `ps` for a container's processes.

import { execFile, type ExecFileException } from "node:child_process";
import { HostFailure, failedTool, failureOf, noSuch, silent, tooLarge } from "../hosts/shared/index.js";
import type { Outcome } from "../hosts/shared/index.js";
import { findProgram } from "./launch/find-program.js";

/** The host's own limits (`core/wit/processes.wit`). */
const LIMIT_MS = 10_000;
const MOST_BYTES = 16 << 20;

export interface PsProgram {
  /** Its path; undefined if this machine has none. */
  path: string | undefined;
  /** The client wants to see the current state, so a `ps` that hangs in the kernel is abandoned. */
  limitMs: number;
  /** How many bytes it may write. */
  mostBytes: number;
}

/**
 * Lists at least `pids`; there may be lines of other processes. Titles and numbers are in the C locale, and the
 * engine's own environment does not change them (ps(1): PS_FORMAT, PS_PERSONALITY).
 */
export async function ps(
  words: readonly string[],
  pids: ReadonlySet<number>,
  program: PsProgram = { path: findProgram("ps"), limitMs: LIMIT_MS, mostBytes: MOST_BYTES },
): Promise<Outcome> {
  if (pids.size === 0) throw noSuch("process");
  const text = await run(program, [...words, `-q${[...pids].join(",")}`]).catch((error: unknown) => {
    // Some formats (`f`) cannot be combined with a list of processes: then all are listed.
    if (failureOf(error).tag === "tool") return run(program, words);
    throw error;
  });
  return { tag: "ps", val: { text, pids: Uint32Array.from(pids) } };
}

function run(program: PsProgram, words: readonly string[]): Promise<Uint8Array> {
  const { path, limitMs, mostBytes } = program;
  if (path === undefined) return Promise.reject(noSuch("tool", "ps"));
  const options = {
    env: { LC_ALL: "C", PATH: process.env["PATH"] ?? "" },
    ...{ encoding: "buffer" as const, timeout: limitMs, maxBuffer: mostBytes },
  };
  return new Promise((resolve, reject) =>
    execFile(path, words, options, (error, stdout, stderr) => {
      if (!error) return resolve(stdout);
      reject(failureOfPs(error, path, program) ?? failedTool("ps", exitOf(error), stderr.toString("utf8")));
    }),
  );
}

/**
 * A failure outside `ps`: it was not started (then Node has an errno instead of an exit code), wrote too much, or took
 * too long.
 */
function failureOfPs({ code, killed }: ExecFileException, path: string, program: PsProgram): HostFailure | undefined {
  if (code === "ERR_CHILD_PROCESS_STDIO_MAXBUFFER") return tooLarge("tool", "ps", program.mostBytes);
  if (killed === true) return silent("tool", program.limitMs);
  if (typeof code !== "string") return undefined;
  return new HostFailure({ tag: "call", val: { call: "fork/exec", path, inside: false, error: code } });
}

/** Null if a signal ended it. */
function exitOf({ code }: ExecFileException): number | null {
  return typeof code === "number" ? code : null;
}
