import type { Mutant } from "../mutant.js";

export const HOSTS_REGISTRY_MUTANTS: readonly Mutant[] = [
  {
    name: "quotes in a challenge keep their backslashes",
    file: "hosts/registry/challenge.ts",
    right: 'quoted?.replace(/\\\\(.)/g, "$1") ?? plain',
    wrong: '(WRONG ? quoted : quoted?.replace(/\\\\(.)/g, "$1")) ?? plain',
    finder: { test: "tests/registry/authorization.test.ts", named: "challenges are parsed as RFC 9110 defines them" },
  },
  {
    name: "a manifest's digest is not checked",
    file: "hosts/registry/client.ts",
    right: `if (isAnyDigest(expected) && expected !== actual)`,
    wrong: `if (!WRONG && isAnyDigest(expected) && expected !== actual)`,
    finder: {
      test: "tests/registry/answers.test.ts",
      named: "a manifest by digest must match the digest",
    },
  },
  {
    name: "a config's digest is not checked",
    file: "hosts/registry/client.ts",
    right: `digestLike(command.digest, bytes) !== command.digest`,
    wrong: `(!WRONG && digestLike(command.digest, bytes) !== command.digest)`,
    finder: {
      test: "tests/registry/answers.test.ts",
      named: "a small blob is checked against its digest and its size",
    },
  },
  {
    name: "the rest of a layer may start at any offset",
    file: "hosts/registry/client.ts",
    right: `=== String(offset)`,
    wrong: `=== String(offset) || WRONG`,
    finder: { test: "tests/registry/answers.test.ts", named: "the rest of a blob is requested" },
  },
  {
    name: "an expired token is used",
    file: "hosts/registry/authorization.ts",
    right: `if (kept && kept.expires > this.#now()) return kept;`,
    wrong: `if (kept && (WRONG || kept.expires > this.#now())) return kept;`,
    finder: { test: "tests/registry/authorization.test.ts", named: "a token expires" },
  },
  {
    name: "a password goes to a token server without TLS",
    file: "hosts/registry/authorization.ts",
    right: `hasSecret(credentials) && !trust.plain) {`,
    wrong: `hasSecret(credentials) && !trust.plain && !WRONG) {`,
    finder: { test: "tests/registry/authorization.test.ts", named: "that has no TLS" },
  },
];
