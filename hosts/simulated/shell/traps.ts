// `trap`: commands that run between two others when a signal arrives, and one at the end.

import type { ContainerProcess } from "../processes/process.js";
import { SIGINT, SIGKILL, SIGQUIT, SIGSTOP, SIGTERM, SIGWINCH } from "../processes/signals.js";
import type { Waiting } from "../processes/streams.js";

const EXIT = 0;

/** The shell that has the traps. */
interface Trapping {
  readonly process: ContainerProcess;
  readonly interactive: boolean;
  readonly interrupted: Waiting;
  readonly resized: Waiting;
  status: number;
  evaluate(text: string): Promise<number>;
}

export class Traps {
  readonly #shell: Trapping;
  readonly #actions = new Map<number, string>();
  readonly #pending: number[] = [];
  #running = false;

  constructor(shell: Trapping) {
    this.#shell = shell;
  }

  get size(): number {
    return this.#actions.size;
  }

  get pending(): boolean {
    return this.#pending.length > 0;
  }

  /** The signal whose trap must run next; 0 if there is none. */
  get next(): number {
    return this.#pending[0] ?? 0;
  }

  /** Signal numbers (0: EXIT) and commands, in order. */
  list(): [number, string][] {
    return [...this.#actions].sort(([a], [b]) => a - b);
  }

  /** Null for the default; empty to ignore the signal. */
  set(signal: number, action: string | null): void {
    const { process } = this.#shell;
    if (action === null) this.#actions.delete(signal);
    else this.#actions.set(signal, action);
    if (signal === EXIT || signal === SIGKILL || signal === SIGSTOP) return;
    if (action === null && this.#shell.interactive) this.catchInteractive();
    else if (action === null) process.restore([signal]);
    else if (action === "") process.ignore([signal]);
    else process.onSignal([signal], (caught) => this.#caught(caught));
  }

  /** Signals that are meant for the running command do not end an interactive shell. */
  catchInteractive(): void {
    const free = [SIGINT, SIGQUIT, SIGTERM].filter((signal) => !this.#actions.has(signal));
    const { process, interrupted, resized } = this.#shell;
    process.onSignal(free, (signal) => signal === SIGINT && interrupted.stir());
    if (!this.#actions.has(SIGWINCH)) process.onSignal([SIGWINCH], () => resized.stir());
  }

  #caught(signal: number): void {
    this.#pending.push(signal);
    this.#shell.interrupted.stir();
  }

  /** Runs the pending traps. `$?` stays as it is. */
  async run(): Promise<void> {
    if (this.#running) return;
    this.#running = true;
    try {
      for (let signal = this.#pending.shift(); signal !== undefined; signal = this.#pending.shift()) {
        const { status } = this.#shell;
        await this.#shell.evaluate(this.#actions.get(signal) ?? "");
        this.#shell.status = status;
      }
    } finally {
      this.#running = false;
    }
  }

  takeExit(): string | undefined {
    const action = this.#actions.get(EXIT);
    this.#actions.delete(EXIT);
    return action;
  }
}
