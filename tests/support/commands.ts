// Runs programs for tests: one call returns the output and the exit code. A non-zero code does not throw.
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
  /** The test's own directory if not given. */
  readonly cwd?: string;
  readonly input?: string | Uint8Array;
  /** The program is killed after this time. Its code is then 124, as for timeout(1). */
  readonly timeoutMs?: number;
}

/** A CI machine can stall for seconds. A test has two minutes; by this time it must report what it waited for. */
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

/** Runs a program that must succeed, and returns its standard output. */
export async function must(command: readonly string[], options: RunOptions = {}): Promise<string> {
  const finished = await run(command, options);
  if (finished.code !== 0) {
    throw new Error(`${command.join(" ")}: exit code ${finished.code}: ${finished.stderr || finished.stdout}`);
  }
  return finished.stdout;
}

/** The path of a program, also looked up in system directories, or null. */
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

/** Resolves once `check` returns something other than null, false or undefined. Checks every `everyMs`. */
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
