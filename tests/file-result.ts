// The result of a test file, with a line for each test that did not simply pass.

import type { SerializedError, TestCase, TestModule, TestSuite } from "vitest/node";
import { NOTHING, sumOf, type Spent } from "./spent.js";
import { isAllowedSkip } from "./support/allowed-skips.js";
import { LACKING, ON_REFERENCE } from "./support/proofs/proofs.js";

const LINE_MAX = 400;
/** Longest text of an error that is told whole. */
const TEXT_MAX = 4000;

/** A test, a setup or a file that did not load, and the reason: the first line of each error if vitest tells the rest. */
export interface Remark {
  readonly name: string;
  readonly why: string;
}

export interface FileResult {
  readonly passed: number;
  readonly failed: readonly Remark[];
  /** Skips that CI does not allow. */
  readonly refused: readonly Remark[];
  readonly skipped: readonly Remark[];
  /** Tests that passed on the second try. */
  readonly retried: readonly Remark[];
  /** Tests that failed next to other files, but passed when the file ran alone. */
  readonly alone: readonly Remark[];
  readonly cost: Cost;
}

/** The cost of a file: elapsed seconds and processor seconds. */
export interface Cost {
  readonly file: string;
  readonly passed: number;
  /** Zero for a file that did not end. */
  readonly spent: Spent;
  /** Whether it ended, and so has told what it spent. */
  readonly isTold: boolean;
}

export function resultOf(module: TestModule, isCi: boolean): FileResult {
  const tests = [...module.children.allTests()];
  const passed = tests.filter((test) => test.result().state === "passed");
  const failed = tests.filter((test) => test.result().state === "failed");
  const others = tests.filter((test) => !passed.includes(test) && !failed.includes(test));
  const isLacking = (test: TestCase): boolean => test.name.endsWith(ON_REFERENCE) && reasonOf(test) === LACKING;
  const isTaken = (test: TestCase): boolean => !isCi || isAllowedSkip(test.fullName, reasonOf(test)) || isLacking(test);
  const flaky = tests.filter((test) => test.diagnostic()?.flaky);
  return {
    passed: passed.length,
    failed: [...failed.map(failureOf), ...failedSetUps(module)],
    refused: others.filter((test) => !isTaken(test)).map(skipOf),
    skipped: others.filter(isTaken).map(skipOf),
    retried: [...flaky.map(retryOf), ...retriedSetUps(module)],
    alone: [],
    cost: costOf(module),
  };
}

/** For a file that ran again (run.mjs), the later run counts. Tests that failed only before are reported. */
export function resultAfter(before: FileResult | undefined, later: FileResult): FileResult {
  if (!before) return later;
  // A test that is skipped now because its setup failed has not passed.
  const others = [...later.failed, ...later.refused, ...later.skipped];
  const notPassed = new Set(others.map(({ name }) => name));
  return {
    ...later,
    retried: [...before.retried, ...later.retried],
    alone: before.failed.filter(({ name }) => !notPassed.has(name)),
    cost: both(before.cost, later.cost),
  };
}

export function lineOf({ name, why }: Remark): string {
  return `${name}: ${why}`;
}

function failureOf(test: TestCase): Remark {
  return { name: nameOf(test), why: errorsOf(test, firstLineOf) };
}

function retryOf(test: TestCase): Remark {
  return { name: nameOf(test), why: errorsOf(test, textOf) };
}

function skipOf(test: TestCase): Remark {
  return { name: nameOf(test), why: reasonOf(test) };
}

/** A file that does not load and a hook that fails belong to no test; their tests count as skipped. */
function failedSetUps(module: TestModule): Remark[] {
  return suitesOf(module).flatMap((suite) =>
    suite.errors().map((error) => ({ name: placeOf(suite), why: firstLineOf(error) })),
  );
}

function retriedSetUps(module: TestModule): Remark[] {
  return suitesOf(module).flatMap((suite) => {
    const { firstSetUp } = suite.meta();
    return firstSetUp === undefined ? [] : [{ name: placeOf(suite), why: textOf({ message: firstSetUp }) }];
  });
}

function suitesOf(module: TestModule): (TestSuite | TestModule)[] {
  return [module, ...module.children.allSuites()];
}

function costOf(module: TestModule): Cost {
  const passed = module.diagnostic().duration / 1000;
  const { spent } = module.meta();
  return { file: module.relativeModuleId, passed, spent: spent ?? NOTHING, isTold: spent !== undefined };
}

function both(one: Cost, other: Cost): Cost {
  const isTold = one.isTold && other.isTold;
  return { file: other.file, passed: one.passed + other.passed, spent: sumOf([one.spent, other.spent]), isTold };
}

function nameOf(test: TestCase): string {
  return `${test.module.relativeModuleId}: ${test.fullName}`;
}

function placeOf(suite: TestSuite | TestModule): string {
  return suite.type === "module" ? suite.relativeModuleId : `${suite.module.relativeModuleId}: ${suite.fullName}`;
}

/** Errors of all tries. */
function errorsOf(test: TestCase, by: (error: SerializedError) => string): string {
  const errors = test.result().errors ?? [];
  return errors.length > 0 ? errors.map(by).join(" | ") : "no error given";
}

/** Whole, because vitest prints no error of what passes in the end. What a program said follows in further lines. */
function textOf({ message }: SerializedError): string {
  return message.trimEnd().slice(0, TEXT_MAX).replaceAll("\n", "\n    ");
}

export function firstLineOf({ message }: SerializedError): string {
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
