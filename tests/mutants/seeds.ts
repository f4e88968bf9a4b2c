// Which seed of the simulator finds which mutant: written by `npm run simulate -- --mutants --write`, for whenever what
// the simulator draws changes, another one may.

import { writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import type { Mutant } from "./mutant.js";

const FILE = fileURLToPath(new URL("../../tests/mutants/seeds.json", import.meta.url));

/** Those that are tried. */
export const MOST_SEEDS = 60;
export const ALL_SEEDS: readonly number[] = Array.from({ length: MOST_SEEDS }, (_, at) => at + 1);

/** By a mutant's name; null: none of them finds it. */
export type Seeds = Record<string, number | null>;

export async function readSeeds(): Promise<Seeds> {
  return JSON.parse(await readFile(FILE, "utf8")) as Seeds;
}

/** `mutants`: all that there are. */
export function writeSeeds(seeds: Seeds, mutants: readonly Mutant[]): void {
  const known = mutants.map(({ name }) => name).filter((name) => name in seeds);
  const sorted = known.toSorted((a, b) => (a < b ? -1 : 1)).map((name) => [name, seeds[name]]);
  writeFileSync(FILE, `${JSON.stringify(Object.fromEntries(sorted), null, 2)}\n`);
}
