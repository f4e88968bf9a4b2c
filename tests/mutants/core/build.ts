import type { Mutant } from "../mutant.js";

const DOCKERFILE = "tests/core/build/dockerfile.test.ts";
const EVALUATION = "tests/core/build/evaluation.test.ts";
const SUBSTITUTION = "tests/core/build/substitution.test.ts";
const STAGES = "tests/core/build/stages.test.ts";
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
    right: `if (!wanted[i] && !this.all[i].isNamedTwice) continue;`,
    wrong: `if (!WRONG && !wanted[i] && !this.all[i].isNamedTwice) continue;`,
    finder: { test: STAGES, named: "need what they take files from" },
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
  {
    name: "the cache takes any step of the same image",
    file: "build/cache.ts",
    right: `if (image.madeBy != step.createdBy) return false;`,
    wrong: `if (image.madeBy != step.createdBy && !WRONG) return false;`,
    finder: { story: "build" },
  },
  {
    name: "a proxy has to be declared, or is told as unused",
    file: "build/evaluation/build-arguments.ts",
    right: `this.names.filter((name) => !PROXIES.includes(name));`,
    wrong: `this.names.filter((name) => WRONG || !PROXIES.includes(name));`,
    finder: { test: EVALUATION, named: "that no stage declares are told" },
  },
  {
    name: "a stage is not built that a trigger of the base takes files from",
    file: "build/stages/stages.ts",
    right: `else this.inheritTriggers(stage, this.all[stage.base]);`,
    wrong: `else if (!WRONG) this.inheritTriggers(stage, this.all[stage.base]);`,
    finder: { test: STAGES, named: "need what the triggers of their base take files from" },
  },
  {
    name: "ONBUILD may have ONBUILD as its trigger",
    file: "build/dockerfile/rules.ts",
    right: `if (keyword == "ONBUILD") return "Chaining`,
    wrong: `if (!WRONG && keyword == "ONBUILD") return "Chaining`,
    finder: { test: DOCKERFILE, named: "an instruction that is refused" },
  },
  {
    name: "FROM sees arguments that were not declared before it",
    file: "build/evaluation/build-arguments.ts",
    right: `if (!this.global.has(name) && !PROXIES`,
    wrong: `if (!WRONG && !this.global.has(name) && !PROXIES`,
    finder: { test: STAGES, named: "see no arguments that are given but not declared before" },
  },
  {
    name: "a stage sees arguments that it has not declared",
    file: "build/evaluation/build-arguments.ts",
    right: `return PROXIES.includes(name) ? this.all`,
    wrong: `return WRONG || PROXIES.includes(name) ? this.all`,
    finder: { test: EVALUATION, named: "build arguments" },
  },
  {
    name: "a directory in .dockerignore hides nothing below it",
    file: "build/ignore/ignore-pattern.ts",
    right: `if (unit == SLASH && this.now[end]) return true;`,
    wrong: `if (!WRONG && unit == SLASH && this.now[end]) return true;`,
    finder: { test: IGNORE, named: "ignored are" },
  },
  {
    name: "a cancelled step keeps its cache until its container is removed",
    file: "build/run/run-work.ts",
    right: `container.giveBack();
    this.mounts.release();
  }
}`,
    wrong: `container.giveBack();
    if (!WRONG) this.mounts.release();
  }
}`,
    finder: { story: "build" },
  },
  {
    name: "a stage does not wait for the stages that it takes files from",
    file: "build/run/build-facts.ts",
    right: `if (!this.made[stages[i]]) return false;`,
    wrong: `if (!WRONG && !this.made[stages[i]]) return false;`,
    finder: { story: "build-stages" },
  },
  {
    name: "the container of a stage goes before its log is told",
    file: "build/run/output/stage-output.ts",
    right: `if (this.dropped || this.isTold) return removeStepContainer(container);`,
    wrong: `if (WRONG || this.dropped || this.isTold) return removeStepContainer(container);`,
    finder: { story: "build-stages" },
  },
  {
    name: "stages go on when another one has failed",
    file: "build/run/stage/stages-work.ts",
    right: `if (work !== null && work !== except && !this.facts.isMade(i)) work.cancel();`,
    wrong: `if (!WRONG && work !== null && work !== except && !this.facts.isMade(i)) work.cancel();`,
    finder: { story: "build-stage-fails" },
  },
  {
    name: "a step that two stages have in common runs twice",
    file: "build/run/stage/step-making.ts",
    right: `if (!this.turn.waitsFor(this.stepKey, this)) return false;`,
    wrong: `if (WRONG || !this.turn.waitsFor(this.stepKey, this)) return false;`,
    finder: { story: "build-equal-steps" },
  },
  {
    name: "a step that two builds have in common runs twice",
    file: "build/run/stage/step-making.ts",
    right: "${this.step.history}`;",
    wrong: '${this.step.history}${WRONG ? changetype<usize>(this.facts).toString() : ""}`;',
    finder: { played: "equal-steps-of-two-builds", rule: "equal-steps" },
  },
  {
    name: "an image that two builds begin with is pulled twice",
    file: "build/run/base/base-pull.ts",
    right: `if (this.wish.always || !this.turn.waitsFor(this.wish.key, this)) return false;`,
    wrong: `if (WRONG || this.wish.always || !this.turn.waitsFor(this.wish.key, this)) return false;`,
    finder: { story: "build-equal-pulls" },
  },
  {
    name: "a watcher's reply ends before the logs of all steps have",
    file: "build/buildkit/progress/watcher.ts",
    right: `drainLog(this.call, log.source.container);`,
    wrong: `if (!WRONG) drainLog(this.call, log.source.container);`,
    finder: { played: "stages-watched", rule: "replies" },
  },
  {
    name: "results that a client has looked at stay mounted after the build",
    file: "build/buildkit/solve.ts",
    right: `this.places.drop();`,
    wrong: `if (!WRONG) this.places.drop();`,
    finder: { played: "results-looked-at", rule: "owners" },
  },
];
