// Hosts with all of their mutants in them, as they are bundled or as tests load them: which one is in force is said by
// a variable of the process.

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Plugin } from "esbuild";
import { isOfHosts, mutated } from "./mutant.js";
import { MUTANTS, numberOf } from "./mutants.js";

const OWN = MUTANTS.filter(isOfHosts);

interface Choice {
  mutantInForce?: number;
  /** By a mutant's number. */
  mutantsAsked?: number[];
}

/** Puts the mutant of this number in force; 0 for none. `asked`: where it is counted how often each was asked. */
export function enforce(mutant: number, asked: number[] = []): void {
  const choice = globalThis as Choice;
  [choice.mutantInForce, choice.mutantsAsked] = [mutant, asked];
}

/** A file's text with the mutants of this file; null if there are none. `file`: within the repository. */
export function withMutants(file: string, text: string): string | null {
  const here = OWN.filter((mutant) => mutant.file === file);
  if (here.length === 0) return null;
  return here.reduce((all, mutant) => mutated(all, mutant, isWrong(numberOf(mutant))), text);
}

/** Also in a thread, where nobody has chosen any. */
function isWrong(number: number): string {
  const counted = `(globalThis.mutantsAsked ??= [])[${number}] = (globalThis.mutantsAsked[${number}] ?? 0) + 1`;
  return `((${counted}), globalThis.mutantInForce === ${number})`;
}

/** For a bundle. `complete` throws if one that the simulator is to find is not in it. */
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
