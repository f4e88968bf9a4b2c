// Libraries of the core with their mutants, for tests that call them through a door (tests/core/support/door.ts). A test
// process compiles them once; the variable that tells the active mutants of hosts tells theirs, too.

import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { isOfHosts, mutated } from "./mutant.js";
import { MUTANTS, numberOf } from "./mutants.js";
import { PLAN } from "./plan.js";

const CORE = fileURLToPath(new URL("../../core/assembly", import.meta.url));
const OWN = MUTANTS.filter((mutant) => !isOfHosts(mutant));

/** The core's mutant.ts, which every file with a mutant imports. */
const CHOICE = `@external("env", "isWrong")\nexport declare function isWrong(mutant: u32): bool;\n`;

/** The text that takes the place of a file; null if it is compiled as it is, as in every run without mutants. */
export function mutantSource(path: string, text: string | null): string | null {
  if (process.env[PLAN] === undefined) return text;
  if (path === join(CORE, "mutant.ts")) return CHOICE;
  const file = relative(CORE, path);
  const here = OWN.filter((mutant) => mutant.file === file);
  if (text === null || here.length === 0) return text;
  const depth = "../".repeat(file.split("/").length - 1) || "./";
  const wrong = here.reduce((all, mutant) => mutated(all, mutant, `isWrong(${numberOf(mutant)})`), text);
  return `import { isWrong } from "${depth}mutant";\n${wrong}`;
}

/** For the compiled door: whether this mutant is active. */
export function isInForce(mutant: number): number {
  const { mutantsInForce } = globalThis as { mutantsInForce?: ReadonlySet<number> };
  return mutantsInForce?.has(mutant) === true ? 1 : 0;
}
