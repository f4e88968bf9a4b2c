// The public parts of this folder: dry runs, and the plans that they answer with.

export { DRY_RUN, DryRuns, isDryRun } from "./dry-runs.js";
export type { Asking } from "./dry-runs.js";
export type { Plan, PlanEntry, PlannedAnswer, PlannedBytes, PlannedEffect, PlannedRecord } from "./format.js";
export { DryRunSession } from "./session.js";
export { isReading } from "./waits.js";
