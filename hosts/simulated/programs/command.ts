// What the small programs share: error handling, input and output.

import { FileError } from "../files/file-system.js";
import { BrokenPipe, ProcessInput } from "../processes/descriptors.js";
import { baseName } from "../processes/executable.js";
import { openSource } from "../processes/open.js";
import type { ContainerProcess, ContainerProgram } from "../processes/process.js";
import { Killed, NoProgram } from "../program.js";
import { concat } from "./escapes.js";
import { UsageError } from "./options.js";

/** Makes a program of `run`: its failures become messages and exit codes. `run` gets the arguments without the name. */
export function command(
  run: (process: ContainerProcess, args: readonly string[]) => Promise<number>,
  usageCode = 1,
): ContainerProgram {
  return async (process) => {
    try {
      return await run(process, process.argv.slice(1));
    } catch (error) {
      if (error instanceof Killed) throw error;
      if (error instanceof BrokenPipe) return complain(process, "write error: Broken pipe");
      if (error instanceof UsageError) return complain(process, error.message, usageCode);
      if (error instanceof FileError) return complain(process, `${error.path}: ${error.message}`);
      if (error instanceof NoProgram) return complain(process, error.message);
      throw error;
    }
  };
}

/** Prints `NAME: MESSAGE` to standard error. Resolves to the exit code. */
export async function complain(process: ContainerProcess, message: string, code = 1): Promise<number> {
  await process.stderr.write(`${baseName(process.argv[0] ?? "")}: ${message}\n`);
  return code;
}

/** Opens a file, or standard input for `-`. Throws what opening throws. */
export function open(process: ContainerProcess, path: string): ProcessInput {
  return path === "-" ? process.stdin : new ProcessInput(process, openSource(process, path));
}

/** The message for a failed file operation; false for any other error. */
export function whyNot(error: unknown): string | false {
  if (error instanceof Killed || error instanceof BrokenPipe) return false;
  return error instanceof FileError || (error instanceof Error && error.constructor !== TypeError)
    ? error.message
    : false;
}

/** Runs `use` for every file, or for standard input if there is none. Resolves to 1 if a file could not be read. */
export async function eachInput(
  process: ContainerProcess,
  paths: readonly string[],
  use: (input: ProcessInput, path: string) => Promise<void>,
  text: (path: string, why: string) => string = (path, why) => `${path}: ${why}`,
): Promise<number> {
  let code = 0;
  for (const path of paths.length > 0 ? paths : ["-"]) {
    try {
      const input = open(process, path);
      await use(input, path);
    } catch (error) {
      const why = whyNot(error);
      if (why === false) throw error;
      code = await complain(process, text(path, why));
    }
  }
  return code;
}

const NEWLINE = 0x0a;
/** A longer line counts as memory of the process. */
const FREE_BYTES = 65_536;

/** Lines with their newlines. The last line may have none. */
export async function* lines(input: ProcessInput): AsyncGenerator<string> {
  for await (const line of byteLines(input)) yield decoder.decode(line);
}

const decoder = new TextDecoder();

export async function* byteLines(input: ProcessInput): AsyncGenerator<Uint8Array> {
  let held: Uint8Array[] = [];
  let size = 0;
  for (let piece = await input.read(); piece; piece = await input.read()) {
    let at = 0;
    for (let end = piece.indexOf(NEWLINE); end >= 0; end = piece.indexOf(NEWLINE, at)) {
      const line = piece.subarray(at, end + 1);
      yield held.length > 0 ? concat([...held, line]) : line;
      [held, size] = [[], 0];
      at = end + 1;
    }
    if (at === piece.length) continue;
    held.push(piece.subarray(at));
    size += piece.length - at;
    if (size > FREE_BYTES) input.process.allocate(piece.length - at);
  }
  if (held.length > 0) yield concat(held);
}

/** Removes the newline. */
export function chomp(line: string): string {
  return line.endsWith("\n") ? line.slice(0, -1) : line;
}

const BUFFER_BYTES = 4096;

/** Standard output, buffered as by stdio(3): per line on terminals, in blocks elsewhere. */
export class Writer {
  #pieces: Uint8Array[] = [];
  #size = 0;

  constructor(readonly process: ContainerProcess) {}

  async write(text: string | Uint8Array): Promise<void> {
    const bytes = typeof text === "string" ? encoder.encode(text) : text;
    this.#pieces.push(bytes);
    this.#size += bytes.length;
    if (this.#size >= BUFFER_BYTES || this.process.stdout.tty) await this.flush();
  }

  async flush(): Promise<void> {
    if (this.#size === 0) return;
    const bytes = concat(this.#pieces);
    this.#pieces = [];
    this.#size = 0;
    await this.process.stdout.write(bytes);
  }
}

const encoder = new TextEncoder();
