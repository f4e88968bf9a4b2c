import type { Mutant } from "../mutant.js";

export const SYSTEM_MUTANTS: readonly Mutant[] = [
  {
    name: "the labels stay what they were before the configuration was read again",
    file: "system/reload.ts",
    right: `  options.labels = settings.labels;`,
    wrong: `  if (!WRONG) options.labels = settings.labels;`,
    finder: { played: "reloaded", rule: "settings" },
  },
  {
    name: "nobody is told that the configuration was read again",
    file: "system/reload.ts",
    right: `  eventRing.emit(reloadEvent());`,
    wrong: `  if (!WRONG) eventRing.emit(reloadEvent());`,
    finder: { played: "reloaded", rule: "settings" },
  },
  {
    name: "the default runtime stays what it was before the configuration was read again",
    file: "system/reload.ts",
    right: `  options.defaultRuntime = settings.defaultRuntime;`,
    wrong: `  if (!WRONG) options.defaultRuntime = settings.defaultRuntime;`,
    finder: { played: "reloaded", rule: "settings" },
  },
];
