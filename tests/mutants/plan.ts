// The variable of the environment with the plan of a run with mutants, for vitest.config.ts, runner.ts, doors, and from the
// reporter (unit-tests.ts). There is none in other runs.

export const PLAN = "CORACLE_MUTANTS_PLAN";
