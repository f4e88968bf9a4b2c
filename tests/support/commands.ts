// Runs programs for tests: one call, its output and its exit code, nothing thrown for a code that is not zero.
import { spawn } from "node:child_process";
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";

export interface Finished {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly env?: NodeJS.ProcessEnv;
  /** The test's own unless given. */
  readonly cwd?: string;
  readonly input?: string | Uint8Array;
  /** Killed after this long; the code is then 124, as timeout(1) has it. */
  readonly timeoutMs?: number;
}

/** A machine of CI stands still for seconds at times; a test has two minutes, and tells by then what it waited for. */
export const LONGEST_MS = 100_000;

/** Runs a program to its end. */
export async function run(command: readonly string[], options: RunOptions = {}): Promise<Finished> {
  const [program, ...args] = command;
  if (program === undefined) throw new Error("no program to run");
  const { env, cwd } = options;
  const child = spawn(program, args, { cwd, env: { ...process.env, ...env }, stdio: ["pipe", "pipe", "pipe"] });
  const stdout: Buffer[] = [];
  const stderr: Buffer[] = [];
  child.stdout.on("data", (bytes: Buffer) => stdout.push(bytes));
  child.stderr.on("data", (bytes: Buffer) => stderr.push(bytes));
  child.stdin.on("error", () => {});
  child.stdin.end(options.input ?? "");
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    child.kill("SIGKILL");
  }, options.timeoutMs ?? LONGEST_MS);
  const code = await new Promise<number>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (exit, signal) => resolve(late ? 124 : (exit ?? 128 + (signal === null ? 0 : 9))));
  });
  clearTimeout(timer);
  return { code, stdout: Buffer.concat(stdout).toString(), stderr: Buffer.concat(stderr).toString() };
}

/** Runs a program that must end well; its standard output. */
export async function must(command: readonly string[], options: RunOptions = {}): Promise<string> {
  const finished = await run(command, options);
  if (finished.code !== 0) {
    throw new Error(`${command.join(" ")}: exit code ${finished.code}: ${finished.stderr || finished.stdout}`);
  }
  return finished.stdout;
}

/** Where a program is, system directories included, or null. */
export function findProgram(name: string): string | null {
  const directories = [...(process.env["PATH"] ?? "").split(delimiter), "/usr/local/sbin", "/usr/sbin", "/sbin"];
  for (const directory of directories) {
    if (directory === "") continue;
    try {
      accessSync(join(directory, name), constants.X_OK);
      return join(directory, name);
    } catch {
      // The next directory may have it.
    }
  }
  return null;
}

/** Resolves once `check` gives something other than null, false or undefined; asks every `everyMs`. */
export async function until<T>(
  what: string,
  check: () => Promise<T | null | false | undefined> | T | null | false | undefined,
  { timeoutMs = LONGEST_MS, everyMs = 20 }: { timeoutMs?: number; everyMs?: number } = {},
): Promise<T> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const found = await check();
    if (found !== null && found !== false && found !== undefined) return found;
    if (Date.now() > deadline) throw new Error(`waited ${timeoutMs} ms in vain for ${what}`);
    await pause(everyMs);
  }
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
