// The execs of the simulated world. Like launches, they survive the engine.

import { noSuch } from "../../shared/index.js";
import type { ExecStdio, Input, engine, processes, types } from "../../shared/index.js";
import { Exec, type Start } from "./exec.js";
import type { Run } from "./run.js";
import { identityOf } from "./spec.js";

export interface ExecsNeeds extends Start {
  /** Throws `HostFailure` if the run is not running. */
  running(subject: processes.Subject): Run;
  /** The running run of a container. */
  runOf(container: string): Run | undefined;
  after(ns: bigint): Promise<void>;
  /** Duration of a start. */
  startNs(): bigint;
  happened(input: Input): void;
}

/** Delay until the end of a process is reported. */
const EXIT_NS = 500_000n;
const SIGNAL_NS = 300_000n;

export class Execs {
  readonly #needs: ExecsNeeds;
  readonly #byId = new Map<string, Exec>();

  constructor(needs: ExecsNeeds) {
    this.#needs = needs;
  }

  /** Called next to the start. */
  stdio(exec: string): ExecStdio {
    const found = this.#byId.get(exec);
    if (!found) throw noSuch("exec", exec);
    return found.stdio();
  }

  inventory(): engine.FoundExec[] {
    return [...this.#byId].map(([exec, { run, goesOn, exit }]) => ({
      exec,
      subject: { container: run.container, run: run.number },
      running: goesOn,
      ...(exit && { exit }),
    }));
  }

  async start(command: processes.Exec): Promise<types.Launched> {
    const { exec: id } = command;
    const exec = new Exec(command, this.#needs.running(command.subject));
    this.#byId.set(id, exec);
    await this.#needs.after(this.#needs.startNs());
    if (exec.isDropped) throw noSuch("process");
    const { launched, exited } = exec.start(this.#needs);
    void exited.then((end) => this.#ended(id, exec, end));
    return launched;
  }

  async signal({ exec, number }: processes.ExecSignal): Promise<void> {
    await this.#needs.after(SIGNAL_NS);
    this.#known(exec).signal(number);
  }

  resize({ exec, rows, columns }: processes.ExecResize): void {
    this.#known(exec).resize(rows, columns);
  }

  async reap(exec: string): Promise<void> {
    this.#byId.get(exec)?.drop();
    this.#byId.delete(exec);
    await this.#needs.after(SIGNAL_NS);
  }

  /** Reaps the execs of a run along with the run. */
  reapOf(run: Run): void {
    for (const [id, exec] of [...this.#byId]) {
      if (exec.run !== run) continue;
      exec.drop();
      this.#byId.delete(id);
    }
  }

  identify({ container, user }: processes.Identify): void {
    const namespace = this.#needs.runOf(container)?.namespace;
    if (!namespace) throw noSuch("run", container);
    const files = namespace.kernel.files({ pid: 0, uid: 0, gid: 0, groups: [] });
    identityOf({ user, groups: [] }, files);
  }

  /** Keeps the exit for an inventory until the core reaps it. */
  async #ended(id: string, exec: Exec, end: Omit<engine.ExecExited, "exec">): Promise<void> {
    await this.#needs.after(EXIT_NS);
    if (!exec.isDropped) this.#needs.happened({ tag: "exec-exited", val: { exec: id, ...end } });
  }

  #known(exec: string): Exec {
    const found = this.#byId.get(exec);
    if (!found) throw noSuch("process");
    return found;
  }
}
