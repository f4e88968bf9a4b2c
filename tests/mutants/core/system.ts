import type { Mutant } from "../mutant.js";

export const SYSTEM_MUTANTS: readonly Mutant[] = [
  {
    name: "a reload of the configuration does not change the labels",
    file: "system/reload.ts",
    right: `  options.labels = settings.labels;`,
    wrong: `  if (!WRONG) options.labels = settings.labels;`,
    finder: { played: "reloaded", rule: "settings" },
  },
  {
    name: "a reload of the configuration has no event",
    file: "system/reload.ts",
    right: `  eventRing.emit(reloadEvent());`,
    wrong: `  if (!WRONG) eventRing.emit(reloadEvent());`,
    finder: { played: "reloaded", rule: "settings" },
  },
  {
    name: "a reload of the configuration does not change the default runtime",
    file: "system/reload.ts",
    right: `  options.defaultRuntime = settings.defaultRuntime;`,
    wrong: `  if (!WRONG) options.defaultRuntime = settings.defaultRuntime;`,
    finder: { played: "reloaded", rule: "settings" },
  },
];
