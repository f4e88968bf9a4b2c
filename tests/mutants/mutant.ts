// A rule that is broken in one place.

export interface Mutant {
  /** What is broken. */
  name: string;
  /** Path in core/assembly, or in the repository if it begins with `hosts/` or `runtime-linux/`. */
  file: string;
  /** Occurs once in the file. */
  right: string;
  /** Replaces it; `WRONG` is true if this mutant is active. */
  wrong: string;
  /**
   * The cheapest sure way to find it: the search, the simulator (for the seed see seeds.json), a story of
   * tests/simulator/stories with a rule, a scenario of tests/core/scenarios, or the tests of a file whose names contain
   * `named`.
   */
  finder: Finder;
  /** The commands at the start of the search. */
  before?: readonly string[];
}

export type Finder =
  | "search"
  | "simulator"
  | { played: string; rule: string }
  | { story: string }
  | { test: string; named: string };

export function isOfHosts({ file }: Mutant): boolean {
  return file.startsWith("hosts/") || file.startsWith("runtime-linux/");
}

/** The text of a mutant's file with the mutant; `condition` tells whether it is active. Throws if it does not apply. */
export function mutated(text: string, { name, file, right, wrong }: Mutant, condition: string): string {
  const times = text.split(right).length - 1;
  if (times !== 1) throw new Error(`the text of the mutant "${name}" occurs ${times} times in ${file}, not once`);
  if (!wrong.includes("WRONG")) throw new Error(`the mutant "${name}" would always be active`);
  return text.replace(right, () => wrong.replaceAll("WRONG", condition));
}
