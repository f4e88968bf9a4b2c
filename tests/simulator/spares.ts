// Keeps used instances for copies of an engine: to restore one takes less time than to make one.

import { Instance, type CompiledCore } from "../../hosts/driver/instance.js";

export class Spares {
  readonly #core: CompiledCore;
  readonly #all: Instance[] = [];

  constructor(core: CompiledCore) {
    this.#core = core;
  }

  /** The caller must restore a snapshot first, since the instance may have been another engine's. */
  take(): Instance {
    return this.#all.pop() ?? new Instance(this.#core);
  }

  /** The caller must not use the instance any more. */
  give(instance: Instance): void {
    this.#all.push(instance);
  }
}
