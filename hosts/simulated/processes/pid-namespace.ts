// The processes of one run of a container: their table, groups and limits, and operations on all of them at once.

import { Killed, type ChildStart, type Program } from "../program.js";
import { findFirst, findProgram, type Found } from "./executable.js";
import type { Inheritance, Stdio } from "./inheritance.js";
import type { Kernel, Limits, ResourceLimit } from "./kernel.js";
import type { Namespace } from "./namespace.js";
import { ContainerProcess, PROCESS_BYTES } from "./process.js";
import { SIGKILL } from "./signals.js";

/** Shortest and longest time of execve(2) and the dynamic linker. */
const START_NS = 300_000;
const START_SPREAD_NS = 500_000;

/** Letters of `ulimit`. */
const RESOURCES: Readonly<Record<string, string>> = {
  c: "RLIMIT_CORE",
  d: "RLIMIT_DATA",
  f: "RLIMIT_FSIZE",
  l: "RLIMIT_MEMLOCK",
  m: "RLIMIT_RSS",
  n: "RLIMIT_NOFILE",
  p: "RLIMIT_NPROC",
  s: "RLIMIT_STACK",
  t: "RLIMIT_CPU",
  v: "RLIMIT_AS",
};

const DEFAULT_RESOURCES: Readonly<Record<string, ResourceLimit>> = {
  RLIMIT_NOFILE: { soft: 1_048_576, hard: 1_048_576 },
};

/** fork(2) reached the container's limit of processes. */
export class CannotFork extends Error {
  constructor() {
    super("Resource temporarily unavailable");
  }
}

/** The processes that see one another, by pid: those of one container, or of several that share a pid namespace. */
export class ProcessTable {
  lastPid = 0;
  readonly all = new Map<number, ContainerProcess>();
}

export class PidNamespace implements Namespace<ContainerProcess> {
  frozen = false;
  /** How many times the OOM killer struck. */
  memoryKills = 0;
  /** Called each time the OOM killer strikes. */
  killed: () => void = () => {};
  /** The run's own processes, by pid. */
  readonly processes = new Map<number, ContainerProcess>();
  /** The run's first process. */
  first: ContainerProcess | null = null;
  /** Processor time that its processes have used, in nanoseconds. */
  worked = 0;
  #allocated = 0;

  constructor(
    readonly kernel: Kernel,
    readonly limits: Limits,
    public hostname: string,
    /** Another run's table if its pid namespace is joined. */
    readonly table: ProcessTable = new ProcessTable(),
  ) {}

  get allocated(): number {
    return this.#allocated;
  }

  /** Starts a process without a parent: the first process or an exec. Throws `NoProgram`. */
  start(given: Inheritance): ContainerProcess {
    const found = findFirst(given.argv, {
      files: this.kernel.files({ ...given, pid: 1 }),
      cwd: given.cwd,
      path: given.env.get("PATH"),
      uid: given.uid,
      program: (name) => this.kernel.program(name),
    });
    const process = this.#add(null, { ...given, argv: found.argv }, found.program);
    this.first ??= process;
    return process;
  }

  spawn(parent: ContainerProcess, start: ChildStart, stdio: Stdio): ContainerProcess {
    const found = start.program ? { argv: start.argv, program: start.program } : this.find(start.argv, parent, start);
    if (this.processes.size >= this.limits.pids) throw new CannotFork();
    const { uid, gid, groups, umask, terminal, group, ignored } = parent;
    return this.#add(
      parent,
      {
        ...{ uid, gid, groups, umask, terminal, group, ignored, ...stdio },
        argv: found.argv,
        env: start.env ?? parent.env,
        cwd: start.cwd ?? parent.cwd,
      },
      found.program,
    );
  }

  find(argv: readonly string[], by: ContainerProcess, start: Pick<ChildStart, "env" | "cwd"> = {}): Found {
    return findProgram(argv, {
      files: by.files,
      cwd: start.cwd ?? by.cwd,
      path: (start.env ?? by.env).get("PATH"),
      uid: by.uid,
      program: (name) => this.kernel.program(name),
    });
  }

  /** A limit by its letter for `ulimit`; null for no limit. */
  resourceLimit(letter: string): ResourceLimit | null {
    const name = RESOURCES[letter] ?? "";
    return this.limits.resources.get(name) ?? DEFAULT_RESOURCES[name] ?? null;
  }

  /** Sends a signal to all processes of a group. False if there is none. */
  signalGroup(group: number, signal: number): boolean {
    const members = [...this.processes.values()].filter((process) => process.group === group);
    for (const member of members) member.signal(signal);
    return members.length > 0;
  }

  freeze(): void {
    this.frozen = true;
  }

  thaw(): void {
    this.frozen = false;
    for (const process of [...this.processes.values()]) process.thawed();
  }

  /** Kills all processes from outside. */
  kill(outOfMemory = false): void {
    if (outOfMemory) this.#ranOut();
    const { first } = this;
    if (first && !first.isOver) first.end(new Killed(SIGKILL, outOfMemory));
    for (const process of [...this.processes.values()]) process.end(new Killed(SIGKILL));
  }

  /** Counts allocated bytes. Returns whether they exceed the limit. */
  exhausts(bytes: number): boolean {
    this.#allocated += bytes;
    return this.#allocated > this.limits.memory;
  }

  outOfMemory(process: ContainerProcess): void {
    this.#ranOut();
    process.end(new Killed(SIGKILL, true));
  }

  get isOutOfMemory(): boolean {
    return this.memoryKills > 0;
  }

  #ranOut(): void {
    this.memoryKills++;
    this.killed();
  }

  /**
   * A process has ended. The first process adopts its children. When the first process ends, all others are killed
   * (pid_namespaces(7)).
   */
  gone(process: ContainerProcess): void {
    this.processes.delete(process.pid);
    this.table.all.delete(process.pid);
    this.#allocated -= process.allocated;
    const first = this.table.all.get(1) ?? null;
    for (const other of [...this.table.all.values()]) {
      if (process.pid === 1) other.end(new Killed(SIGKILL));
      else if (other.parent === process) other.parent = first;
    }
  }

  #add(parent: ContainerProcess | null, given: Inheritance, program: Program): ContainerProcess {
    const process = new ContainerProcess(this, ++this.table.lastPid, parent, given);
    this.processes.set(process.pid, process);
    this.table.all.set(process.pid, process);
    if (this.exhausts(PROCESS_BYTES)) this.outOfMemory(process);
    else void run(process, program);
    return process;
  }
}

async function run(process: ContainerProcess, program: Program): Promise<void> {
  try {
    await process.sleep(BigInt(Math.round(START_NS + process.random() * START_SPREAD_NS)));
    process.end(await program(process));
  } catch (error) {
    if (error instanceof Killed) return process.end(error);
    if (isTooLarge(error)) return process.namespace.outOfMemory(process);
    // A bug in the program: the process aborts and prints the reason.
    await process.stderr
      .write(`${process.argv[0]}: ${error instanceof Error ? error.message : String(error)}\n`)
      .catch(() => {});
    process.end(new Killed(6));
  }
}

/** A single value that is too large for the JavaScript engine: messages of V8 and JavaScriptCore. */
function isTooLarge(error: unknown): boolean {
  return error instanceof RangeError && /string length|array length|allocation|out of memory/i.test(error.message);
}
