import type { Mutant } from "../mutant.js";

export const ENGINE_MUTANTS: readonly Mutant[] = [
  {
    name: "an engine that starts treats running containers as ended",
    file: "mend.ts",
    right: `if (state === null || state.tag == ProcessStateTag.Unstarted) {`,
    wrong: `if (WRONG || state === null || state.tag == ProcessStateTag.Unstarted) {`,
    finder: "search",
    before: ["create anna", "start anna"],
  },
  {
    name: "a run that started while no engine ran has the exit code of the run before",
    file: "mend.ts",
    right: `    container.exitCode = 0;`,
    wrong: `    if (!WRONG) container.exitCode = 0;`,
    finder: { played: "started-untold-again", rule: "begun" },
  },
  {
    name: "a vanished run counts as successful",
    file: "mend.ts",
    right: `new Exit(UNKNOWN_CODE, false`,
    wrong: `new Exit(WRONG ? 0 : UNKNOWN_CODE, false`,
    finder: { played: "rebooted", rule: "vanished" },
  },
  {
    name: "an out-of-memory kill while no engine ran has no event",
    file: "mend.ts",
    right: `if (found !== null) killedMeanwhile(`,
    wrong: `if (!WRONG && found !== null) killedMeanwhile(`,
    finder: { story: "out-of-memory" },
  },
  {
    name: "a damaged record is discarded",
    file: "records/set-aside.ts",
    right: `    storeRecord(SET_ASIDE + key, this.read.get(key));`,
    wrong: `    if (!WRONG) storeRecord(SET_ASIDE + key, this.read.get(key));`,
    finder: { played: "record-torn", rule: "spared" },
  },
  {
    name: "the files of a container with a damaged record are removed",
    file: "sweep.ts",
    right: `  if (containerStore.find(id) !== null || isLost(id)) return;`,
    wrong: `  if (containerStore.find(id) !== null || (!WRONG && isLost(id))) return;`,
    finder: { played: "record-torn", rule: "forks" },
  },
];
