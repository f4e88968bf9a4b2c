// Cores that do something wrong, now and then: what they ask of their world is tampered with on its way out.

import type { CompiledCore } from "../../hosts/instance.js";
import type { StepOutputs } from "../../hosts/outbox.js";

type Imports = Record<string, { perform: (op: bigint, command: { tag: string; val: unknown }) => void }>;

export interface Wrong {
  /** What a reader of the test is told. */
  says: string;
  /** Interface of the world, and the command. */
  on: keyof typeof INTERFACES;
  command: string;
  /** Each so many-th of these commands. */
  each: number;
  /** What is asked in its place. */
  instead: (command: { tag: string; val: unknown }) => { tag: string; val: unknown }[];
}

const INTERFACES = {
  replies: "coracle:engine/replies",
  records: "coracle:engine/records",
  processes: "coracle:engine/processes",
  content: "coracle:engine/content",
  networks: "coracle:engine/networks",
  volumes: "coracle:engine/volumes",
  timers: "coracle:engine/timers",
} as const satisfies Partial<Record<keyof StepOutputs | string, string>>;

export function plant(core: CompiledCore, { on, command: wanted, each, instead }: Wrong): CompiledCore {
  let count = 0;
  return {
    instantiate: (imports) => {
      const own = imports as unknown as Imports;
      const name = INTERFACES[on];
      const { perform } = own[name] as Imports[string];
      const tampered: Imports[string]["perform"] = (op, command) => {
        const isMeant = command.tag === wanted && ++count % each === 0;
        for (const one of isMeant ? instead(command) : [command]) perform(op, one);
      };
      return core.instantiate({ ...own, [name]: { perform: tampered } } as unknown as typeof imports);
    },
  };
}
