// Standard inputs by run. Clients may send before the launch, and the run may continue after they have left.

import type { Run } from "./run.js";
import { StdinClient, StdinPipe } from "./stdin.js";

export class Stdins {
  /** By the name of the run: `container.number`. */
  readonly #pipes = new Map<string, StdinPipe>();

  of(name: string): StdinPipe {
    const pipe = this.#pipes.get(name) ?? new StdinPipe();
    this.#pipes.set(name, pipe);
    return pipe;
  }

  /** Adds a client. `run` is undefined if it has not been launched. */
  client(name: string, run: Run | undefined): StdinClient {
    const pipe = this.of(name);
    // A finished run reads nothing, and there will be no launch to wait for.
    if (run && !run.isRunning && run.state.tag !== "unstarted") this.close(name);
    return new StdinClient(pipe, () => pipe.isIdle() && this.close(name));
  }

  close(name: string): void {
    this.#pipes.get(name)?.close();
    this.#pipes.delete(name);
  }

  /** Drops the inputs of all runs of a container. */
  forget(container: string): void {
    for (const name of [...this.#pipes.keys()]) if (name.startsWith(`${container}.`)) this.close(name);
  }
}
