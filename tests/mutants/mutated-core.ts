// A core with all mutants, compiled once, by AssemblyScript and by the JavaScript engine. Which mutants are active is in
// the memory of each instance, where it is written when the instance is made.

import { readFile, readdir } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { CompiledComponent } from "../../hosts/driver/component.js";
import type { CompiledCore } from "../../hosts/driver/instance.js";
import type { Build } from "../core/exhaustive/core-memory.js";

/**
 * Eight unique bytes. A byte for each mutant follows, which is not 0 if the mutant is active, and then the counts of how
 * often each mutant's code ran.
 */
const MARK = Buffer.from("mutant! ");

/** Numbers below this can be counted. */
export const MOST = 320;
const ROOM = [...MARK, ...new Uint8Array(5 * MOST)];

/** The core's mutant.ts, which every file with a mutant imports. */
export const CHOICE = `// Which rule is wrong: see tests/mutants.

export function isWrong(mutant: u32): bool {
  const active = memory.data<u8>([${ROOM.join(", ")}]) + ${MARK.length};
  const asked = active + ${MOST} + 4 * mutant;
  store<u32>(asked, load<u32>(asked) + 1);
  return load<u8>(active + mutant) != 0;
}
`;

/** Cores by the numbers of their active mutants. The correct core has none. */
export class MutatedCore {
  readonly #build: Build;
  /** Position of the mark in memory. */
  #at = -1;

  private constructor(build: Build) {
    this.#build = build;
  }

  /** Loads what `makeMutants` has built. */
  static async load(folder: string): Promise<MutatedCore> {
    const names = (await readdir(folder)).filter((name) => name.endsWith(".wasm"));
    const modules = names.map(
      async (name) => [name, new WebAssembly.Module(await readFile(join(folder, name)))] as const,
    );
    const made = (name: string): Promise<unknown> => import(/* @vite-ignore */ pathToFileURL(join(folder, name)).href);
    const { CLASSES } = (await made("classes.js")) as { CLASSES: Build["classes"] };
    const { instantiate } = (await made("core.js")) as Pick<Build, "instantiate">;
    return new MutatedCore({ modules: new Map(await Promise.all(modules)), instantiate, classes: CLASSES });
  }

  with(active: readonly number[], asked?: Asked): Build {
    const choosing: Build["instantiate"] = (modules, imports, make = newInstance) =>
      this.#build.instantiate(modules, imports, (module, coreImports) => {
        const made = make(module, coreImports);
        if ("trapped" in made.exports) {
          const memory = made.exports["memory"] as WebAssembly.Memory;
          this.#choose(active, memory);
          asked?.add(memory, this.#at + MARK.length + MOST);
        }
        return made;
      });
    return { ...this.#build, instantiate: choosing };
  }

  compiledWith(active: readonly number[], asked?: Asked): CompiledCore {
    const { modules, instantiate } = this.with(active, asked);
    const core = new CompiledComponent(modules, instantiate);
    return asked === undefined ? core : counting(core, asked);
  }

  #choose(active: readonly number[], { buffer }: WebAssembly.Memory): void {
    const memory = Buffer.from(buffer);
    if (this.#at < 0) this.#at = onlyPlaceOf(MARK, memory);
    for (const mutant of active) memory[this.#at + MARK.length + mutant] = 1;
  }
}

/** How often each mutant's code ran, in all instances of a run. */
export class Asked {
  readonly #all: Counts[] = [];

  add(memory: WebAssembly.Memory, at: number): void {
    this.#all.push(new Counts(memory, at));
  }

  /** Counts of the newest instance. */
  get newest(): Counts | undefined {
    return this.#all.at(-1);
  }

  /** By mutant number. */
  counts(): number[] {
    for (const counts of this.#all) counts.take();
    return Array.from({ length: MOST }, (_, number) =>
      number === 0 ? 0 : this.#all.reduce((sum, { total }) => sum + total[number]!, 0),
    );
  }
}

/**
 * Counts of one instance. A snapshot that it is restored from contains the counts of another instance, which must not
 * be included.
 */
class Counts {
  readonly total = new Float64Array(MOST);
  readonly #memory: WebAssembly.Memory;
  readonly #at: number;
  #before: Uint32Array;

  constructor(memory: WebAssembly.Memory, at: number) {
    [this.#memory, this.#at] = [memory, at];
    this.#before = this.#now();
  }

  take(): void {
    const now = this.#now();
    for (let at = 0; at < MOST; at++) this.total[at]! += now[at]! - this.#before[at]!;
    this.#before = now;
  }

  /** The current values belong to another instance. */
  forget(): void {
    this.#before = this.#now();
  }

  #now(): Uint32Array {
    return new Uint32Array(this.#memory.buffer.slice(this.#at, this.#at + 4 * MOST));
  }
}

function counting(core: CompiledCore, asked: Asked): CompiledCore {
  return {
    instantiate: (imports) => {
      const component = core.instantiate(imports);
      const { engine } = component.exports;
      const counts = asked.newest;
      const restore = (snapshot: Uint8Array): void => {
        counts?.take();
        engine.restore(snapshot);
        counts?.forget();
      };
      return { ...component, exports: { ...component.exports, engine: { ...engine, restore } } };
    },
  };
}

function newInstance(module: WebAssembly.Module, imports: WebAssembly.Imports): WebAssembly.Instance {
  return new WebAssembly.Instance(module, imports);
}

function onlyPlaceOf(mark: Buffer, memory: Buffer): number {
  const at = memory.indexOf(mark);
  if (at < 0 || memory.indexOf(mark, at + 1) >= 0)
    throw new Error("the mark of the active mutants does not occur exactly once in the core");
  return at;
}
