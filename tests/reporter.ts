// Prints, behind vitest's own report, the files that took longest, each skipped test with its reason, each that needed a
// second try and each that failed with what it failed of, and, as the last line of all, the three numbers. Under CI=true a skip that nobody has
// allowed (support/allowed-skips.ts) is a failure.

import type { Reporter, SerializedError, TestCase, TestModule, TestSuite, Vitest } from "vitest/node";
import { isAllowedSkip } from "./support/allowed-skips.js";

const LINE_MAX = 400;
/** How many files are named of those that took longest. */
const LONGEST = 30;

export default class CountingReporter implements Reporter {
  #passed = 0;
  readonly #failed: string[] = [];
  readonly #skipped: string[] = [];
  readonly #retried: string[] = [];
  readonly #costs: Cost[] = [];
  #isCi = false;

  /** Tests chosen by name leave the others out, which is nobody's mistake. */
  onInit({ config }: Vitest): void {
    this.#isCi = process.env["CI"] === "true" && config.testNamePattern === undefined;
  }

  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly SerializedError[]): void {
    for (const module of modules) {
      this.#count(module);
      this.#costs.push(costOf(module));
    }
    this.#failed.push(...unhandled.map((error) => `outside of any test: ${firstLineOf(error)}`));
    if (this.#failed.length > 0) process.exitCode = 1;
    process.once("exit", () => this.#print());
  }

  #count(module: TestModule): void {
    for (const test of module.children.allTests()) this.#countTest(test);
    // A file that does not load and a hook that fails belong to no test, and take their tests with them as skipped.
    for (const suite of [module, ...module.children.allSuites()]) {
      for (const error of suite.errors()) this.#failed.push(`${placeOf(suite)}: ${firstLineOf(error)}`);
      const { firstSetUp } = suite.meta();
      if (firstSetUp !== undefined) this.#retried.push(`${placeOf(suite)}: ${firstLineOf({ message: firstSetUp })}`);
    }
  }

  #countTest(test: TestCase): void {
    const { state } = test.result();
    if (state === "passed") this.#passed++;
    else if (state === "failed") this.#failed.push(`${nameOf(test)}: ${errorsOf(test)}`);
    else this.#countSkipped(test, reasonOf(test));
    if (test.diagnostic()?.flaky) this.#retried.push(`${nameOf(test)}: ${errorsOf(test)}`);
  }

  #countSkipped(test: TestCase, reason: string): void {
    const isAllowed = !this.#isCi || isAllowedSkip(test.fullName, reason);
    if (isAllowed) this.#skipped.push(`${nameOf(test)}: ${reason}`);
    else this.#failed.push(`${nameOf(test)}: CI skips only what is in allowed-skips.ts: ${reason}`);
  }

  #print(): void {
    const lines = [
      ...longestOf(this.#costs),
      ...this.#skipped.map((test) => `skipped: ${test}\n`),
      ...this.#retried.map((test) => `passed at the second try: ${test}\n`),
      ...this.#failed.map((test) => `failed: ${test}\n`),
    ].join("");
    const counts = `${this.#passed} passed, ${this.#failed.length} failed, ${this.#skipped.length} skipped`;
    process.stdout.write(`${lines}${counts}\n`);
  }
}

/** Of one file: seconds that passed, and seconds of processors. */
interface Cost {
  readonly file: string;
  readonly passed: number;
  readonly processors: number;
}

function costOf(module: TestModule): Cost {
  const passed = module.diagnostic().duration / 1000;
  return { file: module.relativeModuleId, passed, processors: module.meta().processorSeconds ?? 0 };
}

function longestOf(costs: readonly Cost[]): string[] {
  if (costs.length <= 1) return [];
  const all = costs.reduce((sum, { processors }) => sum + processors, 0);
  const longest = costs.toSorted((a, b) => b.passed - a.passed).slice(0, LONGEST);
  const lines = longest.map(
    ({ file, passed, processors }) =>
      `took ${passed.toFixed(1)} s, ${processors.toFixed(1)} s of processors: ${file}\n`,
  );
  return [`${costs.length} files took ${all.toFixed(0)} s of processors; the longest:\n`, ...lines];
}

function nameOf(test: TestCase): string {
  return `${test.module.relativeModuleId}: ${test.fullName}`;
}

function placeOf(suite: TestSuite | TestModule): string {
  return suite.type === "module" ? suite.relativeModuleId : `${suite.module.relativeModuleId}: ${suite.fullName}`;
}

/** Those of all tries, each by its first line. */
function errorsOf(test: TestCase): string {
  const errors = test.result().errors ?? [];
  return errors.length > 0 ? errors.map(firstLineOf).join(" | ") : "no error given";
}

function firstLineOf({ message }: SerializedError): string {
  return message.split("\n")[0]?.slice(0, LINE_MAX) ?? "";
}

function reasonOf(test: TestCase): string {
  const result = test.result();
  if (result.state === "skipped" && result.note) return result.note;
  if (failedAbove(test)) return "its set-up failed";
  return "no reason given";
}

function failedAbove(test: TestCase): boolean {
  let above: TestSuite | TestModule = test.parent;
  for (;;) {
    if (above.errors().length > 0) return true;
    if (above.type === "module") return false;
    above = above.parent;
  }
}
