import type { Mutant } from "../mutant.js";

export const HEALTH_MUTANTS: readonly Mutant[] = [
  {
    name: "a successful health check does not end a streak of failures",
    file: "health/health.ts",
    right: `    this.streak = 0;\n    this.status = HEALTHY;`,
    wrong: `    if (!WRONG) this.streak = 0;\n    this.status = HEALTHY;`,
    finder: { story: "new-run" },
  },
  {
    name: "a container is unhealthy one failure too late",
    file: "health/health.ts",
    right: `this.streak >= retries`,
    wrong: `this.streak >= retries + (WRONG ? 1 : 0)`,
    finder: { story: "health-given-up" },
  },
  {
    name: "failures in the start period count",
    file: "health/health.ts",
    right: `if (this.status == STARTING && early) return;`,
    wrong: `if (!WRONG && this.status == STARTING && early) return;`,
    finder: { story: "health" },
  },
  {
    name: "the start interval is the usual interval",
    file: "health/plan.ts",
    right: `return starting &&`,
    wrong: `return !WRONG && starting &&`,
    finder: { story: "health" },
  },
  {
    name: "a new run is as healthy as the last one",
    file: "health/watch.ts",
    right: `if (container.healthRun != container.run) health`,
    wrong: `if (!WRONG && container.healthRun != container.run) health`,
    finder: { story: "new-run" },
  },
  {
    name: "one health check too many is kept",
    file: "health/health.ts",
    right: `this.log.length >= LONGEST_LOG`,
    wrong: `this.log.length >= LONGEST_LOG + (WRONG ? 1 : 0)`,
    finder: { story: "health-given-up" },
  },
  {
    name: "a health check that took too long can succeed",
    file: "health/probe.ts",
    right: `      this.late = true;`,
    wrong: `      this.late = !WRONG;`,
    finder: { story: "health-given-up" },
  },
];
