// Runs a test once for each mutant that it is to find, with that one in force; and before and after them as it should be,
// to see that it finds mutants and nothing else, and that none has left anything behind.

import { TestRunner, type RunnerTestCase } from "vitest";
import { enforce } from "./mutating-hosts.js";
import { isNamed, projectsOf } from "./unit-tests.js";

declare module "vitest" {
  interface TaskMeta {
    /** By a mutant's number, 0 for none: whether the test failed with it in force. */
    failed?: Record<number, boolean>;
    /** With which of them it did not come to its end in time. */
    late?: number[];
  }
}

/** vitest's words for what was given up: that tells nothing of what the test would have found. */
const LATE = /^(?:Test|Hook) timed out in /;

export default class Runner extends TestRunner {
  /** In force one after the other. */
  #order: number[] = [];
  /** Those that an earlier test of this file has found. */
  readonly #found = new Set<number>();

  override async onBeforeRunTask(test: RunnerTestCase): Promise<void> {
    const mutants = projectsOf(test.file.filepath).filter(({ named }) => isNamed(test.fullTestName, named));
    this.#order = [0, ...mutants.map(({ mutant }) => mutant).filter((mutant) => !this.#found.has(mutant)), 0];
    if (mutants.length === 0) test.mode = "skip";
    else test.repeats = this.#order.length - 1;
    [test.meta.failed, test.meta.late] = [{}, []];
    await super.onBeforeRunTask(test);
  }

  override onBeforeTryTask(test: RunnerTestCase, attempt?: { repeats: number }): void {
    enforce(this.#order[attempt?.repeats ?? 0] ?? 0);
    super.onBeforeTryTask(test);
  }

  /** What it comes to is told by `failed`: the test itself has always passed, for the next try to begin as the first. */
  onAfterRetryTask(test: RunnerTestCase, { repeats }: { repeats: number }): void {
    const mutant = this.#order[repeats] ?? 0;
    const isLate = test.result?.errors?.some(({ message }) => LATE.test(message)) === true;
    const hasFailed = test.result?.state === "fail" && !isLate;
    if (isLate) test.meta.late?.push(mutant);
    (test.meta.failed ??= {})[mutant] ||= hasFailed;
    if (hasFailed && mutant > 0) this.#found.add(mutant);
    if (test.result !== undefined) Object.assign(test.result, { state: "pass", errors: undefined });
    enforce(0);
  }
}
