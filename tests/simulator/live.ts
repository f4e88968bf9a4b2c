// A core whose newest instance is asked what it remembers, step by step: no copy of it has to be made for that.

import type { engine } from "../../hosts/host.js";
import type { CompiledCore } from "../../hosts/instance.js";

type Component = ReturnType<CompiledCore["instantiate"]>;

export class LiveCore implements CompiledCore {
  readonly #core: CompiledCore;
  #newest: Component | null = null;

  constructor(core: CompiledCore) {
    this.#core = core;
  }

  instantiate(...imports: Parameters<CompiledCore["instantiate"]>): Component {
    return (this.#newest = this.#core.instantiate(...imports));
  }

  /** Every record in use, as the newest instance would put it now. Between two steps it changes nothing. */
  records(): engine.Stored[] {
    return this.#newest?.exports.engine.records() ?? [];
  }
}
