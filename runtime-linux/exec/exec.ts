// One exec that this engine started: its streams and its end.

import { setTimeout as sleep } from "node:timers/promises";
import { noSuch } from "../../hosts/shared/index.js";
import type { ExecStdio, ProcessSpec, engine, processes, types } from "../../hosts/shared/index.js";
import type { Surroundings } from "../launch/surroundings.js";
import { isAlive, type RunNote } from "../ends/run.js";
import { ExecOutput } from "./output.js";
import { LOST_CODE, type ExecPlace } from "./place.js";
import { spawnDirect, spawnSupervised, started, type Spawned } from "./spawn.js";
import { ExecStdin } from "./stdin.js";
import { copiedTerminal, openTerminal, TerminalSocket, type ExecTerminal } from "./terminal.js";

const SIGKILL = 9;
/** How long to wait for a killed program. If it takes longer, it hangs in the kernel. */
const KILLED_MS = 2000;
const UNREF = { ref: false };

export type ExecEnd = Omit<engine.ExecExited, "exec">;

export class LiveExec {
  /** Its end is not to be reported. */
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

  /** The streams for one client. */
  stdio(): ExecStdio {
    this.#output.bind();
    return {
      stdin: this.#stdin,
      output: () => this.#output.pieces(),
      release: () => this.#output.leave(),
    };
  }

  /**
   * Resolves when the process runs. `ended` resolves with its exit, after all its output. `resolve` returns the
   * process's spec.
   */
  async start(
    runtime: RunNote["runtime"],
    resolve: () => ProcessSpec,
  ): Promise<{ launched: types.Launched; ended: Promise<ExecEnd> }> {
    if (!this.#output.isBound) this.#output.leave();
    try {
      this.#expectWanted();
      const process = resolve();
      this.place.make(process);
      const pid = await this.#spawn(runtime, process);
      const launched = { pid, at: BigInt(Date.now()) * 1_000_000n };
      this.#writeStarted(pid);
      this.#output.begin();
      return { launched, ended: this.#end(this.#spawned!) };
    } catch (error) {
      this.#close();
      throw error;
    }
  }

  resize(rows: number, columns: number): void {
    if (this.#isOver) throw noSuch("process");
    this.#terminal?.resize(rows, columns);
  }

  /** Kills what is left of it. Resolves when no runtime works in the run's directories any more. */
  async drop(): Promise<void> {
    this.isDropped = true;
    if (this.#isOver) return;
    const process = this.place.started();
    const lives = process !== undefined && isAlive(process);
    // The program that makes the process, or is about to write its exit code. It has a process group of its own.
    const atWork = lives ? undefined : this.#spawned?.child;
    if (lives) kill(process.pid, this.at);
    else if (atWork && !process) this.#killUnseen();
    if (atWork) kill(-atWork.pid, this.at);
    this.#close();
    if (atWork) await Promise.race([atWork.gone, sleep(KILLED_MS, undefined, UNREF)]);
  }

  /**
   * A process that this engine has not seen yet cannot have been reaped: its maker is alive and will wait for it. So
   * its pid is safe to use.
   */
  #killUnseen(): void {
    const made = this.place.pid();
    if (made !== undefined) kill(made, this.at);
  }

  /** If the disk has no room for the note, kill the process: otherwise nobody could signal it or find it again. */
  #writeStarted(pid: number): void {
    try {
      this.place.writeStarted(pid, this.command.detached ? this.#spawned?.child.pid : undefined);
    } catch (error) {
      kill(pid, this.at);
      throw error;
    }
  }

  #make(spawn: () => Spawned): Spawned {
    this.#expectWanted();
    return (this.#spawned = spawn());
  }

  /** If it was dropped before it was made, do not make it: nobody would drop it again. */
  #expectWanted(): void {
    if (this.isDropped) throw noSuch("exec");
  }

  async #spawn(runtime: RunNote["runtime"], process: ProcessSpec): Promise<number> {
    if (this.command.detached) {
      const spawned = this.#make(() => spawnSupervised(this.place, runtime, this.at, this.command.tty));
      return started(spawned, this.place, process);
    }
    if (!this.command.tty) return this.#spawnPiped(runtime, process);
    return runtime.kind === "crun" ? this.#spawnOnItsTerminal(runtime, process) : this.#spawnOnOurs(runtime, process);
  }

  async #spawnPiped(runtime: RunNote["runtime"], process: ProcessSpec): Promise<number> {
    const input = this.command.openStdin ? "pipe" : "ignore";
    const spawned = this.#make(() => spawnDirect(this.place, runtime, this.at, [input, "pipe", "pipe"]));
    const [stdin, stdout, stderr] = spawned.child.pipes;
    for (const pipe of [stdin, stdout, stderr]) pipe?.unref();
    this.#output.add("stdout", stdout!);
    this.#output.add("stderr", stderr!);
    const pid = await started(spawned, this.place, process);
    if (stdin) this.#stdin.connectPipe(stdin);
    else this.#stdin.close();
    return pid;
  }

  async #spawnOnItsTerminal(runtime: RunNote["runtime"], process: ProcessSpec): Promise<number> {
    const socket = new TerminalSocket(this.place, this.at.kernel);
    try {
      const path = await socket.listen();
      const files = ["ignore", "ignore", "ignore"] as const;
      const spawned = this.#make(() => spawnDirect(this.place, runtime, this.at, files, path));
      const pid = await started(spawned, this.place, process);
      this.#connect(await socket.terminal());
      return pid;
    } finally {
      socket.close();
    }
  }

  async #spawnOnOurs(runtime: RunNote["runtime"], process: ProcessSpec): Promise<number> {
    const { kernel } = this.at;
    const { terminal, other } = openTerminal(kernel, this.command.rows, this.command.columns);
    const copied = copiedTerminal(kernel, terminal, other, () => this.#spawned?.child.pid);
    try {
      const spawned = this.#make(() => spawnDirect(this.place, runtime, this.at, [other, other, other]));
      const pid = await started(spawned, this.place, process);
      this.#connect(copied);
      return pid;
    } catch (error) {
      copied.close();
      throw error;
    }
  }

  #connect(terminal: ExecTerminal): void {
    this.#terminal = terminal;
    terminal.stream.unref();
    this.#output.add("stdout", terminal.stream);
    if (this.command.openStdin) this.#stdin.connectTerminal(terminal.input);
    else this.#stdin.close();
  }

  async #end({ child }: Spawned): Promise<ExecEnd> {
    const { code } = await child.gone;
    const at = BigInt(Date.now()) * 1_000_000n;
    this.#isOver = true;
    if (!this.command.detached && code !== null) this.place.writeExit(code);
    this.#stdin.close();
    const rest = this.#terminal?.rest();
    if (rest) this.#output.add("stdout", rest);
    await this.#output.drained();
    this.#closePipes();
    const known = this.command.detached ? (this.place.exitCode() ?? null) : code;
    const exit = { code: known ?? LOST_CODE, outOfMemory: false, lost: known === null, at };
    return { exit, ...this.#output.captured };
  }

  #close(): void {
    this.#isOver = true;
    this.#terminal?.close();
    this.#stdin.close();
    this.#output.close();
    this.#closePipes();
  }

  /** Closes all pipes, including those that were never bound and those that a killed supervisor's child still holds. */
  #closePipes(): void {
    for (const pipe of this.#spawned?.child.pipes ?? []) pipe?.destroy();
  }
}

/** `process`: a negative number means a process group. */
function kill(process: number, { kernel }: Surroundings): void {
  try {
    kernel.kill(process, SIGKILL);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}
