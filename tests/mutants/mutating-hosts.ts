// Hosts with all of their mutants, for bundles and for tests. A variable of the process tells which are active.

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Plugin } from "esbuild";
import { isOfHosts, mutated } from "./mutant.js";
import { MUTANTS, numberOf } from "./mutants.js";

const OWN = MUTANTS.filter(isOfHosts);

interface Choice {
  /** By number. */
  mutantsInForce?: ReadonlySet<number>;
  /** By mutant number. */
  mutantsAsked?: number[];
}

/** Activates the mutants of these numbers, and no others. `asked` counts how often each mutant's code ran. */
export function enforce(mutants: readonly number[], asked: number[] = []): void {
  const choice = globalThis as Choice;
  [choice.mutantsInForce, choice.mutantsAsked] = [new Set(mutants), asked];
}

/** A file's text with its mutants; null if it has none. `file`: path in the repository. */
export function withMutants(file: string, text: string): string | null {
  const here = OWN.filter((mutant) => mutant.file === file);
  if (here.length === 0) return null;
  return here.reduce((all, mutant) => mutated(all, mutant, isWrong(numberOf(mutant))), text);
}

/** Also works in a thread, in which no mutant was chosen. */
function isWrong(number: number): string {
  const counted = `(globalThis.mutantsAsked ??= [])[${number}] = (globalThis.mutantsAsked[${number}] ?? 0) + 1`;
  return `((${counted}), globalThis.mutantsInForce?.has(${number}) === true)`;
}

/** For a bundle. `complete` throws if a mutant that the simulator should find is missing. */
export function mutatingHosts(root: string): { plugin: Plugin; complete: () => void } {
  const ofHosts = new Set(OWN.map(({ file }) => file));
  const seen = new Set<string>();
  const plugin: Plugin = {
    name: "mutants",
    setup(build) {
      build.onLoad({ filter: /\.ts$/ }, async ({ path }) => {
        const file = path.slice(join(root, "/").length);
        const contents = ofHosts.has(file) ? withMutants(file, await readFile(path, "utf8")) : null;
        if (contents === null) return null;
        seen.add(file);
        return { contents, loader: "ts" };
      });
    },
  };
  const complete = (): void => {
    const missing = OWN.find(({ file, finder }) => finder === "simulator" && !seen.has(file));
    if (missing !== undefined) throw new Error(`the simulator does not use ${missing.file}: "${missing.name}"`);
  };
  return { plugin, complete };
}
