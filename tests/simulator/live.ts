// A core that gives access to the records of its newest instance after each step, without a copy of the instance.

import type { engine } from "../../hosts/shared/host.js";
import type { CompiledCore } from "../../hosts/driver/instance.js";
import { isEqual } from "./ledger.js";

type Component = ReturnType<CompiledCore["instantiate"]>;

export class LiveCore implements CompiledCore {
  readonly #core: CompiledCore;
  #newest: Component | null = null;
  /** The last records by key. An unchanged record stays the same object, so that it is parsed only once. */
  #told = new Map<string, engine.Stored>();

  constructor(core: CompiledCore) {
    this.#core = core;
  }

  instantiate(...imports: Parameters<CompiledCore["instantiate"]>): Component {
    return (this.#newest = this.#core.instantiate(...imports));
  }

  /** Every record in use, as the newest instance would write it now. A call between two steps changes nothing. */
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
