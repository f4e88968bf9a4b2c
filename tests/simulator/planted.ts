// Plants errors into cores: sometimes changes a core's commands on their way out, or its inputs on their way in.

import type { Input, engine } from "../../hosts/shared/host.js";
import type { CompiledCore } from "../../hosts/driver/instance.js";
import type { CommandOf, Interface } from "./commands.js";

type Imports = Record<string, { perform: (op: bigint, command: { tag: string; val: unknown }) => void }>;

export type Wrong = { [To in Interface]: WrongOf<To> }[Interface];

interface WrongOf<To extends Interface> {
  /** The description in the test's title. */
  says: string;
  on: To;
  command: CommandOf<To>;
  /** The error affects every `each`-th of these commands. */
  each: number;
  /** The commands that replace it. */
  instead: (command: { tag: string; val: unknown }) => { tag: string; val: unknown }[];
  /** Copies of the engine are checked, too, since the error affects them in the same way. */
  copied?: true;
  /** Changes a record that the core reports from its memory. */
  recall?: (stored: engine.Stored) => engine.Stored;
}

/** An error in which the core reads other data than it gets. */
export interface Misreading {
  says: string;
  /** Changes a record when the core is opened. */
  read?: (stored: engine.Stored, options: engine.Options) => engine.Stored;
  /** Changes an input. `isRestored`: the instance was restored from a snapshot. */
  hear?: (input: Input, isRestored: boolean) => Input;
  /** Changes the machine's inventory. */
  find?: (inventory: engine.Inventory, records: readonly engine.Stored[]) => engine.Inventory;
}

export function plant(core: CompiledCore, wrong: Wrong | Misreading): CompiledCore {
  return "on" in wrong ? tampering(core, wrong) : misreading(core, wrong);
}

function misreading(core: CompiledCore, { read = same, hear = same, find = same }: Misreading): CompiledCore {
  return {
    instantiate: (imports) => {
      const component = core.instantiate(imports);
      const { engine } = component.exports;
      let isRestored = false;
      const misreader = withEngine(component, {
        open: (options, now, seed, records, journal, inventory) => {
          isRestored = false;
          const misread = records.map((stored) => read(stored, options));
          engine.open(options, now, seed, misread, journal, find(inventory, records));
        },
        step: (now, input) => engine.step(now, hear(input, isRestored)),
      });
      const restore = (snapshot: Uint8Array): void => {
        isRestored = true;
        component.restore(snapshot);
      };
      return { ...misreader, restore };
    },
  };
}

function tampering(core: CompiledCore, { on, command: wanted, each, instead, recall = same }: Wrong): CompiledCore {
  let count = 0;
  return {
    instantiate: (imports) => {
      const own = imports as unknown as Imports;
      const name = `coracle:engine/${on}`;
      const { perform } = own[name] as Imports[string];
      const tampered: Imports[string]["perform"] = (op, command) => {
        const isMeant = command.tag === wanted && ++count % each === 0;
        for (const one of isMeant ? instead(command) : [command]) perform(op, one);
      };
      const component = core.instantiate({ ...own, [name]: { perform: tampered } } as unknown as typeof imports);
      const { engine } = component.exports;
      return withEngine(component, { records: () => engine.records().map(recall) });
    },
  };
}

type Component = ReturnType<CompiledCore["instantiate"]>;
type Calls = Component["exports"]["engine"];

function withEngine(component: Component, calls: Partial<Calls>): Component {
  const { exports } = component;
  return { ...component, exports: { ...exports, engine: { ...exports.engine, ...calls } } };
}

function same<Value>(value: Value): Value {
  return value;
}
