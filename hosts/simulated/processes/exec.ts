// An exec: an extra process in a run, from its start to its end, and the streams between it and its client.

import { noSuch, refusedDirectory } from "../../shared/index.js";
import type { ExecStdio, engine, processes, types } from "../../shared/index.js";
import { FileError } from "../files/file-system.js";
import { NoProgram } from "../program.js";
import { ExecOutput } from "./exec-output.js";
import type { ContainerProcess } from "./process.js";
import { refusal, type Run } from "./run.js";
import { SIGKILL, SIGWINCH } from "./signals.js";
import type { Spec } from "./oci-spec.js";
import { environmentOf, identityOf } from "./spec.js";
import { StdinClient, StdinPipe } from "./stdin.js";
import { Pipe, type Sink, type Source } from "./streams.js";
import { Terminal } from "./terminal.js";

/** How long to wait for other processes that still hold the output of an exec that has ended, as Docker does. */
const DRAIN_NS = 2_000_000_000n;

/** What an exec needs to start. */
export interface Start {
  now(): bigint;
  /** The machine's number for a process. */
  pidOf(process: ContainerProcess): number;
}

export class Exec {
  readonly #stdin = new StdinPipe();
  readonly #output: ExecOutput;
  #process: ContainerProcess | null = null;
  #terminal: Terminal | null = null;
  #exit: types.Exit | undefined;
  /** Its end must not be reported. */
  isDropped = false;

  constructor(
    readonly command: processes.Exec,
    readonly run: Run,
  ) {
    this.#output = new ExecOutput(command.capture);
  }

  get isRunning(): boolean {
    return this.#process !== null && !this.#process.isOver;
  }

  /** Undefined until it has ended, and if it never ran. */
  get exit(): types.Exit | undefined {
    return this.#exit;
  }

  /** For an inventory: an exec that has ended counts as running until its end is reported, which is soon. */
  get goesOn(): boolean {
    return this.#process !== null && this.#exit === undefined;
  }

  /** Streams for one client. */
  stdio(): ExecStdio {
    this.#output.bind();
    return {
      stdin: new StdinClient(this.#stdin, () => {}),
      output: () => this.#output.pieces(),
      release: () => this.#output.leave(),
    };
  }

  /** Resolves with its exit once its output has ended. */
  start({ pidOf, now }: Start): {
    launched: types.Launched;
    exited: Promise<Omit<engine.ExecExited, "exec">>;
  } {
    const { namespace } = this.run;
    if (!namespace || !this.run.isRunning) throw noSuch("process");
    if (!this.#output.isBound) this.#output.leave();
    try {
      this.#process = this.#enter(namespace);
    } catch (error) {
      this.#output.end();
      this.#stdin.close();
      throw error instanceof NoProgram ? refusal(error) : error;
    }
    return { launched: { pid: pidOf(this.#process), at: now() }, exited: this.#exited(this.#process) };
  }

  signal(number: number): void {
    if (!this.isRunning) throw noSuch("process");
    this.#process?.signal(number, true);
  }

  resize(rows: number, columns: number): void {
    const terminal = this.#terminal;
    if (!terminal || (terminal.rows === rows && terminal.columns === columns)) return;
    Object.assign(terminal, { rows, columns });
    terminal.signalGroup(terminal.foreground, SIGWINCH);
  }

  /** Kills what is left of it. Nothing is reported. */
  drop(): void {
    this.isDropped = true;
    this.#process?.signal(SIGKILL, true);
    this.#output.end();
    this.#stdin.close();
  }

  #enter(namespace: NonNullable<Run["namespace"]>): ContainerProcess {
    const { args = [], env = [], cwd = "/" } = JSON.parse(new TextDecoder().decode(this.command.process)) as Process;
    const files = namespace.kernel.files({ pid: 0, uid: 0, gid: 0, groups: [] });
    const { uid, gid, groups, home } = identityOf(this.command, files);
    refuseDirectory(files, cwd);
    const { stdin, stdout, stderr, held } = this.#open(namespace);
    try {
      const process = namespace.start({
        ...{ argv: args, env: environmentOf(env, home), cwd, uid, gid, groups, umask: 0o022, group: 0 },
        ...{ terminal: this.#terminal, ignored: new Set<number>(), stdin, stdout, stderr },
      });
      if (this.#terminal) this.#terminal.foreground = process.pid;
      return process;
    } finally {
      for (const one of held) one.release();
    }
  }

  #open(namespace: NonNullable<Run["namespace"]>): Opened {
    const stdout = this.#output.sink("stdout");
    if (this.command.tty) {
      const terminal = new Terminal(stdout, this.command.rows, this.command.columns);
      terminal.signalGroup = (group, signal) => void namespace.signalGroup(group, signal);
      this.#terminal = terminal;
      this.#stdin.connect(this.command.openStdin ? { terminal } : null);
      const { source, sink } = terminal;
      return { stdin: source, stdout: sink, stderr: sink, held: [] };
    }
    const stderr = this.#output.sink("stderr");
    const pipe = new Pipe();
    if (this.command.openStdin) this.#stdin.connect({ sink: pipe.sink, endsOnce: true });
    else {
      this.#stdin.connect(null);
      pipe.sink.release();
    }
    return { stdin: pipe.source, stdout, stderr, held: [pipe.source, stdout, stderr] };
  }

  async #exited(process: ContainerProcess): Promise<Omit<engine.ExecExited, "exec">> {
    const code = await process.exited;
    const { time } = process.namespace.kernel;
    const outOfMemory = process.endedBy === SIGKILL && process.namespace.isOutOfMemory;
    const exit = { code, outOfMemory, lost: false, at: time.now().wall };
    this.#exit = exit;
    this.#stdin.close();
    // A terminal closes with its session leader.
    if (this.#terminal) this.#output.end();
    const callOff = time.at(time.now().monotonic + DRAIN_NS, () => this.#output.end());
    await this.#output.written;
    callOff();
    return { exit, ...this.#output.captured };
  }
}

type Process = NonNullable<Spec["process"]>;

interface Opened {
  stdin: Source;
  stdout: Sink;
  stderr: Sink;
  /** What the process holds from its start on. */
  held: { release(): void }[];
}

function refuseDirectory(files: { status(path: string): { kind: string } }, cwd: string): void {
  let kind: string;
  try {
    ({ kind } = files.status(cwd));
  } catch (error) {
    throw error instanceof FileError ? refusedDirectory(cwd, error.code) : error;
  }
  if (kind !== "directory") throw refusedDirectory(cwd, "ENOTDIR");
}
