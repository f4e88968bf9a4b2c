// The system calls of a program, as recorded by strace(1). A call that ended before another began comes before it,
// because strace stops a thread while it writes down what the thread is about to do or has done.
import { spawn, type ChildProcess } from "node:child_process";
import { readdirSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { findProgram, until } from "../commands.js";
import { readFor } from "../processes.js";

export interface SystemCall {
  readonly name: string;
  /** As strace writes them: strings with all bytes as `\xNN`, descriptors with their path. */
  readonly args: string;
  /** The return value; -1 for a failure. */
  readonly result: number;
  /** Line numbers of its start and end in the log, which give the order of two calls. */
  readonly began: number;
  readonly ended: number;
}

/** Why calls cannot be watched here; null if they can. */
export function straceMissing(): string | null {
  return findProgram("strace") === null ? "strace is not installed" : null;
}

/** Prefixes a command to watch it, with all its threads and children. */
export function watched(log: string, calls: readonly string[]): string[] {
  return ["strace", ...flags(log, calls)];
}

/** Watches a running process, with all its threads, until the returned function is called. */
export async function watch(pid: number, log: string, calls: readonly string[]): Promise<() => Promise<void>> {
  const child: ChildProcess = spawn("strace", [...flags(log, calls), "-p", String(pid)], { stdio: "ignore" });
  const ended = new Promise((resolve) => child.once("exit", resolve));
  await until("strace to hold every thread", () => threadsOf(pid).every((status) => !/^TracerPid:\s+0$/m.test(status)));
  return async () => {
    // strace records a thread's call before the thread continues, so all threads must be asleep.
    await until("every thread to rest", () => threadsOf(pid).every((status) => /^State:\s+S/m.test(status)));
    child.kill("SIGTERM");
    await ended;
  };
}

/** Completed calls, in the order in which they began. */
export async function callsIn(log: string): Promise<SystemCall[]> {
  const calls: SystemCall[] = [];
  const begun = new Map<string, { at: number; text: string }>();
  const lines = (await readFile(log, "latin1")).split("\n");
  lines.forEach((line, at) => {
    const [, thread = "", text = ""] = /^(\d+)\s+(.*)$/.exec(line) ?? [];
    const unfinished = text.endsWith(UNFINISHED) ? text.slice(0, -UNFINISHED.length).trimEnd() : null;
    if (unfinished !== null) return void begun.set(thread, { at, text: unfinished });
    const resumed = /^<\.\.\. \w+ resumed>(.*)$/.exec(text);
    const before = resumed === null ? undefined : begun.get(thread);
    const whole = before === undefined ? text : `${before.text}${resumed?.[1] ?? ""}`;
    const [, name, args = "", result] = /^(\w+)\((.*)\)\s+= (-?\d+|0x[0-9a-f]+)/.exec(whole) ?? [];
    if (name !== undefined) calls.push({ name, args, result: Number(result), began: before?.at ?? at, ended: at });
  });
  return calls.sort((a, b) => a.began - b.began);
}

/** The strings in the arguments, or everything in a text that strace wrote. */
export function stringsIn(text: string): Buffer[] {
  return Array.from(text.matchAll(/"((?:\\x[0-9a-f]{2})*)"/g), ([, hex = ""]) => bytesOf(hex));
}

/** The path of the first argument's descriptor; empty if it has none. */
export function pathOf({ args }: SystemCall): string {
  const [, hex = ""] = /^\d+<((?:\\x[0-9a-f]{2})*)>/.exec(args) ?? [];
  return bytesOf(hex).toString();
}

/** The descriptor in the first argument. */
export function descriptorOf({ args }: SystemCall): number {
  return Number.parseInt(args, 10);
}

function bytesOf(hex: string): Buffer {
  return Buffer.from(hex.replaceAll("\\x", ""), "hex");
}

function flags(log: string, calls: readonly string[]): string[] {
  return ["-f", "-y", "-xx", "-s", String(LONGEST), "-e", `trace=${calls.join(",")}`, "-e", "signal=none", "-o", log];
}

function threadsOf(pid: number): string[] {
  const all = readdirSync(`/proc/${pid}/task`).map((thread) => readFor(pid, `task/${thread}/status`));
  return all.filter((status) => status !== "");
}

const UNFINISHED = "<unfinished ...>";
/** How many bytes of a string are recorded. */
const LONGEST = 8 << 20;
