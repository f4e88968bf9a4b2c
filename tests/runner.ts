// Extensions of vitest's runner. In CI a setup gets a second try like a test, so that a stalled machine does not fail a
// whole file. Each file reports its processor time.
import { TestRunner, type RunnerTestSuite } from "vitest";
import { lentSeconds, unwaitedSeconds } from "./support/lending/cost.js";
import { processorSecondsOf } from "./support/processes.js";

declare module "vitest" {
  interface TaskMeta {
    /** The error of the setup's first try, if the second failed too. */
    firstSetUp?: string;
    /** Processor seconds of a file: its process since the last file, its ended children, engines lent to it, and browsers. */
    processorSeconds?: number;
    /** The part of it that vitest's own process does not see, because nobody waits for those processes. */
    unwaitedSeconds?: number;
  }
}

type Hook = (...args: never[]) => unknown;

export default class Runner extends TestRunner {
  override async onAfterRunSuite(suite: RunnerTestSuite): Promise<void> {
    await super.onAfterRunSuite(suite);
    if (!("filepath" in suite)) return;
    const unwaited = unwaitedSeconds();
    const all = processorSecondsOf("self") + lentSeconds() + unwaited;
    suite.meta.processorSeconds = all - counted.all;
    suite.meta.unwaitedSeconds = unwaited - counted.unwaited;
    counted = { all, unwaited };
  }

  override async onBeforeRunSuite(suite: RunnerTestSuite): Promise<void> {
    await super.onBeforeRunSuite(suite);
    const failedToLoad = suite.result?.state === "fail";
    if (process.env["CI"] !== "true" || failedToLoad) return;
    const hooks = TestRunner.getSuiteHooks(suite);
    // With several hooks, later ones build on the first, and a retry would not repeat it. Such a suite gets one try.
    if (hooks.beforeAll.length !== 1) return;
    hooks.beforeAll = hooks.beforeAll.map((setUp) => twice(suite, setUp, hooks.afterAll));
  }
}

/** Leftovers of the first try are removed by the afterAll hooks, in their usual order: the last setup first. */
function twice<SetUp extends Hook>(suite: RunnerTestSuite, setUp: SetUp, afterAll: readonly Hook[]): SetUp {
  const again: Hook = async (...args) => {
    try {
      return await setUp(...args);
    } catch (error) {
      for (const clear of afterAll.toReversed()) await run(clear, args).catch(() => {});
      const result = await setUp(...args);
      suite.meta.firstSetUp = error instanceof Error ? error.message : String(error);
      return result;
    }
  };
  return again as SetUp;
}

async function run(hook: Hook, args: never[]): Promise<void> {
  await hook(...args);
}

/** The process's times when its last file ended, because a process may run several files. */
let counted = { all: 0, unwaited: 0 };
