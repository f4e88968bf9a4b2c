// A core whose newest instance is asked what it remembers, step by step: no copy of it has to be made for that.

import type { engine } from "../../hosts/shared/host.js";
import type { CompiledCore } from "../../hosts/driver/instance.js";
import { isEqual } from "./ledger.js";

type Component = ReturnType<CompiledCore["instantiate"]>;

export class LiveCore implements CompiledCore {
  readonly #core: CompiledCore;
  #newest: Component | null = null;
  /** By key, as it was told last: one that is the same is the same object, and is read once. */
  #told = new Map<string, engine.Stored>();

  constructor(core: CompiledCore) {
    this.#core = core;
  }

  instantiate(...imports: Parameters<CompiledCore["instantiate"]>): Component {
    return (this.#newest = this.#core.instantiate(...imports));
  }

  /** Every record in use, as the newest instance would put it now. Between two steps it changes nothing. */
  records(): engine.Stored[] {
    const records = this.#newest?.exports.engine.records() ?? [];
    const told = records.map((record) => {
      const before = this.#told.get(record.key);
      return before !== undefined && isEqual(before.value, record.value) ? before : record;
    });
    this.#told = new Map(told.map((record) => [record.key, record]));
    return told;
  }
}
