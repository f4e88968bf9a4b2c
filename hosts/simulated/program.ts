// A program of the simulated world: what stands behind an executable file in a container. Embedders register their own.

import type { FileSystem } from "./files/file-system.js";

/** A process as its program sees it. Nothing here is real: time is the world's, files are the container's. */
export interface Process {
  /** Its name as it was called, then its arguments. */
  readonly argv: readonly string[];
  /** Its own: changes are seen by nobody else. */
  readonly env: Map<string, string>;
  /** Absolute. */
  cwd: string;
  /** In its container: the first is 1. */
  readonly pid: number;
  readonly uid: number;
  readonly gid: number;
  /** Its container's. */
  readonly hostname: string;
  /** Its container's; paths are absolute, whatever `cwd` is. */
  readonly files: FileSystem;
  readonly stdin: Input;
  readonly stdout: Output;
  readonly stderr: Output;
  /**
   * Aborted by the signal that ends the process; `reason` is a `Killed`. Everything that waits then rejects with it, so
   * that a program that does not care ends by itself.
   */
  readonly ended: AbortSignal;
  /** Catches these signals, by number on Linux, in place of their default action. SIGKILL (9) cannot be caught. */
  onSignal(signals: readonly number[], caught: (signal: number) => void): void;
  /** Time of day in nanoseconds since 1970. */
  now(): bigint;
  /** Nanoseconds of the world's time. */
  sleep(ns: bigint): Promise<void>;
  /** A number from 0 up to 1, from the world's seed. */
  random(): number;
  /** Counts against the container's memory limit; beyond it the process is killed (137, out of memory). */
  allocate(bytes: number): void;
  /** Starts another program of the container as a child. Throws `NoProgram`. */
  spawn(start: ChildStart): Child;
}

/** Bytes that come in. */
export interface Input {
  /** They come from a terminal. */
  readonly tty: boolean;
  /** The next piece, or null at the end. Rejects with `Killed`. */
  read(): Promise<Uint8Array | null>;
}

/** Bytes that go out. */
export interface Output {
  /** They go to a terminal. */
  readonly tty: boolean;
  /** Resolves when there is room for more. Rejects with `Killed`: of SIGPIPE, too, when nobody reads any more. */
  write(bytes: Uint8Array | string): Promise<void>;
}

/** The process is to end: a signal that it did not catch. */
export class Killed extends Error {
  constructor(
    readonly signal: number,
    readonly outOfMemory = false,
  ) {
    super(`killed by signal ${signal}`);
  }
}

/** There is no program to run: `found` tells whether there is such a file, not to be executed (126), or none (127). */
export class NoProgram extends Error {
  constructor(
    readonly command: string,
    readonly found: boolean,
    /** What execve(2) would say. */
    readonly reason = found ? "Permission denied" : "No such file or directory",
  ) {
    super(`${command}: ${found ? reason : "not found"}`);
  }
}

/** How a child is to be started; what is left out is the parent's. */
export interface ChildStart {
  /** The first is looked up in PATH, unless it holds a slash. */
  argv: readonly string[];
  /** Runs in place of the file that the first of `argv` names: a fork without an exec. */
  program?: Program;
  /** This and all that follows: the parent's if not given. */
  env?: ReadonlyMap<string, string>;
  cwd?: string;
  stdin?: Input;
  stdout?: Output;
  stderr?: Output;
}

/** A process that a program started. */
export interface Child {
  /** In its container. */
  readonly pid: number;
  /** Its exit code; 128 + signal for a killed one. Never rejects. */
  readonly exited: Promise<number>;
  /** Sends it a signal, by number on Linux; nothing once it has ended. */
  signal(number: number): void;
}

/** Runs to its end. Resolves to the exit code; throwing `Killed` is ending by that signal. */
export type Program = (process: Process) => Promise<number>;
