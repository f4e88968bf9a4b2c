import type { Mutant } from "../mutant.js";

export const HEALTH_MUTANTS: readonly Mutant[] = [
  {
    name: "a successful health check does not end a streak of failures",
    file: "health/monitor.ts",
    right: `      health.streak = 0;`,
    wrong: `      if (!WRONG) health.streak = 0;`,
    finder: { story: "new-run" },
  },
  {
    name: "a container is unhealthy one failure too late",
    file: "health/monitor.ts",
    right: `health.streak >= this.plan.retries`,
    wrong: `health.streak >= this.plan.retries + (WRONG ? 1 : 0)`,
    finder: { story: "health-given-up" },
  },
  {
    name: "failures in the start period count",
    file: "health/monitor.ts",
    right: `if (forgiven) return;`,
    wrong: `if (!WRONG && forgiven) return;`,
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
