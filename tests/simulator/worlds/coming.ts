// Tracks execs that were requested but that the simulated world does not know yet. A request for their streams waits
// until it does, because to a real host an exec exists as soon as it is requested.

import type { processes } from "../../../hosts/shared/host.js";

const NOTHING = (): void => {};

export class Coming {
  readonly #execs = new Map<string, Promise<void>>();

  /** Returns a function to call once the world knows the exec, or never will. */
  asked({ tag, val }: { tag: string; val?: unknown }): () => void {
    if (tag !== "exec") return NOTHING;
    const { exec } = val as processes.Exec;
    let known = NOTHING;
    this.#execs.set(exec, new Promise((resolve) => (known = resolve)));
    return () => {
      this.#execs.delete(exec);
      known();
    };
  }

  async known(exec: string): Promise<void> {
    await this.#execs.get(exec);
  }
}
