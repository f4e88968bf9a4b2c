import type { Mutant } from "../mutant.js";

const DOCKERFILE = "tests/core/build/dockerfile.test.ts";
const EVALUATION = "tests/core/build/evaluation.test.ts";
const SUBSTITUTION = "tests/core/build/substitution.test.ts";
const IGNORE = "tests/core/build/ignore.test.ts";

export const BUILD_MUTANTS: readonly Mutant[] = [
  {
    name: "a comment between continuations is part of the line",
    file: "build/dockerfile/logical-line.ts",
    right: `if (isComment(next)) continue;`,
    wrong: `if (!WRONG && isComment(next)) continue;`,
    finder: { test: DOCKERFILE, named: "are joined at an escape" },
  },
  {
    name: "an escaped escape continues a line",
    file: "build/dockerfile/logical-line.ts",
    right: `return place == 0 || line`,
    wrong: `return WRONG || place == 0 || line`,
    finder: { test: DOCKERFILE, named: "an escaped escape does not continue a line" },
  },
  {
    name: "a here-document with a quoted name is expanded",
    file: "build/dockerfile/heredocs.ts",
    right: `new Heredoc(name, name == raw, chomp`,
    wrong: `new Heredoc(name, WRONG || name == raw, chomp`,
    finder: { test: DOCKERFILE, named: "have a name, perhaps in quotes, and lines" },
  },
  {
    name: "a build argument has its default, whatever a client gives",
    file: "build/evaluation/build-arguments.ts",
    right: `if (given !== null) return given;`,
    wrong: `if (!WRONG && given !== null) return given;`,
    finder: { test: EVALUATION, named: "build arguments" },
  },
  {
    name: "a build argument wins over a variable of the image",
    file: "build/evaluation/build-state.ts",
    right: `return value !== null ? value : this.given.find(name);`,
    wrong: `return value !== null && !(WRONG && this.given.find(name) !== null) ? value : this.given.find(name);`,
    finder: { test: EVALUATION, named: "build arguments" },
  },
  {
    name: "an entrypoint removes the stage's own command",
    file: "build/evaluation/command.ts",
    right: `if (!state.commandGiven)`,
    wrong: `if (WRONG || !state.commandGiven)`,
    finder: { test: EVALUATION, named: "ENTRYPOINT removes a command that is not the stage's own" },
  },
  {
    name: "a cached step is found only with the same proxies",
    file: "build/evaluation/build-arguments.ts",
    right: `if (this.defaults.has(name) || !PROXIES`,
    wrong: `if (WRONG || this.defaults.has(name) || !PROXIES`,
    finder: { test: EVALUATION, named: "a run" },
  },
  {
    name: "stages that the target does not need are built",
    file: "build/stages/stages.ts",
    right: `if (!wanted[i]) continue;`,
    wrong: `if (!WRONG && !wanted[i]) continue;`,
    finder: { test: "tests/core/build/stages.test.ts", named: "need what they take files from" },
  },
  {
    name: "a default replaces an empty value, with and without a colon",
    file: "build/evaluation/substitution.ts",
    right: `!(orEmpty && value.length == 0)`,
    wrong: `!((WRONG || orEmpty) && value.length == 0)`,
    finder: { test: SUBSTITUTION, named: "a word" },
  },
  {
    name: "one # cuts off the longest beginning",
    file: "build/evaluation/shell-pattern.ts",
    right: `isLast && longest ?`,
    wrong: `isLast && (WRONG || longest) ?`,
    finder: { test: SUBSTITUTION, named: "a word" },
  },
  {
    name: "an exception in .dockerignore brings nothing back",
    file: "build/ignore/ignore-file.ts",
    right: `if (pattern.exception == ignored && `,
    wrong: `if (pattern.exception == ignored && !(WRONG && ignored) && `,
    finder: { test: IGNORE, named: "ignored are" },
  },
  {
    name: "a host ignores what an exception in .dockerignore brings back",
    file: "hosts/shared/ignore-patterns.ts",
    right: `if (exception === ignored && `,
    wrong: `if (exception === ignored && !(WRONG && ignored) && `,
    finder: { test: IGNORE, named: "ignored are" },
  },
];
