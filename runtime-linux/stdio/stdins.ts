// The stdin of every run that has clients, from before its launch until its end.

import type { Kernel } from "../kernel.js";
import { parseRunName } from "../paths.js";
import type { Run } from "../ends/run.js";
import { StdinClient, StdinPipe, type StdinMode } from "./stdin.js";

export class Stdins {
  readonly #kernel: Kernel;
  /** By name of run. */
  readonly #pipes = new Map<string, StdinPipe>();

  constructor(kernel: Kernel) {
    this.#kernel = kernel;
  }

  /** Adds a client. `running`: how the run uses its stdin, once it has been launched. */
  client(run: Run, running: () => StdinMode | undefined): StdinClient {
    let pipe = this.#pipes.get(run.name);
    if (!pipe) {
      pipe = new StdinPipe(this.#kernel);
      this.#pipes.set(run.name, pipe);
      const mode = running();
      if (mode) pipe.connect(run.directory, mode);
    }
    return new StdinClient(pipe, () => pipe.isIdle() && this.close(run));
  }

  /** The run's process is made: delivers input that was waiting. */
  connect(run: Run, mode: StdinMode): void {
    this.#pipes.get(run.name)?.connect(run.directory, mode);
  }

  close(run: Run): void {
    this.#close(run.name);
  }

  /** Forgets all the container's runs. */
  forget(container: string): void {
    for (const name of this.#pipes.keys()) if (parseRunName(name)?.container === container) this.#close(name);
  }

  closeAll(): void {
    for (const pipe of this.#pipes.values()) pipe.close();
  }

  #close(name: string): void {
    this.#pipes.get(name)?.close();
    this.#pipes.delete(name);
  }
}
