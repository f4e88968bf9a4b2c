// Under CI a set-up has a second try, as a test has: a machine that stood still must not take a whole file with it.
import { TestRunner, type RunnerTestSuite } from "vitest";

declare module "vitest" {
  interface TaskMeta {
    /** What the first try of this suite's set-up failed of, when the second did not. */
    firstSetUp?: string;
  }
}

type Hook = (...args: never[]) => unknown;

export default class SecondSetUp extends TestRunner {
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
