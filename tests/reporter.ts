// Prints after vitest's own report: the slowest files, each skipped test with its reason, each test that needed a
// second try, each failure with its error, and as the last line the three totals. For a file that is run again
// (run.mjs), the last run counts. Under CI=true a skip that is not allowed (support/allowed-skips.ts) is a failure.

import { dirname } from "node:path";
import type { Reporter, SerializedError, TestModule, Vitest } from "vitest/node";
import { processorSecondsOf } from "./support/processes.js";
import { sumOf, total } from "./spent.js";
import { isProving, writeProofs, type Proven } from "./support/proofs/proofs.js";
import { provenBy } from "./support/proofs/passed.js";
import { firstLineOf, lineOf, resultAfter, resultOf, type Cost, type FileResult } from "./file-result.js";

/** Number of slowest files to print. */
const LONGEST = 30;
/** Number of files to print with the most processor seconds. */
const DEAREST = 100;

export default class CountingReporter implements Reporter {
  readonly #files = new Map<string, FileResult>();
  readonly #unhandled: string[] = [];
  /** By file: blocks that need not run on the reference again. */
  readonly #proven = new Map<string, Proven>();
  #isCi = false;
  #isProving = false;

  /** If tests are selected by name, skipping the others is no mistake. */
  onInit({ config }: Vitest): void {
    this.#isCi = process.env["CI"] === "true" && config.testNamePattern === undefined;
    this.#isProving = isProving && config.testNamePattern === undefined;
    process.once("exit", () => this.#print());
  }

  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly SerializedError[]): void {
    for (const module of modules) {
      const result = resultOf(module, this.#isCi);
      this.#files.set(module.id, resultAfter(this.#files.get(module.id), result));
      this.#proven.set(module.relativeModuleId, provenBy(module));
    }
    this.#unhandled.push(...unhandled.map((error) => `outside of any test: ${firstLineOf(error)}`));
  }

  /** A failure in a run before one that passed sets no exit code, because the result is known only here. */
  #print(): void {
    if (this.#isProving) writeProofs(this.#proven);
    const files = [...this.#files.values()];
    const failures = [...files.flatMap(failuresOf), ...this.#unhandled];
    if (failures.length > 0) process.exitCode = 1;
    const skipped = files.flatMap((file) => file.skipped);
    const passed = files.reduce((sum, file) => sum + file.passed, 0);
    const lines = [
      ...longestOf(files.map(({ cost }) => cost)),
      ...skipped.map((skip) => `skipped: ${lineOf(skip)}\n`),
      ...files.flatMap(({ retried }) => retried).map((test) => `passed at the second try: ${lineOf(test)}\n`),
      ...files.flatMap(({ alone }) => alone).map((test) => `passed only alone: ${lineOf(test)}\n`),
      ...failures.map((line) => `failed: ${line}\n`),
    ].join("");
    process.stdout.write(`${lines}${passed} passed, ${failures.length} failed, ${skipped.length} skipped\n`);
  }
}

function failuresOf({ failed, refused }: FileResult): string[] {
  const because = "CI skips only what is in allowed-skips.ts";
  return [...refused.map(({ name, why }) => `${name}: ${because}: ${why}`), ...failed.map(lineOf)];
}

function longestOf(costs: readonly Cost[]): string[] {
  if (costs.length <= 1) return [];
  const longest = costs.toSorted((a, b) => b.passed - a.passed).slice(0, LONGEST);
  const lines = longest.map(
    ({ file, passed, spent }) => `took ${passed.toFixed(1)} s, ${total(spent).toFixed(1)} s of processors: ${file}\n`,
  );
  return [...sumsOf(costs), ...lines];
}

/** The whole run includes vitest's own process, engines between two loans, and files that did not end. */
function sumsOf(costs: readonly Cost[]): string[] {
  const sum = sumOf(costs.map(({ spent }) => spent));
  const inSeconds = (seconds: number): string => `${seconds.toFixed(0)} s`;
  const whole = processorSecondsOf("self") + sum.browsers;
  const parts = [`test files ${inSeconds(sum.own)}`, `programs they started ${inSeconds(sum.programs)}`];
  parts.push(`lent engines ${inSeconds(sum.lent)}`, `browsers ${inSeconds(sum.browsers)}`);
  const files = `${costs.length} files took ${inSeconds(total(sum))} of processors`;
  const folders = byFolder(costs).map(([folder, seconds]) => `${folder} ${inSeconds(seconds)}`);
  const silent = costs.filter(({ isTold }) => !isTold).length;
  return [
    `${parts.join(", ")}\n`,
    `by folder: ${folders.join(", ")}\n`,
    `by file: ${dearestOf(costs).join(", ")}\n`,
    ...(silent > 0 ? [`only the whole run includes files that did not end: ${silent}\n`] : []),
    `${files}, the whole run ${inSeconds(whole)}; the longest:\n`,
  ];
}

/** The files with the most processor seconds, which are not always the slowest ones. */
function dearestOf(costs: readonly Cost[]): string[] {
  const dearest = costs.toSorted((a, b) => total(b.spent) - total(a.spent)).slice(0, DEAREST);
  return dearest.map(({ file, spent }) => `${file} ${total(spent).toFixed(0)} s`);
}

/** Processor seconds of the files in each folder, `tests/http` with all below it; the largest first. */
function byFolder(costs: readonly Cost[]): [string, number][] {
  const sums = new Map<string, number>();
  for (const { file, spent } of costs) {
    const folder = dirname(file).split("/").slice(0, 2).join("/");
    sums.set(folder, (sums.get(folder) ?? 0) + total(spent));
  }
  return [...sums].toSorted(([, one], [, other]) => other - one);
}
