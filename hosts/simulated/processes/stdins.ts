// Standard inputs by run: clients may send before a run is launched, and go on after they have gone.

import type { Run } from "./run.js";
import { StdinClient, StdinPipe } from "./stdin.js";

export class Stdins {
  /** By name of the run: `container.number`. */
  readonly #pipes = new Map<string, StdinPipe>();

  of(name: string): StdinPipe {
    const pipe = this.#pipes.get(name) ?? new StdinPipe();
    this.#pipes.set(name, pipe);
    return pipe;
  }

  /** For one more client. `run`: undefined if it has not been launched. */
  client(name: string, run: Run | undefined): StdinClient {
    const pipe = this.of(name);
    // A run that is over reads nothing: there will be no launch that it could wait for.
    if (run && !run.isRunning && run.state.tag !== "unstarted") this.close(name);
    return new StdinClient(pipe, () => pipe.isIdle() && this.close(name));
  }

  close(name: string): void {
    this.#pipes.get(name)?.close();
    this.#pipes.delete(name);
  }

  /** Those of all runs of a container. */
  forget(container: string): void {
    for (const name of [...this.#pipes.keys()]) if (name.startsWith(`${container}.`)) this.close(name);
  }
}
