// Programs that the engine starts: OCI runtimes and supervisors. Node's own `spawn` forks, and the engine stands still
// for longer the more memory it holds. Besides, its pipes are sockets, which cannot be reopened by name (/dev/stdout).

import { closeSync } from "node:fs";
import { Socket } from "node:net";
import { isMainThread } from "node:worker_threads";
import type { ChildEnd, Kernel } from "../kernel.js";
import { noSuch } from "../../hosts/shared/index.js";
import { environment } from "./own-environment.js";
import { findProgram } from "./find-program.js";

export interface Command {
  program: string;
  args: readonly string[];
  /** In addition to PATH. */
  variables?: Readonly<Record<string, string>>;
  directory?: string;
  /**
   * The program makes a session itself, and is in ours until then. A process in a new session has to wait on a busy
   * machine (sched(7), autogroups). The engine would wait with it, since it stands still until the program has started.
   */
  makesSession?: boolean;
  /**
   * The files that become its 0, 1, 2 and so on. "ignore" is a device like /dev/null, but a new one: OCI runtimes give
   * it to the container's user, who may change it. "pipe" is a pipe whose other end we have. A number is an open file.
   */
  files: readonly ("ignore" | "pipe" | number)[];
}

export interface Child {
  pid: number;
  /** Our ends of its pipes, by number: the first writes to its standard input, all others read. */
  pipes: readonly (Socket | undefined)[];
  /** Resolves when it has ended. Does not keep the engine alive; see `endOf`. */
  gone: Promise<ChildEnd>;
}

/** Starts a program in the calling thread's namespaces. Throws if there is no such program. */
export function startChild(kernel: Kernel, command: Command): Child {
  const files: Opened[] = [];
  try {
    command.files.forEach((file, at) => files.push(opened(kernel, file, at)));
    const { pid, gone } = awaited(kernel, () => spawn(kernel, command, files));
    return { pid, gone, pipes: files.map(({ own }, at) => (own === undefined ? undefined : streamOf(own, at))) };
  } catch (error) {
    for (const { own } of files) if (own !== undefined) closeSync(own);
    throw error;
  } finally {
    for (const { child, isGiven } of files) if (!isGiven) closeSync(child);
  }
}

/** Why a program was not started: it is not installed, its directory is missing, or the kernel's error. */
export function missingProgram(error: unknown, program: string): unknown {
  const isMissing = (error as NodeJS.ErrnoException).code === "ENOENT";
  return isMissing && findProgram(program) === undefined ? noSuch("tool", program) : error;
}

/** Waits for its end and keeps the engine alive meanwhile. Kills it after `limitMs`. */
export async function endOf(child: Child, kernel: Kernel, limitMs: number): Promise<ChildEnd> {
  const late = setTimeout(() => kernel.kill(child.pid, SIGKILL), limitMs);
  return child.gone.finally(() => clearTimeout(late));
}

/**
 * Everything that it writes to one of its pipes. If a child of its own still holds the pipe when it has ended, this
 * waits only a moment longer.
 */
export async function saidBy({ pipes, gone }: Child, at: number): Promise<string> {
  const pipe = pipes[at]!.setEncoding("utf8");
  let said = "";
  pipe.on("data", (text: string) => (said += text));
  pipe.on("error", () => {}); // what has arrived is enough
  void gone.then(() => setTimeout(() => pipe.destroy(), HELD_MS).unref());
  await new Promise((resolve) => pipe.once("close", resolve));
  return said;
}

const SIGKILL = 9;
const HELD_MS = 2000;

interface Opened {
  /** The child's end. */
  child: number;
  /** The caller passed this file and keeps it open. */
  isGiven: boolean;
  /** Our end of a pipe. */
  own?: number;
}

function opened(kernel: Kernel, file: Command["files"][number], at: number): Opened {
  if (typeof file === "number") return { child: file, isGiven: true };
  if (file === "ignore") return { child: kernel.openNull(), isGiven: false };
  const { read, write } = kernel.pipe();
  return at === 0 ? { child: read, isGiven: false, own: write } : { child: write, isGiven: false, own: read };
}

function streamOf(fd: number, at: number): Socket {
  return new Socket({ fd, readable: at !== 0, writable: at === 0 });
}

function spawn(kernel: Kernel, command: Command, opened: readonly Opened[]): number {
  const { program, args, variables, directory, makesSession = false } = command;
  const files = opened.map(({ child }) => child);
  const variablesOfAll = { ...environment(), ...variables };
  return kernel.spawn({ program, args, environment: variablesOfAll, directory, ownSession: !makesSession, files });
}

/** Running children, and the callbacks for their ends. */
const running = new Map<number, { kernel: Kernel; ended: (end: ChildEnd) => void }>();
/** Threads other than the main one get no signals, so they poll. */
const LOOK_MS = 5;
let timer: NodeJS.Timeout | undefined;

function awaited(kernel: Kernel, born: () => number): Pick<Child, "pid" | "gone"> {
  if (running.size === 0) listen();
  try {
    const pid = born();
    return { pid, gone: new Promise((ended) => running.set(pid, { kernel, ended })) };
  } finally {
    if (running.size === 0) unlisten();
  }
}

/** One signal may stand for several children. */
function look(): void {
  for (const [pid, { kernel, ended }] of running) {
    const end = kernel.reap(pid);
    if (end === undefined) continue;
    running.delete(pid);
    ended(end);
  }
  if (running.size === 0) unlisten();
}

function listen(): void {
  if (isMainThread) process.on("SIGCHLD", look);
  else timer = setInterval(look, LOOK_MS).unref();
}

function unlisten(): void {
  process.off("SIGCHLD", look);
  clearInterval(timer);
}
