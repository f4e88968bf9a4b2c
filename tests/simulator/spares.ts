// Instances for copies of an engine: to restore a used one takes less than to make one.

import { Instance, type CompiledCore } from "../../hosts/driver/instance.js";

export class Spares {
  readonly #core: CompiledCore;
  readonly #all: Instance[] = [];

  constructor(core: CompiledCore) {
    this.#core = core;
  }

  /** Whoever takes it restores it first: it may have been another engine's. */
  take(): Instance {
    return this.#all.pop() ?? new Instance(this.#core);
  }

  /** It is not used any more by whoever gives it. */
  give(instance: Instance): void {
    this.#all.push(instance);
  }
}
