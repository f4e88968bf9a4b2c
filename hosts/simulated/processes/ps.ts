// `ps` of the simulated machine, like procps (ps(1)), for the processes of one container.

import { failedTool } from "../../shared/index.js";
import type { HostFailure, Outcome } from "../../shared/index.js";
import { baseName } from "./executable.js";
import type { ContainerProcess } from "./process.js";

/** A process and the facts that columns show. */
interface Listed {
  process: ContainerProcess;
  /** Pids in the machine's pid namespace. */
  pid: number;
  parent: number;
  /** Wall time of its start, in nanoseconds. */
  startedAt: bigint;
  /** Memory of the whole machine, in bytes. */
  memory: number;
}

/** The machine's pids for containers' processes. A process keeps its pid. */
export class MachinePids {
  readonly #known = new WeakMap<ContainerProcess, number>();

  constructor(readonly next: () => number) {}

  of(process: ContainerProcess, first: number): number {
    const known = process.pid === 1 ? first : (this.#known.get(process) ?? this.next());
    this.#known.set(process, known);
    return known;
  }
}

/** `first`: the machine's pid of the first process. */
export function ps(
  words: readonly string[],
  processes: Iterable<ContainerProcess>,
  first: number,
  pids: MachinePids,
): Outcome {
  const columns = columnsOf(words);
  const listed = [...processes].map((process): Listed => {
    const { kernel } = process.namespace;
    const now = kernel.time.now();
    return {
      process,
      pid: pids.of(process, first),
      parent: process.parent ? pids.of(process.parent, first) : INIT,
      startedAt: now.wall - (now.monotonic - process.startedAt),
      memory: kernel.machine.memory,
    };
  });
  listed.sort((a, b) => a.pid - b.pid);
  const rows = [columns.map(({ title }) => title), ...listed.map((one) => columns.map(({ cell }) => cell(one)))];
  const text = rows.map((cells) => `${cells.join(" ")}\n`).join("");
  return {
    tag: "ps",
    val: { text: new TextEncoder().encode(text), pids: Uint32Array.from(listed, ({ pid }) => pid) },
  };
}

/** Parent of processes whose own parent is not in the container. */
const INIT = 1;

interface Column {
  title: string;
  cell: (of: Listed) => string;
}

const COLUMNS: Readonly<Record<string, Column>> = {
  pid: { title: "PID", cell: ({ pid }) => String(pid) },
  ppid: { title: "PPID", cell: ({ parent }) => String(parent) },
  uid: { title: "UID", cell: ({ process }) => String(process.uid) },
  user: { title: "USER", cell: ({ process }) => userOf(process) },
  // The column that `-f` shows under the same title.
  owner: { title: "UID", cell: ({ process }) => userOf(process) },
  gid: { title: "GID", cell: ({ process }) => String(process.gid) },
  c: { title: "C", cell: () => "0" },
  cpu: { title: "%CPU", cell: () => "0.0" },
  mem: { title: "%MEM", cell: ({ process, memory }) => ((100 * process.allocated) / memory).toFixed(1) },
  vsz: { title: "VSZ", cell: ({ process }) => String(Math.ceil(process.allocated / 1024)) },
  rss: { title: "RSS", cell: ({ process }) => String(Math.ceil(process.allocated / 1024)) },
  tty: { title: "TTY", cell: ({ process }) => (process.terminal ? "pts/0" : "?") },
  stat: { title: "STAT", cell: ({ process }) => (process.isStopped ? "T" : process.pid === 1 ? "Ss" : "S") },
  stime: { title: "STIME", cell: ({ startedAt }) => clock(startedAt) },
  start: { title: "START", cell: ({ startedAt }) => clock(startedAt) },
  time: { title: "TIME", cell: () => "00:00:00" },
  comm: { title: "COMMAND", cell: ({ process }) => nameOf(process) },
  ucmd: { title: "CMD", cell: ({ process }) => nameOf(process) },
  cmd: { title: "CMD", cell: ({ process }) => process.argv.join(" ") },
  args: { title: "COMMAND", cell: ({ process }) => process.argv.join(" ") },
};

/** Other names of the same columns. */
const ALIASES: Readonly<Record<string, string>> = {
  ...{ command: "args", euser: "user", euid: "uid", tt: "tty", tname: "tty", "%cpu": "cpu", pcpu: "cpu" },
  ...{ "%mem": "mem", pmem: "mem", rssize: "rss", vsize: "vsz", cputime: "time", state: "stat", s: "stat" },
};

const PLAIN = ["pid", "tty", "time", "ucmd"];
const FULL = ["owner", "pid", "ppid", "c", "stime", "tty", "time", "cmd"];
const USERS = ["user", "pid", "cpu", "mem", "vsz", "rss", "tty", "stat", "start", "time", "args"];
const BSD = ["pid", "tty", "stat", "time", "args"];

function columnsOf(words: readonly string[]): Column[] {
  let names: string[] = PLAIN;
  const wanted: Column[] = [];
  for (let at = 0; at < words.length; at++) {
    const word = words[at]!;
    const letters = word.replace(/^-/, "");
    const o = letters.indexOf("o");
    if (!/^[a-zA-Z]+$/.test(o < 0 ? letters : letters.slice(0, o + 1)) || !isKnown(letters, o)) throw unknown(word);
    if (o >= 0) wanted.push(...listOf(letters.slice(o + 1) || (words[++at] ?? "")));
    else if (!word.startsWith("-")) names = letters.includes("u") ? USERS : BSD;
    else if (letters.includes("f")) names = FULL;
  }
  return wanted.length > 0 ? wanted : names.map((name) => COLUMNS[name]!);
}

/** Letters that select processes or a format; `o` precedes a list of columns. */
function isKnown(letters: string, o: number): boolean {
  return /^[aAdefuwx]*$/.test(o < 0 ? letters : letters.slice(0, o));
}

/** In `pid,user=NAME` the custom title extends to the end of the word. */
function listOf(text: string): Column[] {
  const equals = text.indexOf("=");
  const names = (equals < 0 ? text : text.slice(0, equals)).split(",");
  return names.map((name, at) => {
    const column = COLUMNS[ALIASES[name] ?? name];
    if (!column) throw refused(`unknown user-defined format specifier "${name}"`);
    return equals >= 0 && at === names.length - 1 ? { ...column, title: text.slice(equals + 1) } : column;
  });
}

function unknown(word: string): HostFailure {
  return refused(`unsupported option (${word.startsWith("-") ? "SysV" : "BSD"} syntax)`);
}

function refused(why: string): HostFailure {
  return failedTool("ps", 1, `error: ${why}`);
}

/** The machine knows the name of root only; other users appear by number. */
function userOf({ uid }: ContainerProcess): string {
  return uid === 0 ? "root" : String(uid);
}

function nameOf({ argv }: ContainerProcess): string {
  return baseName(argv[0] ?? "").slice(0, 15);
}

/** Hours and minutes of the day, in UTC. */
function clock(wall: bigint): string {
  return new Date(Number(wall / 1_000_000n)).toISOString().slice(11, 16);
}
