// Programs that the engine starts beside its own work: OCI runtimes and supervisors. Node's own `spawn` forks, for which
// the engine stands still the longer the more memory it holds; and its pipes are sockets, which nobody can open again by
// their names (/dev/stdout).

import { closeSync } from "node:fs";
import { Socket } from "node:net";
import { isMainThread } from "node:worker_threads";
import type { ChildEnd, Kernel } from "../kernel.js";
import { noSuch } from "../../hosts/shared/failure.js";
import { environment } from "./environment.js";

export interface Command {
  program: string;
  args: readonly string[];
  /** Beside PATH. */
  variables?: Readonly<Record<string, string>>;
  directory?: string;
  /**
   * It makes a session of its own itself, and is in ours until then. A new session has to wait where others are busy
   * (sched(7), autogroups), and with it the engine, which stands still until the program has begun.
   */
  makesSession?: boolean;
  /**
   * What it has as 0, 1, 2 and so on: nothing (as /dev/null is, but one of its own: OCI runtimes give it to the
   * container's user, who may do with it as he likes), a pipe of which we have the other end, or an open file.
   */
  files: readonly ("ignore" | "pipe" | number)[];
}

export interface Child {
  pid: number;
  /** Our ends of its pipes, by their number: the first writes to its standard input, all others read. */
  pipes: readonly (Socket | undefined)[];
  /** Resolves when it has ended. Keeps nobody from ending, see `endOf`. */
  gone: Promise<ChildEnd>;
}

/** Starts a program, in the calling thread's namespaces. Throws when there is none such. */
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

/** Why a program was not started: it is not there, or as the kernel refused it. */
export function missingProgram(error: unknown, program: string): unknown {
  return (error as NodeJS.ErrnoException).code === "ENOENT" ? noSuch("tool", program) : error;
}

/** Its end, for which the engine stays. One that runs for longer than `limitMs` is killed. */
export async function endOf(child: Child, kernel: Kernel, limitMs: number): Promise<ChildEnd> {
  const late = setTimeout(() => kernel.kill(child.pid, SIGKILL), limitMs);
  return child.gone.finally(() => clearTimeout(late));
}

/**
 * All that it writes to one of its pipes. Who still holds that when it has ended, a child of its own, is not waited for
 * longer than a moment.
 */
export async function saidBy({ pipes, gone }: Child, at: number): Promise<string> {
  const pipe = pipes[at]!.setEncoding("utf8");
  let said = "";
  pipe.on("data", (text: string) => (said += text));
  pipe.on("error", () => {}); // what has come will do
  void gone.then(() => setTimeout(() => pipe.destroy(), HELD_MS).unref());
  await new Promise((resolve) => pipe.once("close", resolve));
  return said;
}

const SIGKILL = 9;
const HELD_MS = 2000;

interface Opened {
  /** The child's. */
  child: number;
  /** Whoever has given it has it still. */
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

/** Children that run, and who is told of their end. */
const running = new Map<number, { kernel: Kernel; ended: (end: ChildEnd) => void }>();
/** Threads other than the main one are not told of signals. */
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
