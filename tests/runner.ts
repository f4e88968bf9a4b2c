// What this project adds to vitest's runner. Under CI a set-up has a second try, as a test has: a machine that stood still
// must not take a whole file with it. And each file says how much of the processors it took.
import { TestRunner, type RunnerTestSuite } from "vitest";
import { lentSeconds } from "./support/lending/cost.js";
import { processorSecondsOf } from "./support/processes.js";

declare module "vitest" {
  interface TaskMeta {
    /** What the first try of this suite's set-up failed of, when the second did not. */
    firstSetUp?: string;
    /** Seconds of processors that a file took: its process since the last file, the ended ones that it started, and engines lent to it. */
    processorSeconds?: number;
  }
}

type Hook = (...args: never[]) => unknown;

export default class Runner extends TestRunner {
  override async onAfterRunSuite(suite: RunnerTestSuite): Promise<void> {
    await super.onAfterRunSuite(suite);
    if ("filepath" in suite) suite.meta.processorSeconds = secondsSinceLastFile();
  }

  override async onBeforeRunSuite(suite: RunnerTestSuite): Promise<void> {
    await super.onBeforeRunSuite(suite);
    const failedToLoad = suite.result?.state === "fail";
    if (process.env["CI"] !== "true" || failedToLoad) return;
    const hooks = TestRunner.getSuiteHooks(suite);
    // Of several the later ones build on the first, which would not be begun anew: these have one try.
    if (hooks.beforeAll.length !== 1) return;
    hooks.beforeAll = hooks.beforeAll.map((setUp) => twice(suite, setUp, hooks.afterAll));
  }
}

/** What the first try left behind is cleared away as after the tests, which begins with what was set up at last. */
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

/** What this process had taken when its last file ended: one may run many of them. */
let counted = 0;

function secondsSinceLastFile(): number {
  const before = counted;
  counted = processorSecondsOf("self") + lentSeconds();
  return counted - before;
}
