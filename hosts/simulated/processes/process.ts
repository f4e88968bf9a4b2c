// One process of a simulated container: the interface for its program, its signals and its end.

import type { FileSystem } from "../files/file-system.js";
import type { Clock } from "../../shared/index.js";
import { Sockets } from "../traffic/sockets.js";
import { Killed, type Child, type ChildStart, type Process, type Program } from "../program.js";
import { ProcessInput, ProcessOutput, sinkOf, sourceOf } from "./descriptors.js";
import type { Inheritance } from "./inheritance.js";
import type { Namespace } from "./namespace.js";
import { defaultAction, SIGCONT, SIGKILL, SIGSTOP } from "./signals.js";
import { Waiting, type Sink, type Source } from "./streams.js";
import type { Terminal } from "./terminal.js";

/** Processor time that a process may use before it is added to the world's time. */
const SLICE_NS = 1_000_000;

/** Memory that the kernel and the C library use for each process. */
export const PROCESS_BYTES = 256 * 1024;

export class ContainerProcess implements Process, Child {
  argv: readonly string[];
  readonly env: Map<string, string>;
  cwd: string;
  readonly uid: number;
  readonly gid: number;
  readonly groups: readonly number[];
  umask: number;
  group: number;
  readonly terminal: Terminal | null;
  readonly files: FileSystem;
  stdin: ProcessInput;
  stdout: ProcessOutput;
  stderr: ProcessOutput;
  /** The signal that ended it; 0 if it exited by itself or still runs. */
  endedBy = 0;
  /** Monotonic time of its end. */
  endedAt = 0n;
  readonly exited: Promise<number>;
  /** Monotonic time of its start. */
  readonly startedAt: bigint;
  /** Made on first use: few programs need it. */
  #ending: AbortController | null = null;
  /** Made on first use, too. */
  #network: Sockets | null = null;
  /** The reason that everything waiting rejects with; made for the first that waits. */
  #killed: Killed | null = null;
  readonly #caught = new Map<number, (signal: number) => void>();
  readonly #ignored: Set<number>;
  readonly #pending: number[] = [];
  readonly #waits = new Set<(reason: Killed) => void>();
  readonly #continued = new Waiting();
  #resolveExited: (code: number) => void = () => {};
  #stopped = false;
  #ended = false;
  #owed = 0;
  #allocated = PROCESS_BYTES;

  constructor(
    readonly namespace: Namespace<ContainerProcess>,
    readonly pid: number,
    public parent: ContainerProcess | null,
    given: Inheritance,
  ) {
    this.argv = given.argv;
    this.env = new Map(given.env);
    this.cwd = given.cwd;
    this.uid = given.uid;
    this.gid = given.gid;
    this.groups = given.groups;
    this.umask = given.umask;
    this.group = given.group || pid;
    this.terminal = given.terminal;
    this.#ignored = new Set(given.ignored);
    this.exited = new Promise((resolve) => (this.#resolveExited = resolve));
    this.startedAt = namespace.kernel.time.now().monotonic;
    this.files = namespace.kernel.files(this);
    for (const held of [given.stdin, given.stdout, given.stderr]) held.retain();
    this.stdin = new ProcessInput(this, given.stdin);
    this.stdout = new ProcessOutput(this, given.stdout);
    this.stderr = new ProcessOutput(this, given.stderr);
  }

  get hostname(): string {
    return this.namespace.hostname;
  }

  get ended(): AbortSignal {
    this.#ending ??= new AbortController();
    if (this.#ended) this.#ending.abort(this.#reason());
    return this.#ending.signal;
  }

  get clock(): Clock {
    return this.namespace.kernel.time;
  }

  get network(): Sockets {
    return (this.#network ??= new Sockets(this, this.namespace.kernel.network));
  }

  /** The process has ended, even if its program still runs. */
  get isOver(): boolean {
    return this.#ended;
  }

  get isStopped(): boolean {
    return this.#stopped;
  }

  get ignored(): ReadonlySet<number> {
    return this.#ignored;
  }

  get allocated(): number {
    return this.#allocated;
  }

  now(): bigint {
    return this.namespace.kernel.time.now().wall;
  }

  random(): number {
    return this.namespace.kernel.random();
  }

  async sleep(ns: bigint): Promise<void> {
    const { time } = this.namespace.kernel;
    const until = time.now().monotonic + (ns > 0n ? ns : 0n);
    await this.wait((wake) => time.at(until, wake));
  }

  allocate(bytes: number): void {
    this.#alive();
    this.#allocated += bytes;
    if (this.namespace.exhausts(bytes)) {
      this.namespace.outOfMemory(this);
      this.#alive();
    }
  }

  /** Uses a processor for this many nanoseconds. The world's time advances whenever a full slice is used. */
  async work(ns: number): Promise<void> {
    this.#owed += ns;
    this.namespace.worked += ns;
    this.#alive();
    if (this.#owed >= SLICE_NS) await this.#pay();
    if (this.#stands) await this.#go();
  }

  /** Waits until the callback passed to `register` is called. Rejects with `Killed`. */
  async wait(register: (wake: () => void) => () => void): Promise<void> {
    this.#alive();
    await new Promise<void>((resolve, reject) => {
      let callOff = () => {};
      const fail = (reason: Killed) => {
        callOff();
        reject(reason);
      };
      this.#waits.add(fail);
      callOff = register(() => {
        this.#waits.delete(fail);
        resolve();
      });
    });
    this.#alive();
    if (this.#stands) await this.#go();
  }

  spawn(start: ChildStart): ContainerProcess {
    this.#alive();
    return this.namespace.spawn(this, start, {
      stdin: start.stdin ? sourceOf(start.stdin) : this.stdin.source,
      stdout: start.stdout ? sinkOf(start.stdout) : this.stdout.sink,
      stderr: start.stderr ? sinkOf(start.stderr) : this.stderr.sink,
    });
  }

  /**
   * execve(2): becomes another program and resolves with its exit code. `found` is called when the process can no
   * longer go back. Throws `NoProgram`.
   */
  exec(argv: readonly string[], env: ReadonlyMap<string, string>, found: () => void = () => {}): Promise<number> {
    const { program, argv: changed } = this.namespace.find(argv, this, { env });
    found();
    this.#caught.clear();
    this.argv = changed;
    const variables = [...env];
    this.env.clear();
    for (const [name, value] of variables) this.env.set(name, value);
    return program(this);
  }

  /** dup2(2) for the first three descriptors. */
  redirect(stdin: Source, stdout: Sink, stderr: Sink): void {
    for (const held of [stdin, stdout, stderr]) held.retain();
    for (const held of [this.stdin.source, this.stdout.sink, this.stderr.sink]) held.release();
    this.stdin = new ProcessInput(this, stdin);
    this.stdout = new ProcessOutput(this, stdout);
    this.stderr = new ProcessOutput(this, stderr);
  }

  onSignal(signals: readonly number[], caught: (signal: number) => void): void {
    for (const signal of signals) {
      if (signal === SIGKILL || signal === SIGSTOP) continue;
      this.#ignored.delete(signal);
      this.#caught.set(signal, caught);
    }
  }

  /** Ignores these signals from now on, in this process and in its children. */
  ignore(signals: readonly number[]): void {
    for (const signal of signals) {
      this.#caught.delete(signal);
      this.#ignored.add(signal);
    }
  }

  /** Restores the default action of these signals. */
  restore(signals: readonly number[]): void {
    for (const signal of signals) {
      this.#caught.delete(signal);
      this.#ignored.delete(signal);
    }
  }

  /** `outside`: sent from outside the container. Such a signal can kill and stop the first process too. */
  signal(number: number, outside = false): void {
    if (this.#ended || number === 0) return;
    const isProtected = this.pid === 1 && !outside;
    if (number === SIGKILL) return isProtected ? undefined : this.end(new Killed(SIGKILL));
    if (number === SIGCONT) this.#continue();
    if (number === SIGSTOP) return isProtected ? undefined : this.#stop();
    if (this.#stands) this.#pending.push(number);
    else this.#deliver(number);
  }

  /** Delivers a signal that the process causes itself. False if the process survives. */
  raise(number: number): boolean {
    if (!this.#caught.has(number) && !this.#ignored.has(number) && this.pid !== 1) this.end(new Killed(number));
    return this.#ended;
  }

  /** Ends the process, whatever its program is doing. */
  end(how: Killed | number): void {
    if (this.#ended) return;
    this.#ended = true;
    if (how instanceof Killed) this.#killed = how;
    this.#ending?.abort(this.#reason());
    for (const fail of [...this.#waits]) fail(this.#reason());
    this.#waits.clear();
    this.#caught.clear();
    for (const held of [this.stdin.source, this.stdout.sink, this.stderr.sink]) held.release();
    const code = how instanceof Killed ? 128 + how.signal : how & 0xff;
    if (how instanceof Killed) this.endedBy = how.signal;
    this.endedAt = this.namespace.kernel.time.now().monotonic;
    this.namespace.gone(this);
    this.#resolveExited(code);
  }

  /** The container is no longer frozen, so the process may go on. */
  thawed(): void {
    if (this.#stands) return;
    this.#continued.stir();
    for (const signal of this.#pending.splice(0)) this.#deliver(signal);
  }

  get #stands(): boolean {
    return this.#stopped || this.namespace.frozen;
  }

  #alive(): void {
    if (this.#ended) throw this.#reason();
  }

  #reason(): Killed {
    return (this.#killed ??= new Killed(SIGKILL));
  }

  async #pay(): Promise<void> {
    const owed = this.#owed;
    this.#owed = 0;
    await this.sleep(BigInt(Math.round(owed)));
  }

  async #go(): Promise<void> {
    while (this.#stands) await this.wait((wake) => this.#continued.add(wake));
  }

  #deliver(signal: number): void {
    const caught = this.#caught.get(signal);
    if (this.#ended || (!caught && (this.#ignored.has(signal) || this.pid === 1))) return;
    if (this.namespace.kernel.swallows(signal)) return;
    if (caught) return caught(signal);
    const action = defaultAction(signal);
    if (action === "end") this.end(new Killed(signal));
    else if (action === "stop") this.#stop();
  }

  #stop(): void {
    this.#stopped = true;
  }

  #continue(): void {
    this.#stopped = false;
    this.thawed();
  }
}

/** A program that needs more from its process than embedders' programs do. */
export type ContainerProgram = (process: ContainerProcess) => Promise<number>;

export function programOf(run: ContainerProgram): Program {
  return (process) => {
    if (!(process instanceof ContainerProcess)) throw new Error("runs in containers only");
    return run(process);
  };
}
