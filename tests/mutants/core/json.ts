import type { Mutant } from "../mutant.js";

export const JSON_MUTANTS: readonly Mutant[] = [
  {
    name: "the last control character is not escaped",
    file: "json/writer.ts",
    right: `if (unit < 0x20 ||`,
    wrong: `if (unit < (WRONG ? 0x1f : 0x20) ||`,
    finder: { story: "control-characters" },
  },
];
