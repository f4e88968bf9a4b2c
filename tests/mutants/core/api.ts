import type { Mutant } from "../mutant.js";

export const API_MUTANTS: readonly Mutant[] = [
  {
    name: "one label of several is enough",
    file: "api/filters.ts",
    right: `if (!hasLabel(values[i], names, texts)) return false;`,
    wrong: `if (!hasLabel(values[i], names, texts)) return WRONG && i > 0;`,
    finder: { story: "prune-labels" },
  },
  {
    name: "a prune removes containers that are too young",
    file: "api/prune-filters.ts",
    right: `if (created > this.until) return false;`,
    wrong: `if (!WRONG && created > this.until) return false;`,
    finder: { story: "prune-labels" },
  },
  {
    name: "label! chooses containers that have the label",
    file: "api/prune-filters.ts",
    right: `if (this.filters.has("label!") && this.filters.labels(`,
    wrong: `if (this.filters.has("label!") && !WRONG && this.filters.labels(`,
    finder: { story: "prune-labels" },
  },
  {
    name: "the oldest version is not served",
    file: "api/versions.ts",
    right: `compareVersions(text, MIN_VERSION_TEXT) < 0`,
    wrong: `compareVersions(text, MIN_VERSION_TEXT) < (WRONG ? 1 : 0)`,
    finder: { story: "versions" },
  },
  {
    name: "the newest version is not served",
    file: "api/versions.ts",
    right: `compareVersions(text, versionText(newest)) > 0`,
    wrong: `compareVersions(text, versionText(newest)) > (WRONG ? -1 : 0)`,
    finder: "simulator",
  },
];
