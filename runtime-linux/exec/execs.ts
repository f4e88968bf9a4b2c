// Execs in containers: started, signalled, resized, cleared away, and found again after a restart.

import type { engine, ExecStdio, Input, processes, types } from "../../hosts/host.js";
import { HostFailure } from "../../hosts/failure.js";
import { resolveProcess, type Spec } from "../bundle.js";
import { availableOf } from "../capabilities.js";
import { namesIn } from "../directories.js";
import type { Surroundings } from "../launch.js";
import { isAlive, isLiving, Run } from "../run.js";
import { ownTurn } from "../turns.js";
import { LiveExec, type ExecEnd } from "./exec.js";
import { execsOf, ExecPlace } from "./place.js";

const SIGKILL = 9;
/** Those that another instance started are no children of ours: nothing tells of their end. */
const POLL_MS = 1000;
const LOST_CODE = 137;

export class Execs {
  readonly #at: Surroundings;
  readonly #happened: (input: Input) => void;
  readonly #live = new Map<string, LiveExec>();
  /** Of an earlier engine. */
  readonly #adopted = new Map<string, ExecPlace>();
  #timer: NodeJS.Timeout | undefined;

  constructor(at: Surroundings, happened: (input: Input) => void) {
    this.#at = at;
    this.#happened = happened;
  }

  /** Asked for in the step that starts it. */
  stdio(exec: string): ExecStdio {
    const found = this.#live.get(exec);
    if (!found) throw new HostFailure("not-found", `no such exec: ${exec}`);
    return found.stdio();
  }

  async start(command: processes.Exec): Promise<types.Launched> {
    const { exec: id, subject } = command;
    const run = new Run(this.#at.paths, subject.container, subject.run);
    const note = run.note();
    const first = run.process();
    if (!note || !first || !isLiving(first)) throw new HostFailure("not-found", "the container does not run");
    this.#at.cgroups.expectMove();
    const exec = new LiveExec(command, new ExecPlace(run, id), this.#at);
    this.#live.set(id, exec);
    // Whoever is to be bound to it is so after this turn.
    await ownTurn();
    const resolve = () => this.#resolved(command);
    const { launched, ended } = await exec.start(note.runtime, resolve).catch((error: unknown) => {
      // Whatever the OCI runtime makes of a container that is killed under its hands.
      const isLeft = !exec.isDropped && isLiving(first);
      throw isLeft ? error : new HostFailure("not-found", "the container does not run");
    });
    void ended.then((end) => this.#ended(id, exec, end));
    return launched;
  }

  signal({ exec, number }: processes.ExecSignal): void {
    const process = (this.#live.get(exec)?.place ?? this.#adopted.get(exec))?.started();
    if (!process || !isAlive(process)) throw new HostFailure("not-found", "no such process");
    this.#kill(process.pid, number);
  }

  resize({ exec, rows, columns }: processes.ExecResize): void {
    const found = this.#live.get(exec);
    if (!found) throw new HostFailure("not-found", "no such process");
    found.resize(rows, columns);
  }

  async reap(exec: string): Promise<void> {
    const live = this.#live.get(exec);
    const dropped = live?.drop();
    const adopted = this.#adopted.get(exec);
    const process = adopted?.started();
    if (process && isAlive(process)) this.#kill(process.pid, SIGKILL);
    this.#live.delete(exec);
    this.#adopted.delete(exec);
    await dropped;
    await (live?.place ?? adopted)?.remove();
  }

  /** With its run, which is about to be killed and cleared away. */
  async reapOf(run: Run): Promise<void> {
    for (const [id, { place }] of [...this.#live]) if (place.run.name === run.name) await this.reap(id);
    for (const [id, place] of [...this.#adopted]) if (place.run.name === run.name) await this.reap(id);
  }

  /** What is found in runs that go on. Those of an earlier engine are watched from now on. */
  inventory(runs: readonly Run[]): engine.FoundExec[] {
    return runs.flatMap((run) => namesIn(execsOf(run)).map((exec) => this.#examine(new ExecPlace(run, exec))));
  }

  /** Lets go of everything; they live on. */
  close(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #examine(place: ExecPlace): engine.FoundExec {
    const { exec, run } = place;
    const running = this.#live.get(exec)?.isRunning ?? place.isAlive;
    if (!this.#live.has(exec)) {
      this.#adopted.set(exec, place);
      if (running) this.#timer ??= setInterval(() => this.#look(), POLL_MS).unref();
    }
    return { exec, subject: { container: run.container, run: run.number }, running };
  }

  /** The supervisor of one writes its code a moment after its end. */
  #look(): void {
    for (const [exec, place] of this.#adopted) {
      if (place.isAlive) continue;
      const code = place.exitCode();
      this.#adopted.delete(exec);
      const at = BigInt(Date.now()) * 1_000_000n;
      const exit = { code: code ?? LOST_CODE, outOfMemory: false, lost: code === undefined, at };
      void place.remove().catch(() => {}); // its run's directory goes with the run
      this.#happened({ tag: "exec-exited", val: { exec, exit, output: new Uint8Array(0), truncated: false } });
    }
    if (this.#adopted.size === 0) this.close();
  }

  #ended(exec: string, live: LiveExec, end: ExecEnd): void {
    if (!live.isDropped) this.#happened({ tag: "exec-exited", val: { exec, ...end } });
  }

  #resolved(command: processes.Exec): NonNullable<Spec["process"]> {
    const process = JSON.parse(Buffer.from(command.process).toString()) as NonNullable<Spec["process"]>;
    const { capabilities = {} } = process;
    for (const [set, names] of Object.entries(capabilities)) Object.assign(capabilities, { [set]: availableOf(names) });
    resolveProcess(process, command, this.#at.paths.rootfs(command.subject.container));
    return process;
  }

  #kill(pid: number, signal: number): void {
    try {
      this.#at.kernel.kill(pid, signal);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
    }
  }
}
