import type { Mutant } from "../mutant.js";

export const HOSTS_REGISTRY_MUTANTS: readonly Mutant[] = [
  {
    name: "quotes in a challenge keep their backslashes",
    file: "hosts/registry/challenge.ts",
    right: 'quoted?.replace(/\\\\(.)/g, "$1") ?? plain',
    wrong: '(WRONG ? quoted : quoted?.replace(/\\\\(.)/g, "$1")) ?? plain',
    finder: { test: "tests/registry/authorization.test.ts" },
  },
  {
    name: "a manifest is taken for what it is not",
    file: "hosts/registry/client.ts",
    right: `if (expected !== null && isDigest(expected) && expected !== digest)`,
    wrong: `if (!WRONG && expected !== null && isDigest(expected) && expected !== digest)`,
    finder: { test: "tests/registry/answers.test.ts" },
  },
  {
    name: "a config is taken for what it is not",
    file: "hosts/registry/client.ts",
    right: `digestOf(bytes) !== command.digest`,
    wrong: `(!WRONG && digestOf(bytes) !== command.digest)`,
    finder: { test: "tests/registry/answers.test.ts" },
  },
  {
    name: "the rest of a layer is taken from any offset",
    file: "hosts/registry/client.ts",
    right: `=== String(offset)`,
    wrong: `=== String(offset) || WRONG`,
    finder: { test: "tests/registry/answers.test.ts" },
  },
];
