import type { Mutant } from "../mutant.js";

export const VOLUME_MUTANTS: readonly Mutant[] = [
  {
    name: "the size of a volume is not recorded after its run has ended",
    file: "volume/store.ts",
    right: `if (!isInRun(volume.name)) this.catchUp(volume);`,
    wrong: `if (!WRONG && !isInRun(volume.name)) this.catchUp(volume);`,
    finder: { story: "disk-usage-of-filled-volumes" },
  },
  {
    name: "a named volume is removed with its container",
    file: "volume/use.ts",
    right: `container.removeVolumes && mount.anonymous`,
    wrong: `container.removeVolumes && (WRONG || mount.anonymous)`,
    finder: { story: "volume-told-while-created" },
  },
];
