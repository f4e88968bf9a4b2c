// Runs a test once for each mutant that it should find, with that mutant active; and without mutants before and after,
// to check that it finds only mutants and that none leaves anything behind.

import { TestRunner, type RunnerTestCase } from "vitest";
import { enforce } from "./mutating-hosts.js";
import { isNamed, projectsOf } from "./unit-tests.js";

declare module "vitest" {
  interface TaskMeta {
    /** By mutant number, 0 for none: whether the test failed. */
    failed?: Record<number, boolean>;
    /** The mutants with which it did not finish in time. */
    late?: number[];
  }
}

/** vitest's message for a timeout, which does not show what the test would have found. */
const LATE = /^(?:Test|Hook) timed out in /;

export default class Runner extends TestRunner {
  /** The order of the active mutants. */
  #order: number[] = [];
  /** Mutants that an earlier test of this file has found. */
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
    enforce([this.#order[attempt?.repeats ?? 0] ?? 0]);
    super.onBeforeTryTask(test);
  }

  /** The result is in `failed`. The test itself always counts as passed, so that each try begins like the first. */
  onAfterRetryTask(test: RunnerTestCase, { repeats }: { repeats: number }): void {
    const mutant = this.#order[repeats] ?? 0;
    const isLate = test.result?.errors?.some(({ message }) => LATE.test(message)) === true;
    const hasFailed = test.result?.state === "fail" && !isLate;
    if (isLate) test.meta.late?.push(mutant);
    (test.meta.failed ??= {})[mutant] ||= hasFailed;
    if (hasFailed && mutant > 0) this.#found.add(mutant);
    if (test.result !== undefined) Object.assign(test.result, { state: "pass", errors: undefined });
    enforce([]);
  }
}
