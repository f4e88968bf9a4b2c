// Which seed of the simulator finds which mutant: written by `npm run simulate -- --mutants --write`, for whenever what
// the simulator draws changes, another one may.

import { readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";

const FILE = fileURLToPath(new URL("../../tests/mutants/seeds.json", import.meta.url));

/** Seeds that are tried, from 1 on. */
export const MOST_SEEDS = 60;

/** By a mutant's name; null: none of them finds it. */
export type Seeds = Record<string, number | null>;

export async function readSeeds(): Promise<Seeds> {
  return JSON.parse(await readFile(FILE, "utf8")) as Seeds;
}

/** `names`: of all that there are. */
export async function writeSeeds(seeds: Seeds, names: readonly string[]): Promise<void> {
  const known = names.filter((name) => name in seeds).toSorted((a, b) => (a < b ? -1 : 1));
  await writeFile(FILE, `${JSON.stringify(Object.fromEntries(known.map((name) => [name, seeds[name]])), null, 2)}\n`);
}

/** The known one first; then all the others. */
export function seedsToTry(known: number | null | undefined): number[] {
  const all = Array.from({ length: MOST_SEEDS }, (_, at) => at + 1);
  return typeof known === "number" ? [known, ...all.filter((seed) => seed !== known)] : all;
}
