// Which seed of the simulator finds which mutant. Written by `npm run simulate -- --mutants --write`, because a change
// of the simulator's random choices may change it.

import { writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import type { Mutant } from "./mutant.js";

const FILE = fileURLToPath(new URL("../../tests/mutants/seeds.json", import.meta.url));

/** Seeds are tried from 1 up to this one. */
export const MOST_SEEDS = 60;

/** By mutant name; null if no seed that was tried finds it. */
export type Seeds = Record<string, number | null>;

export async function readSeeds(): Promise<Seeds> {
  return JSON.parse(await readFile(FILE, "utf8")) as Seeds;
}

/** `mutants`: all existing ones. */
export function writeSeeds(seeds: Seeds, mutants: readonly Mutant[]): void {
  const known = mutants.map(({ name }) => name).filter((name) => name in seeds);
  const sorted = known.toSorted((a, b) => (a < b ? -1 : 1)).map((name) => [name, seeds[name]]);
  writeFileSync(FILE, `${JSON.stringify(Object.fromEntries(sorted), null, 2)}\n`);
}
