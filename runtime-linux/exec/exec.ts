// One exec that this engine started: what holds its streams, and its end.

import type { ExecStdio, engine, processes, types } from "../../hosts/host.js";
import { HostFailure } from "../../hosts/failure.js";
import type { Surroundings } from "../launch.js";
import { isAlive, type RunNote } from "../run.js";
import { ExecOutput } from "./output.js";
import type { ExecPlace } from "./place.js";
import { spawnDirect, spawnSupervised, started, type ProcessSpec, type Spawned } from "./spawn.js";
import { ExecStdin } from "./stdin.js";
import { copiedTerminal, openTerminal, TerminalSocket, type ExecTerminal } from "./terminal.js";

const SIGKILL = 9;
/** A killed process's code, where nobody is left to tell it: 128 + SIGKILL. */
const LOST_CODE = 137;

export type ExecEnd = Omit<engine.ExecExited, "exec">;

export class LiveExec {
  /** Nobody is to be told of its end. */
  isDropped = false;
  readonly #stdin = new ExecStdin();
  readonly #output: ExecOutput;
  #spawned: Spawned | undefined;
  #terminal: ExecTerminal | undefined;
  #isOver = false;

  constructor(
    readonly command: processes.Exec,
    readonly place: ExecPlace,
    readonly at: Surroundings,
  ) {
    this.#output = new ExecOutput(command.capture);
  }

  get isRunning(): boolean {
    return !this.#isOver;
  }

  /** For one client. */
  stdio(): ExecStdio {
    this.#output.bind();
    return {
      stdin: this.#stdin,
      output: () => this.#output.pieces(),
      release: () => this.#output.leave(),
    };
  }

  /** Resolves when it runs; `ended` with its end, after its output. */
  async start(
    runtime: RunNote["runtime"],
    process: ProcessSpec,
  ): Promise<{ launched: types.Launched; ended: Promise<ExecEnd> }> {
    if (!this.#output.isBound) this.#output.leave();
    try {
      const pid = await this.#spawn(runtime, process);
      const launched = { pid, at: BigInt(Date.now()) * 1_000_000n };
      this.place.writeStarted(pid);
      this.#output.begin();
      return { launched, ended: this.#end(this.#spawned!) };
    } catch (error) {
      this.#close();
      throw error;
    }
  }

  resize(rows: number, columns: number): void {
    if (this.#isOver) throw new HostFailure("not-found", "no such process");
    this.#terminal?.resize(rows, columns);
  }

  /** Ends what is left of it. */
  drop(): void {
    this.isDropped = true;
    if (this.#isOver) return;
    const process = this.place.started();
    if (process && isAlive(process)) this.at.kernel.kill(process.pid, SIGKILL);
    // It was not made yet: whoever works on it is in a process group of its own.
    else if (this.#spawned) killGroup(this.#spawned.child.pid, this.at);
    this.#close();
  }

  async #spawn(runtime: RunNote["runtime"], process: ProcessSpec): Promise<number> {
    if (this.command.detached) {
      this.#spawned = spawnSupervised(this.place, runtime, this.at, this.command.tty);
      return started(this.#spawned, this.place, process);
    }
    if (!this.command.tty) return this.#spawnPiped(runtime, process);
    return runtime.kind === "crun" ? this.#spawnOnItsTerminal(runtime, process) : this.#spawnOnOurs(runtime, process);
  }

  async #spawnPiped(runtime: RunNote["runtime"], process: ProcessSpec): Promise<number> {
    const input = this.command.openStdin ? "pipe" : "ignore";
    const spawned = (this.#spawned = spawnDirect(this.place, runtime, this.at, [input, "pipe", "pipe"]));
    const [stdin, stdout, stderr] = spawned.child.pipes;
    for (const pipe of [stdin, stdout, stderr]) pipe?.unref();
    this.#output.add("stdout", stdout!);
    this.#output.add("stderr", stderr!);
    const pid = await started(spawned, this.place, process);
    if (stdin) this.#stdin.connect(stdin, true);
    else this.#stdin.close();
    return pid;
  }

  async #spawnOnItsTerminal(runtime: RunNote["runtime"], process: ProcessSpec): Promise<number> {
    const socket = new TerminalSocket(this.place, this.at.kernel);
    try {
      const path = await socket.listen();
      this.#spawned = spawnDirect(this.place, runtime, this.at, ["ignore", "ignore", "ignore"], path);
      const pid = await started(this.#spawned, this.place, process);
      this.#connect(await socket.terminal());
      return pid;
    } finally {
      socket.close();
    }
  }

  async #spawnOnOurs(runtime: RunNote["runtime"], process: ProcessSpec): Promise<number> {
    const { kernel } = this.at;
    const { terminal, other } = openTerminal(kernel, this.command.rows, this.command.columns);
    this.#spawned = spawnDirect(this.place, runtime, this.at, [other, other, other]);
    const copied = copiedTerminal(kernel, terminal, other, this.#spawned.child.pid);
    try {
      const pid = await started(this.#spawned, this.place, process);
      this.#connect(copied);
      return pid;
    } catch (error) {
      copied.stream.destroy();
      copied.close();
      throw error;
    }
  }

  #connect(terminal: ExecTerminal): void {
    this.#terminal = terminal;
    terminal.stream.unref();
    this.#output.add("stdout", terminal.stream);
    if (this.command.openStdin) this.#stdin.connect(terminal.stream, false);
    else this.#stdin.close();
  }

  async #end({ child }: Spawned): Promise<ExecEnd> {
    const { code } = await child.gone;
    const at = BigInt(Date.now()) * 1_000_000n;
    this.#isOver = true;
    this.#stdin.close();
    await this.#terminal?.settle();
    await this.#output.drained();
    const known = this.command.detached ? (this.place.exitCode() ?? null) : code;
    const exit = { code: known ?? LOST_CODE, outOfMemory: false, lost: known === null, at };
    return { exit, ...this.#output.captured };
  }

  #close(): void {
    this.#isOver = true;
    this.#terminal?.close();
    this.#stdin.close();
    this.#output.close();
  }
}

function killGroup(leader: number, { kernel }: Surroundings): void {
  try {
    kernel.kill(-leader, SIGKILL);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}
