// A rule made wrong in one place.

export interface Mutant {
  /** What is wrong. */
  name: string;
  /** Of core/assembly; or of the repository, if it begins with `hosts/` or `runtime-linux/`. */
  file: string;
  /** Stands in the file once. */
  right: string;
  /** In its place; `WRONG` is true where this mutant is the one in force. */
  wrong: string;
  /**
   * Who finds it for sure, and cheapest: the search, the simulator (by which seed: see seeds.json), one of
   * tests/simulator/stories by a rule, one of tests/core/scenarios, or a file of tests: those in whose name `named`
   * stands.
   */
  finder: Finder;
  /** What the search begins with. */
  before?: readonly string[];
}

export type Finder =
  "search" | "simulator" | { played: string; rule: string } | { story: string } | { test: string; named: string };

export function isOfHosts({ file }: Mutant): boolean {
  return file.startsWith("hosts/") || file.startsWith("runtime-linux/");
}

/** The text of a mutant's file with the mutant in it; `condition` says that it is in force. Throws if it does not apply. */
export function mutated(text: string, { name, file, right, wrong }: Mutant, condition: string): string {
  const times = text.split(right).length - 1;
  if (times !== 1) throw new Error(`the mutant "${name}" wants a text that stands ${times} times in ${file}, not once`);
  if (!wrong.includes("WRONG")) throw new Error(`the mutant "${name}" would always be in force`);
  return text.replace(right, () => wrong.replaceAll("WRONG", condition));
}
