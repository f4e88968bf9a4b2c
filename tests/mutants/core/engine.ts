import type { Mutant } from "../mutant.js";

export const ENGINE_MUTANTS: readonly Mutant[] = [
  {
    name: "the engine takes what it finds running for ended",
    file: "mend.ts",
    right: `if (state === null || state.tag == ProcessStateTag.Unstarted) {`,
    wrong: `if (WRONG || state === null || state.tag == ProcessStateTag.Unstarted) {`,
    finder: "search",
  },
  {
    name: "a run that came to life untold has the exit code of the one before",
    file: "mend.ts",
    right: `    container.exitCode = 0;`,
    wrong: `    if (!WRONG) container.exitCode = 0;`,
    finder: { played: "started-untold-again", rule: "begun" },
  },
  {
    name: "what has vanished counts as ended well",
    file: "mend.ts",
    right: `new Exit(UNKNOWN_CODE, false`,
    wrong: `new Exit(WRONG ? 0 : UNKNOWN_CODE, false`,
    finder: { played: "rebooted", rule: "vanished" },
  },
  {
    name: "what died for want of memory while no engine ran is not told",
    file: "mend.ts",
    right: `if (found !== null) killedMeanwhile(`,
    wrong: `if (!WRONG && found !== null) killedMeanwhile(`,
    finder: { story: "out-of-memory" },
  },
  {
    name: "a damaged record is thrown away",
    file: "records/set-aside.ts",
    right: `    storeRecord(SET_ASIDE + key, this.read.get(key));`,
    wrong: `    if (!WRONG) storeRecord(SET_ASIDE + key, this.read.get(key));`,
    finder: { played: "record-torn", rule: "spared" },
  },
  {
    name: "files of a container whose record is damaged are cleared away",
    file: "sweep.ts",
    right: `  if (containerStore.find(id) !== null || isLost(id)) return;`,
    wrong: `  if (containerStore.find(id) !== null || (!WRONG && isLost(id))) return;`,
    finder: { played: "record-torn", rule: "forks" },
  },
];
