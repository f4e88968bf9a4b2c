// Programs of the simulated world: the code behind an executable file in a container. Embedders can register their own.

import { errorText, type FileErrorCode, type FileSystem } from "./files/file-system.js";

/** A process as its program sees it. Nothing is real: time is the world's, and files are the container's. */
export interface Process {
  /** The name it was called by, then its arguments. */
  readonly argv: readonly string[];
  /** A copy of its own: other processes do not see changes. */
  readonly env: Map<string, string>;
  /** An absolute path. */
  cwd: string;
  /** The pid in its container: the first process is 1. */
  readonly pid: number;
  readonly uid: number;
  readonly gid: number;
  /** The host name of its container. */
  readonly hostname: string;
  /** The files of its container. Paths must be absolute; `cwd` is not applied. */
  readonly files: FileSystem;
  /** The network of its container. */
  readonly network: ProcessNetwork;
  readonly stdin: Input;
  readonly stdout: Output;
  readonly stderr: Output;
  /**
   * Aborted by the signal that ends the process; `reason` is a `Killed`. Every pending wait then rejects with it, so a
   * program that does nothing about it ends by itself.
   */
  readonly ended: AbortSignal;
  /** Catches these signals, by their Linux numbers, instead of their default action. SIGKILL (9) cannot be caught. */
  onSignal(signals: readonly number[], caught: (signal: number) => void): void;
  /** Time of day in nanoseconds since 1970. */
  now(): bigint;
  /** Sleeps for nanoseconds of the world's time. */
  sleep(ns: bigint): Promise<void>;
  /** A number from 0 up to 1, from the world's seed. */
  random(): number;
  /** Counts against the container's memory limit. Beyond the limit the process is killed (137, out of memory). */
  allocate(bytes: number): void;
  /** Starts another program of the container as a child. Throws `NoProgram`. */
  spawn(start: ChildStart): Child;
}

/** The network of a process's container: what it reaches, and as whom, is what the engine's networks say. */
export interface ProcessNetwork {
  /**
   * Addresses of a name, as in `/etc/hosts` or from the name servers; none if nobody knows it. Those of IPv4 come first.
   * `family`: 4 or 6 for these alone.
   */
  lookUp(name: string, family?: 4 | 6): Promise<string[]>;
  /** Connects by TCP to a name or an address. Rejects with `SocketError`. */
  connect(host: string, port: number): Promise<ProcessSocket>;
  /** Listens for connections at an address of the container, by default at all of them: `::`. Throws `SocketError`. */
  listen(port: number, address?: string): ProcessListener;
  /** A socket of UDP at a port, or at a free one if it is 0 or not given; `address` as for `listen`. Throws `SocketError`. */
  datagrams(port?: number, address?: string): ProcessDatagrams;
}

/** A TCP connection. It is closed when its process ends. */
export interface ProcessSocket {
  readonly input: Input;
  readonly output: Output;
  /** The other side. */
  readonly remote: { readonly address: string; readonly port: number };
  /** Sends and takes no more. What was written still arrives. */
  close(): void;
}

/** A socket that listens. It is closed when its process ends. */
export interface ProcessListener {
  /** The next connection. */
  accept(): Promise<ProcessSocket>;
  close(): void;
}

/** A socket for datagrams (UDP). It is closed when its process ends. */
export interface ProcessDatagrams {
  readonly port: number;
  /** Sends one of 65,507 bytes at most. It may get lost. Rejects with `SocketError` if there is no way. */
  send(to: { address: string; port: number }, bytes: Uint8Array): Promise<void>;
  /** The next one that arrives, and who sent it. */
  receive(): Promise<{ bytes: Uint8Array; from: { address: string; port: number } }>;
  close(): void;
}

/** A stream of incoming bytes. */
export interface Input {
  /** Whether it is a terminal. */
  readonly tty: boolean;
  /** The next piece, or null at the end. Rejects with `Killed`. */
  read(): Promise<Uint8Array | null>;
}

/** A stream of outgoing bytes. */
export interface Output {
  /** Whether it is a terminal. */
  readonly tty: boolean;
  /** Resolves when there is room for more. Rejects with `Killed`; with SIGPIPE if nobody reads any more. */
  write(bytes: Uint8Array | string): Promise<void>;
}

/** The process must end: it received a signal that it did not catch. */
export class Killed extends Error {
  constructor(
    readonly signal: number,
    readonly outOfMemory = false,
  ) {
    super(`killed by signal ${signal}`);
  }
}

/** There is no program to run. `found`: the file exists but cannot be executed (126); otherwise there is none (127). */
export class NoProgram extends Error {
  constructor(
    readonly command: string,
    readonly found: boolean,
    /** The error of execve(2). */
    readonly code: FileErrorCode = found ? "EACCES" : "ENOENT",
  ) {
    super(`${command}: ${found ? errorText(code) : "not found"}`);
  }

  /** In the C library's words. */
  get reason(): string {
    return errorText(this.code);
  }
}

/** How to start a child. What is left out comes from the parent. */
export interface ChildStart {
  /** The first is looked up in PATH unless it contains a slash. */
  argv: readonly string[];
  /** Runs instead of the file that `argv` names: a fork without an exec. */
  program?: Program;
  /** This and the following fields: the parent's if not given. */
  env?: ReadonlyMap<string, string>;
  cwd?: string;
  stdin?: Input;
  stdout?: Output;
  stderr?: Output;
}

/** A process that a program started. */
export interface Child {
  /** The pid in its container. */
  readonly pid: number;
  /** Its exit code; 128 + signal if it was killed. Never rejects. */
  readonly exited: Promise<number>;
  /** Sends it a signal, by its Linux number. Does nothing once it has ended. */
  signal(number: number): void;
}

/** Runs the program to its end and resolves to the exit code. Throwing `Killed` means that the signal ended it. */
export type Program = (process: Process) => Promise<number>;
