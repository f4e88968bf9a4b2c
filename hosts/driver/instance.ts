// One instance of the core: its steps, their outputs, and its garbage collection.

import type { Core, ImportObject } from "../../build/core/core.js";
import type { ComponentInstance, Immediate } from "./component.js";
import { mayCollect, mustCollect, mustFinish, sliceAfter } from "./garbage-collection.js";
import type { Input, StepOutputs, engine, types } from "../shared/index.js";

/** Makes instances of the core: a `CompiledComponent` of `component.ts`, or a replacement for tests. */
export interface CompiledCore {
  instantiate(imports: Immediate<ImportObject>): ComponentInstance<Core>;
}

/** The core aborted a call. */
export class Trap extends Error {}

/** The core's imports only add to the outputs of the current step: they never throw, wait or call back. */
export class Instance {
  readonly #component: ComponentInstance<Core>;
  #outputs = noOutputs();
  /** The value of `allocatedBytes` when the last collection began. */
  #collectedAt = 0;
  /** The same for the last slice. */
  #slicedAt = 0;
  /** The last collection is not over. */
  #collecting = false;

  constructor(core: CompiledCore) {
    this.#component = core.instantiate({
      "coracle:engine/types": {},
      "coracle:engine/failures": {},
      "coracle:engine/records": {
        perform: (op, command) => {
          if (command.tag === "read") this.#outputs.effects.push({ to: "records", op, command });
          else this.#outputs.records.push(command);
        },
      },
      "coracle:engine/replies": {
        perform: (request, command) => void this.#outputs.replies.push({ request, command }),
      },
      "coracle:engine/timers": {
        perform: (op, command) => void this.#outputs.effects.push({ to: "timers", op, command }),
      },
      "coracle:engine/processes": {
        perform: (op, command) => void this.#outputs.effects.push({ to: "processes", op, command }),
      },
      "coracle:engine/content": {
        perform: (op, command) => void this.#outputs.effects.push({ to: "content", op, command }),
      },
      "coracle:engine/networks": {
        perform: (op, command) => void this.#outputs.effects.push({ to: "networks", op, command }),
      },
      "coracle:engine/volumes": {
        perform: (op, command) => void this.#outputs.effects.push({ to: "volumes", op, command }),
      },
    });
  }

  /** Why it cannot open with these options or these records, or undefined; see `core/wit/engine.wit`. */
  refuses(options: engine.Options, records: engine.Stored[]): string | undefined {
    return this.#enter(() => this.#component.exports.engine.refuses(options, records));
  }

  open(
    options: engine.Options,
    now: types.Instant,
    seed: Uint8Array,
    records: engine.Stored[],
    journal: engine.JournalEnd,
    inventory: engine.Inventory,
  ): StepOutputs {
    return this.#call(() => this.#component.exports.engine.open(options, now, seed, records, journal, inventory));
  }

  step(now: types.Instant, input: Input): StepOutputs {
    return this.#call(() => this.#component.exports.engine.step(now, input));
  }

  /** Everything that it knows, except credentials; see `core/wit/engine.wit`. Collects garbage. */
  snapshot(): Uint8Array {
    const bytes = this.#enter(() => this.#component.exports.engine.snapshot());
    this.#collected();
    return bytes;
  }

  /** Instead of `open`: continues as the instance that the snapshot was taken of. */
  restore(snapshot: Uint8Array): void {
    this.#enter(() => this.#component.restore(snapshot));
    this.#collected();
  }

  /** Why the last `open` or `step` decided as it did. */
  explain(): engine.Note[] {
    return this.#enter(() => this.#component.exports.engine.explain());
  }

  /** Every record in use, as it would be written now, in no particular order. */
  records(): engine.Stored[] {
    return this.#enter(() => this.#component.exports.engine.records());
  }

  /** The containers' state machine. */
  rules(): engine.Rule[] {
    return this.#enter(() => this.#component.exports.engine.rules());
  }

  /** All bytes ever allocated, modulo 2^32. */
  get allocatedBytes(): number {
    return this.#component.allocatedBytes();
  }

  /** Bytes allocated since the last collection began. Some of them are still in use. */
  get garbage(): number {
    return (this.#component.allocatedBytes() - this.#collectedAt) >>> 0;
  }

  /** Whether to collect now, without waiting for an idle moment. */
  get mustCollect(): boolean {
    return mustCollect(this.garbage, this.#component.memoryBytes());
  }

  /** Whether a collection, or a slice of it, is worth it in an idle moment. */
  get mayCollect(): boolean {
    return this.#collecting || mayCollect(this.garbage, this.#component.memoryBytes());
  }

  /** A collection is under way. */
  get isCollecting(): boolean {
    return this.#collecting;
  }

  /** The work of the last slice, in references followed. */
  get sliceWork(): number {
    return this.#component.sliceWork();
  }

  collect(): void {
    this.#enter(() => this.#component.exports.engine.collect());
    this.#collected();
  }

  /** After a step: does a part of a collection, if one is under way or worth it. */
  collectSome(): void {
    if (this.#collecting && mustFinish(this.garbage, this.#component.memoryBytes())) this.collect();
    else if (this.#collecting || this.mustCollect) this.collectSlice();
  }

  /** Begins a collection, or does the next part of it. `work`: in references followed. */
  collectSlice(work?: number): void {
    const allocated = this.#component.allocatedBytes();
    if (!this.#collecting) this.#slicedAt = this.#collectedAt = allocated;
    const most = work ?? sliceAfter((allocated - this.#slicedAt) >>> 0);
    this.#slicedAt = allocated;
    this.#collecting = !this.#enter(() => this.#component.exports.engine.collectSlice(most));
  }

  /** See `ComponentInstance.collectAndWipe`. */
  collectAndWipe(): () => Uint8Array {
    const memory = this.#enter(() => this.#component.collectAndWipe());
    this.#collected();
    return memory;
  }

  #collected(): void {
    this.#collectedAt = this.#component.allocatedBytes();
    this.#collecting = false;
  }

  /** Runs one call of the core to its end. */
  #call(enter: () => void): StepOutputs {
    this.#outputs = noOutputs();
    this.#enter(enter);
    return this.#outputs;
  }

  /** Throws `Trap`: the instance must not be used again. */
  #enter<Result>(enter: () => Result): Result {
    try {
      return enter();
    } catch (error) {
      throw new Trap(`the core trapped: ${this.#component.trapMessage() ?? String(error)}`, { cause: error });
    }
  }
}

function noOutputs(): StepOutputs {
  return { records: [], effects: [], replies: [] };
}
