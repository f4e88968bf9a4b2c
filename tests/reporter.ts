// Prints, behind vitest's own report, each skipped test with its reason, each that needed a second try with what it
// failed of, and, as the last line of all, the three numbers.

import type { Reporter, SerializedError, TestCase, TestModule, TestSuite } from "vitest/node";

export default class CountingReporter implements Reporter {
  #passed = 0;
  #failed = 0;
  readonly #skipped: string[] = [];
  readonly #retried: string[] = [];

  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly SerializedError[]): void {
    for (const module of modules) this.#count(module);
    this.#failed += unhandled.length;
    process.once("exit", () => this.#print());
  }

  #count(module: TestModule): void {
    for (const test of module.children.allTests()) this.#countTest(test);
    // A file that does not load and a hook that fails belong to no test, and take their tests with them as skipped.
    for (const suite of [module, ...module.children.allSuites()]) {
      if (suite.errors().length > 0) this.#failed++;
    }
  }

  #countTest(test: TestCase): void {
    const { state } = test.result();
    if (state === "passed") this.#passed++;
    else if (state === "failed") this.#failed++;
    else this.#skipped.push(`${nameOf(test)}: ${reasonOf(test)}`);
    if (test.diagnostic()?.flaky) this.#retried.push(`${nameOf(test)}: ${firstErrorOf(test)}`);
  }

  #print(): void {
    const skipped = this.#skipped.map((test) => `skipped: ${test}\n`);
    const lines = [...skipped, ...this.#retried.map((test) => `passed at the second try: ${test}\n`)].join("");
    const counts = `${this.#passed} passed, ${this.#failed} failed, ${this.#skipped.length} skipped`;
    process.stdout.write(`${lines}${counts}\n`);
  }
}

function nameOf(test: TestCase): string {
  return `${test.module.relativeModuleId}: ${test.fullName}`;
}

function firstErrorOf(test: TestCase): string {
  const [error] = test.result().errors ?? [];
  return error?.message.split("\n")[0] ?? "no error given";
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
