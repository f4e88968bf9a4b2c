// Extensions of vitest's runner. In CI a setup gets a second try like a test, so that a stalled machine does not fail a
// whole file. Each file reports its processor time.
import { TestRunner, type RunnerTestSuite } from "vitest";
import { NOTHING, spentBetween, spentSoFar, type Spent } from "./spent.js";

declare module "vitest" {
  interface TaskMeta {
    /** The error of the setup's first try, if the second failed too. */
    firstSetUp?: string;
    /** Processor seconds since the process's last file. */
    spent?: Spent;
  }
}

type Hook = (...args: never[]) => unknown;

export default class Runner extends TestRunner {
  override async onAfterRunSuite(suite: RunnerTestSuite): Promise<void> {
    await super.onAfterRunSuite(suite);
    if (!("filepath" in suite)) return;
    const now = spentSoFar();
    suite.meta.spent = spentBetween(counted, now);
    counted = now;
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
let counted = NOTHING;
