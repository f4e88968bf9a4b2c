// Execs that the host was asked for and that its world does not know yet: whoever is to be bound to one waits until it
// does, for to a host it is there as soon as it is asked for.

import type { processes } from "../../../hosts/shared/host.js";

const NOTHING = (): void => {};

export class Coming {
  readonly #execs = new Map<string, Promise<void>>();

  /** What to call once the world knows of what is asked for, or never will. */
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
